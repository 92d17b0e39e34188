"""Pure rules: a grant is a role and where it holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Role(StrEnum):
    """From the least to the most: each may do what those before it may."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


ORDER = tuple(Role)


def includes(held: Role, wanted: Role) -> bool:
    """Whether who holds `held` may do what needs `wanted`."""
    return ORDER.index(held) >= ORDER.index(wanted)


def scope(names: Iterable[str]) -> frozenset[str] | None:
    """A stored list as a scope: an empty list means everywhere (None)."""
    return frozenset(names) or None


def narrower(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """What both scopes allow; an empty set (nothing) is not None (everything)."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A role and where it holds. clusters, namespaces: None = all, an empty set = none."""

    who: str
    role: Role
    clusters: frozenset[str] | None = None
    namespaces: frozenset[str] | None = None

    @property
    def everywhere(self) -> bool:
        return self.clusters is None and self.namespaces is None

    def sees_cluster(self, cluster: str) -> bool:
        return self.clusters is None or cluster in self.clusters

    def sees(self, cluster: str, namespace: str) -> bool:
        if not self.sees_cluster(cluster):
            return False
        return self.namespaces is None or namespace in self.namespaces

    def narrowed(self, by: Grant) -> Grant:
        """What both grants allow: the smaller role, the common scope."""
        return replace(
            self,
            role=min(self.role, by.role, key=ORDER.index),
            clusters=narrower(self.clusters, by.clusters),
            namespaces=narrower(self.namespaces, by.namespaces),
        )


def may(grant: Grant | None, role: Role, cluster: str = "", namespace: str = "") -> bool:
    """Whether the grant gives at least `role` there.

    cluster "" asks for what belongs to no cluster (users, adding a cluster): then the grant must
    hold everywhere. namespace "" asks for a whole cluster: then it must hold in all of its
    namespaces.
    """
    if grant is None or not includes(grant.role, role):
        return False
    if not cluster:
        return grant.everywhere
    if not namespace:
        return grant.namespaces is None and grant.sees_cluster(cluster)
    return grant.sees(cluster, namespace)

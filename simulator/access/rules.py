"""Rules of access: which verb on which resource, and the sentences that say no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ANY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of a Role. resources may name a subresource: "pods/log"."""

    verbs: tuple[str, ...]
    api_groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = ()
    non_resource_urls: tuple[str, ...] = ()

    def allows(self, request: Request) -> bool:
        return (
            _has(self.verbs, request.verb)
            and _has(self.api_groups, request.group)
            and any(_names(pattern, request) for pattern in self.resources)
            and (not self.resource_names or request.name in self.resource_names)
        )

    def as_json(self) -> dict[str, Any]:
        """The rule as a SelfSubjectRulesReview lists it."""
        lists = {
            "verbs": self.verbs,
            "apiGroups": self.api_groups,
            "resources": self.resources,
            "resourceNames": self.resource_names,
        }
        return {key: list(values) for key, values in lists.items() if values}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What somebody wants to do. namespace None: at the cluster scope."""

    verb: str
    group: str
    resource: str
    subresource: str = ""
    namespace: str | None = None
    name: str = ""

    @property
    def full_resource(self) -> str:
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Rules bound to somebody; namespace None: by a ClusterRoleBinding, everywhere.

    reason: what an access review answers when one of them allows.
    """

    rules: tuple[Rule, ...]
    namespace: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who a bearer token stands for."""

    username: str
    uid: str = ""
    groups: tuple[str, ...] = ("system:authenticated",)
    grants: tuple[Grant, ...] = field(default=())

    def allowance(self, request: Request) -> Grant | None:
        """The grant that allows the request, or None."""
        for grant in self.grants:
            if grant.namespace not in (None, request.namespace):
                continue
            if any(rule.allows(request) for rule in grant.rules):
                return grant
        return None

    def rules_in(self, namespace: str) -> list[Rule]:
        """All rules that hold in a namespace."""
        found = [grant for grant in self.grants if grant.namespace in (None, namespace)]
        return [rule for grant in found for rule in grant.rules]


def refusal(identity: Identity, request: Request) -> str:
    """The message of a 403. Source: recorded refusals in tests/fixtures/http."""
    noun = f"{request.resource}.{request.group}" if request.group else request.resource
    named = f'{noun} "{request.name}"' if request.name else noun
    where = f'in the namespace "{request.namespace}"' if request.namespace else None
    return (
        f'{named} is forbidden: User "{identity.username}" cannot {request.verb} resource '
        f'"{request.full_resource}" in API group "{request.group}" '
        f"{where or 'at the cluster scope'}"
    )


def rules_of(role: Mapping[str, Any]) -> tuple[Rule, ...]:
    """The rules of a Role or ClusterRole as its manifest has them."""
    return tuple(
        Rule(
            verbs=_strings(rule, "verbs"),
            api_groups=_strings(rule, "apiGroups"),
            resources=_strings(rule, "resources"),
            resource_names=_strings(rule, "resourceNames"),
            non_resource_urls=_strings(rule, "nonResourceURLs"),
        )
        for rule in role.get("rules") or []
    )


def _strings(rule: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(str(value) for value in rule.get(key) or [])


def _has(allowed: Sequence[str], wanted: str) -> bool:
    return ANY in allowed or wanted in allowed


def _names(pattern: str, request: Request) -> bool:
    """Whether a rule's resource covers the request's. "*" covers subresources too."""
    if pattern in (ANY, request.full_resource):
        return True
    return bool(request.subresource) and pattern == f"*/{request.subresource}"

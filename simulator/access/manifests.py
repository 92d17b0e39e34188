"""Identities made by reading RBAC manifests, as a cluster would make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from simulator.access.rules import Grant, Identity, rules_of

_ROLE_KINDS = ("ClusterRole", "Role")


def documents(texts: Iterable[str]) -> list[dict[str, Any]]:
    """All objects of some YAML files; a List is opened."""
    found: list[dict[str, Any]] = []
    for text in texts:
        for document in yaml.safe_load_all(text):
            if not isinstance(document, dict):
                continue
            items = document.get("items") if document.get("kind") == "List" else None
            found.extend(items if items is not None else [document])
    return found


def service_account(
    namespace: str, name: str, *, grants: Sequence[Grant], uid: str = ""
) -> Identity:
    """A service account with these grants and what every account may do."""
    return Identity(
        username=f"system:serviceaccount:{namespace}:{name}",
        uid=uid,
        groups=(
            "system:serviceaccounts",
            f"system:serviceaccounts:{namespace}",
            "system:authenticated",
        ),
        grants=(*grants, BASIC_USER),
    )


def account_with_roles(
    objects: Sequence[dict[str, Any]], *, namespace: str, name: str, roles: Sequence[str]
) -> Identity:
    """An account that holds the named ClusterRoles everywhere, each Role in its namespace.

    KeyError when a role is not among the objects.
    """
    by_name = {each["metadata"]["name"]: each for each in objects if each["kind"] in _ROLE_KINDS}
    account = f"{name}/{namespace}"
    grants = [_grant(by_name[role], binding=role, account=account) for role in roles]
    return service_account(namespace, name, grants=grants)


def bound_account(objects: Sequence[dict[str, Any]], *, namespace: str, name: str) -> Identity:
    """An account with what the bindings among the objects give it."""
    roles = {
        (each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]): each
        for each in objects
        if each["kind"] in _ROLE_KINDS
    }
    grants = []
    for binding in objects:
        if binding["kind"] not in ("ClusterRoleBinding", "RoleBinding"):
            continue
        if not any(_is_account(each, namespace, name) for each in binding.get("subjects") or []):
            continue
        space = binding["metadata"].get("namespace", "")
        ref = binding["roleRef"]
        role = roles[(ref["kind"], space if ref["kind"] == "Role" else "", ref["name"])]
        grants.append(
            _grant(
                role,
                binding=binding["metadata"]["name"],
                account=f"{name}/{namespace}",
                namespace=space or None,
            )
        )
    return service_account(namespace, name, grants=grants)


def _is_account(subject: dict[str, Any], namespace: str, name: str) -> bool:
    return (subject["kind"], subject.get("namespace"), subject["name"]) == (
        "ServiceAccount",
        namespace,
        name,
    )


def _grant(
    role: dict[str, Any], *, binding: str, account: str, namespace: str | None = None
) -> Grant:
    kind, name = role["kind"], role["metadata"]["name"]
    scope = namespace or role["metadata"].get("namespace")
    bound_by = "RoleBinding" if scope else "ClusterRoleBinding"
    binding_name = f"{binding}/{scope}" if scope else binding
    reason = (
        f'RBAC: allowed by {bound_by} "{binding_name}" of {kind} "{name}" '
        f'to ServiceAccount "{account}"'
    )
    return Grant(rules=rules_of(role), namespace=scope, reason=reason)


# What Kubernetes grants to everyone signed in: ClusterRole system:basic-user.
_BASIC_USER_ROLE = """
kind: ClusterRole
metadata: {name: system:basic-user}
rules:
- {apiGroups: [authorization.k8s.io], verbs: [create],
   resources: [selfsubjectaccessreviews, selfsubjectrulesreviews]}
- {apiGroups: [authentication.k8s.io], verbs: [create], resources: [selfsubjectreviews]}
"""
BASIC_USER = Grant(
    rules=rules_of(documents([_BASIC_USER_ROLE])[0]),
    reason=(
        'RBAC: allowed by ClusterRoleBinding "system:basic-user" of ClusterRole '
        '"system:basic-user" to Group "system:authenticated"'
    ),
)

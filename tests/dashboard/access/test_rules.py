"""Roles and scopes as a table."""

from __future__ import annotations

import pytest

from dashboard.access.rules import Grant, Role, may

EVERYWHERE = Grant(who="ann", role=Role.OPERATOR)
IN_A = Grant(who="ann", role=Role.OPERATOR, clusters=frozenset({"a"}))
IN_CHAT = Grant(who="ann", role=Role.OPERATOR, namespaces=frozenset({"chat"}))
NOWHERE = Grant(who="ann", role=Role.ADMIN, clusters=frozenset())
ADMIN = Grant(who="root", role=Role.ADMIN)


@pytest.mark.parametrize(
    ("grant", "role", "cluster", "namespace", "allowed"),
    [
        pytest.param(None, Role.VIEWER, "a", "chat", False, id="nobody may nothing"),
        pytest.param(EVERYWHERE, Role.VIEWER, "a", "chat", True, id="an operator may look"),
        pytest.param(EVERYWHERE, Role.OPERATOR, "a", "chat", True, id="an operator may act"),
        pytest.param(EVERYWHERE, Role.ADMIN, "a", "chat", False, id="an operator is no admin"),
        pytest.param(IN_A, Role.OPERATOR, "a", "rag", True, id="inside the cluster scope"),
        pytest.param(IN_A, Role.OPERATOR, "b", "rag", False, id="outside the cluster scope"),
        pytest.param(IN_CHAT, Role.OPERATOR, "b", "chat", True, id="inside the namespace scope"),
        pytest.param(IN_CHAT, Role.OPERATOR, "b", "rag", False, id="outside the namespace scope"),
        pytest.param(IN_CHAT, Role.VIEWER, "b", "", False, id="a namespace is not a cluster"),
        pytest.param(IN_A, Role.VIEWER, "a", "", True, id="the whole cluster in scope"),
        pytest.param(IN_A, Role.VIEWER, "", "", False, id="a cluster is not everything"),
        pytest.param(NOWHERE, Role.VIEWER, "a", "chat", False, id="an empty scope is nowhere"),
        pytest.param(ADMIN, Role.ADMIN, "", "", True, id="an admin everywhere may add a cluster"),
    ],
)
def test_may(
    grant: Grant | None, role: Role, cluster: str, namespace: str, *, allowed: bool
) -> None:
    assert may(grant, role, cluster, namespace) is allowed


def test_a_token_narrows_its_holder_and_never_widens() -> None:
    token = Grant(who="ann", role=Role.ADMIN, clusters=frozenset({"a", "b"}))
    both = IN_A.narrowed(token)
    assert (both.role, both.clusters, both.namespaces) == (Role.OPERATOR, frozenset({"a"}), None)


def test_scopes_without_a_common_cluster_allow_nothing() -> None:
    other = Grant(who="ann", role=Role.ADMIN, clusters=frozenset({"b"}))
    assert not may(IN_A.narrowed(other), Role.VIEWER, "a", "chat")
    assert not may(IN_A.narrowed(other), Role.VIEWER, "b", "chat")

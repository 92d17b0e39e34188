"""Who may do what, and how a refusal is said."""

from __future__ import annotations

import pytest

from simulator.access.identities import ADMIN, OPERATOR, VIEWER, tokens_for
from simulator.access.manifests import account_with_roles, bound_account, documents
from simulator.access.rules import Identity, Request, Rule, refusal

MANIFESTS = """
apiVersion: v1
kind: List
items:
- kind: ClusterRole
  metadata: {name: reader}
  rules:
  - {apiGroups: [""], resources: [pods], verbs: [get, list, watch]}
- kind: Role
  metadata: {name: logs, namespace: web}
  rules:
  - {apiGroups: [""], resources: [pods/log], verbs: [get]}
---
kind: ClusterRoleBinding
metadata: {name: reads}
roleRef: {kind: ClusterRole, name: reader}
subjects: [{kind: ServiceAccount, name: pilot, namespace: tools}]
---
kind: RoleBinding
metadata: {name: logs, namespace: web}
roleRef: {kind: Role, name: logs}
subjects: [{kind: ServiceAccount, name: pilot, namespace: tools}]
"""


def request(text: str, *, namespace: str | None = "web", name: str = "") -> Request:
    """ "get pods/log" or "patch revisions.serving.knative.dev" as a request."""
    verb, noun = text.split()
    resource, _, subresource = noun.partition("/")
    plural, _, group = resource.partition(".")
    return Request(
        verb=verb,
        group=group,
        resource=plural,
        subresource=subresource,
        namespace=namespace,
        name=name,
    )


@pytest.mark.parametrize(
    ("rule", "asked", "allowed"),
    [
        pytest.param({"resources": ("pods",)}, "get pods", True, id="named"),
        pytest.param({"resources": ("pods",)}, "delete pods", False, id="another verb"),
        pytest.param({"resources": ("pods",)}, "get pods/log", False, id="not its subresource"),
        pytest.param({"resources": ("pods/log",)}, "get pods/log", True, id="the subresource"),
        pytest.param({"resources": ("pods/log",)}, "get pods", False, id="not the resource"),
        pytest.param({"resources": ("*",)}, "get pods/log", True, id="everything"),
        pytest.param({"resources": ("*/log",)}, "get pods/log", True, id="any log"),
        pytest.param({"resources": ("pods",)}, "get pods.other", False, id="another group"),
        pytest.param(
            {"resources": ("pods",), "resource_names": ("a",)}, "get pods", False, id="other names"
        ),
    ],
)
def test_a_rule(rule: dict[str, tuple[str, ...]], asked: str, allowed: bool) -> None:
    made = Rule(verbs=("get",), api_groups=("",), **rule)
    assert made.allows(request(asked)) is allowed


@pytest.mark.parametrize(
    ("identity", "asked", "allowed"),
    [
        pytest.param(ADMIN, "delete secrets", True, id="the administrator may all"),
        pytest.param(VIEWER, "list pods", True, id="a viewer reads"),
        pytest.param(VIEWER, "list secrets", False, id="a viewer reads no secrets"),
        pytest.param(VIEWER, "patch revisions.serving.knative.dev", False, id="nor changes"),
        pytest.param(OPERATOR, "patch revisions.serving.knative.dev", True, id="operators do"),
        pytest.param(OPERATOR, "patch deployments.apps/scale", True, id="scale alone"),
        pytest.param(OPERATOR, "patch deployments.apps", False, id="not what is scaled"),
        pytest.param(OPERATOR, "get pods/log", False, id="no logs"),
    ],
)
def test_the_identities_every_cluster_knows(identity: Identity, asked: str, allowed: bool) -> None:
    assert (identity.allowance(request(asked)) is not None) is allowed


@pytest.mark.parametrize(
    ("asked", "namespace", "allowed"),
    [
        pytest.param("list pods", None, True, id="bound everywhere"),
        pytest.param("get pods/log", "web", True, id="bound in its namespace"),
        pytest.param("get pods/log", "other", False, id="and there only"),
        pytest.param("get pods/log", None, False, id="not at the cluster scope"),
        pytest.param(
            "create selfsubjectaccessreviews.authorization.k8s.io", None, True, id="may ask"
        ),
    ],
)
def test_an_account_read_from_manifests(asked: str, namespace: str | None, allowed: bool) -> None:
    account = bound_account(documents([MANIFESTS]), namespace="tools", name="pilot")
    assert account.username == "system:serviceaccount:tools:pilot"
    assert (account.allowance(request(asked, namespace=namespace)) is not None) is allowed


def test_an_account_that_holds_one_role_alone() -> None:
    objects = documents([MANIFESTS])
    account = account_with_roles(objects, namespace="tools", name="pilot", roles=["reader"])
    assert account.allowance(request("list pods", namespace=None))
    assert account.allowance(request("get pods/log")) is None


def test_nobody_is_bound_by_another_accounts_bindings() -> None:
    stranger = bound_account(documents([MANIFESTS]), namespace="tools", name="other")
    assert stranger.allowance(request("list pods")) is None


@pytest.mark.parametrize(
    ("asked", "namespace", "name", "said"),
    [
        pytest.param(
            "list secrets",
            "web",
            "",
            'secrets is forbidden: User "system:serviceaccount:default:fleet-viewer" cannot list '
            'resource "secrets" in API group "" in the namespace "web"',
            id="a list in a namespace",
        ),
        pytest.param(
            "patch revisions.serving.knative.dev",
            None,
            "r",
            'revisions.serving.knative.dev "r" is forbidden: User '
            '"system:serviceaccount:default:fleet-viewer" cannot patch resource "revisions" in API '
            'group "serving.knative.dev" at the cluster scope',
            id="one object at the cluster scope",
        ),
    ],
)
def test_refusals(asked: str, namespace: str | None, name: str, said: str) -> None:
    assert refusal(VIEWER, request(asked, namespace=namespace, name=name)) == said


@pytest.mark.parametrize(
    ("header", "holder"),
    [
        pytest.param("Bearer c-viewer", VIEWER, id="the token"),
        pytest.param("bearer c-viewer", VIEWER, id="in any case"),
        pytest.param("Bearer other", None, id="another token"),
        pytest.param("Basic c-viewer", None, id="another scheme"),
        pytest.param("", None, id="no credential"),
    ],
)
def test_tokens(header: str, holder: Identity | None) -> None:
    assert tokens_for({"viewer": VIEWER}, prefix="c").holder(header) is holder

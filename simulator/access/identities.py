"""The identities every simulated cluster knows: admin, operator, viewer.

operator and viewer hold what the identities of the same names held in tests/fixtures/http.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.access.manifests import account_with_roles, documents
from simulator.access.rules import ANY, Grant, Identity, Rule

ROLES = """
kind: ClusterRole
metadata: {name: fleet-viewer}
rules:
- apiGroups: [serving.kserve.io, serving.knative.dev, autoscaling.internal.knative.dev]
  resources: ["*"]
  verbs: [get, list, watch]
- apiGroups: ["", apps, autoscaling, events.k8s.io]
  resources: [pods, events, nodes, namespaces, deployments, replicasets, horizontalpodautoscalers]
  verbs: [get, list, watch]
---
kind: ClusterRole
metadata: {name: fleet-operator}
rules:
- {apiGroups: [serving.knative.dev], resources: [revisions], verbs: [patch]}
- apiGroups: [serving.kserve.io]
  resources: [inferenceservices, llminferenceservices]
  verbs: [patch]
- {apiGroups: [apps], resources: [deployments/scale], verbs: [get, patch, update]}
- {apiGroups: [""], resources: [pods/proxy], verbs: [get]}
- apiGroups: [serving.kserve.io, serving.knative.dev, autoscaling.internal.knative.dev]
  resources: ["*"]
  verbs: [get, list, watch]
- apiGroups: ["", apps, autoscaling, events.k8s.io]
  resources: [pods, events, nodes, namespaces, deployments, replicasets, horizontalpodautoscalers]
  verbs: [get, list, watch]
"""
ADMIN = Identity(
    username="kubernetes-admin",
    groups=("system:masters", "system:authenticated"),
    grants=(
        Grant(
            rules=(Rule(verbs=(ANY,), api_groups=(ANY,), resources=(ANY,)),),
            reason='RBAC: allowed by ClusterRoleBinding "cluster-admin" of ClusterRole '
            '"cluster-admin" to Group "system:masters"',
        ),
    ),
)


def _account(name: str) -> Identity:
    return account_with_roles(documents([ROLES]), namespace="default", name=name, roles=[name])


OPERATOR = _account("fleet-operator")
VIEWER = _account("fleet-viewer")


@dataclass(slots=True)
class Tokens:
    """Who holds which bearer token. Changed while the server runs: a token may be taken away."""

    holders: dict[str, Identity] = field(default_factory=dict)

    def holder(self, authorization: str) -> Identity | None:
        """Whose Authorization header this is; None for nobody's."""
        scheme, _, token = authorization.partition(" ")
        return self.holders.get(token.strip()) if scheme.lower() == "bearer" else None


def tokens_for(identities: Mapping[str, Identity], *, prefix: str) -> Tokens:
    """A token for each name: "<prefix>-<name>". Of use on a loopback port only."""
    return Tokens({f"{prefix}-{name}": identity for name, identity in identities.items()})

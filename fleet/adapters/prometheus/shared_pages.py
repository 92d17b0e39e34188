"""Metrics pages of what all models share, found by the labels of its pods.

Sources: knative/serving config/core/deployments/activator.yaml; knative-extensions/net-kourier
config; istio/istio manifests (gateway); envoyproxy/gateway internal/infrastructure/kubernetes.
"""

from dataclasses import dataclass

import msgspec

from fleet.adapters.kubernetes.client import Access, Client, decoded
from fleet.domain.requests.eras import Program
from fleet.domain.requests.pages import Page
from fleet.errors import ClusterRefused

ENVOY_PATH = "/stats/prometheus"
MOST = "20"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Where one kind of program runs as it is installed."""

    program: Program
    namespace: str
    selector: str
    port: int
    path: str = "/metrics"


SHARED = (
    Shared(
        program=Program.ACTIVATOR,
        namespace="knative-serving",
        selector="app=activator",
        port=9090,
    ),
    Shared(
        program=Program.INGRESS,
        namespace="kourier-system",
        selector="app=3scale-kourier-gateway",
        port=9000,
        path=ENVOY_PATH,
    ),
    Shared(
        program=Program.INGRESS,
        namespace="istio-system",
        selector="istio=ingressgateway",
        port=15090,
        path=ENVOY_PATH,
    ),
    Shared(
        program=Program.INGRESS,
        namespace="envoy-gateway-system",
        selector="app.kubernetes.io/component=proxy",
        port=19001,
        path=ENVOY_PATH,
    ),
)


class Metadata(msgspec.Struct):
    name: str = ""
    uid: str = ""


class Pod(msgspec.Struct):
    metadata: Metadata = msgspec.field(default_factory=Metadata)


class Pods(msgspec.Struct):
    """A list of pods: their names are enough."""

    items: list[Pod] = []


_pods = msgspec.json.Decoder(Pods)


def shared_pages(access: Access) -> list[Page]:
    """What may not be listed, or is installed elsewhere, is left out; raises ClusterUnreachable."""
    client = Client(access)
    try:
        return [page for shared in SHARED for page in _pages_of(client, shared)]
    finally:
        client.close()


def _pages_of(client: Client, shared: Shared) -> list[Page]:
    path = f"/api/v1/namespaces/{shared.namespace}/pods"
    try:
        body = client.get(path, query={"labelSelector": shared.selector, "limit": MOST})
    except ClusterRefused:
        return []
    return [
        Page(
            program=shared.program,
            namespace=shared.namespace,
            pod=pod.metadata.name,
            uid=pod.metadata.uid,
            port=shared.port,
            path=shared.path,
        )
        for pod in decoded(f"GET {path}", body, _pods).items
        if pod.metadata.name
    ]

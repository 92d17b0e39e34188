"""Which Kubernetes, KServe and Knative a cluster runs. None where nothing tells."""

import re

import msgspec

from fleet.adapters.kubernetes.client import Client, decoded
from fleet.errors import FleetError

DEPLOYMENTS = "/apis/apps/v1/deployments"
KNATIVE_CONTROLLER = "/apis/apps/v1/namespaces/knative-serving/deployments/controller"
KNATIVE_VERSION = "app.kubernetes.io/version"
# Found by name in any namespace: installs differ, the Deployment's name does not.
KSERVE_CONTROLLERS = ("kserve-controller-manager", "llmisvc-controller-manager")
TAG = re.compile(r":v?(\d+\.\d+[\w.+-]{0,30})(?:@|$)")
VERSION_CHARS = 40
# A server that needs longer for its own version does not answer.
ANSWER_S = 10.0


class ServerVersion(msgspec.Struct):
    """The answer to GET /version."""

    gitVersion: str = ""  # noqa: N815 - the API's own name


class Image(msgspec.Struct):
    """A container's image."""

    image: str = ""


class PodSpec(msgspec.Struct):
    """Containers of a template."""

    containers: list[Image] = []


class Template(msgspec.Struct):
    """A Deployment's template."""

    spec: PodSpec


class Spec(msgspec.Struct):
    """A Deployment's spec."""

    template: Template


class Meta(msgspec.Struct):
    """Labels."""

    labels: dict[str, str] = {}


class Controller(msgspec.Struct):
    """A controller's Deployment: label and image tags tell the version."""

    metadata: Meta
    spec: Spec

    def tag(self) -> str | None:
        found = (TAG.search(c.image) for c in self.spec.template.spec.containers)
        return next((match[1] for match in found if match), None)


class Controllers(msgspec.Struct):
    """A list of them."""

    items: list[Controller] = []


_version = msgspec.json.Decoder(ServerVersion)
_controller = msgspec.json.Decoder(Controller)
_controllers = msgspec.json.Decoder(Controllers)


def kubernetes_version(client: Client) -> str:
    """As the server says it, without the v: "1.36.2"; raises fleet.errors."""
    body = client.get("/version", read_s=ANSWER_S)
    answer: ServerVersion = decoded("GET /version", body, _version)
    return answer.gitVersion.removeprefix("v")[:VERSION_CHARS]


def kserve_version(client: Client) -> str | None:
    """The image tag of a KServe controller; no status of any object tells it."""
    for name in KSERVE_CONTROLLERS:
        tags = [controller.tag() for controller in _deployments_named(client, name)]
        if any(tags):
            return next(tag for tag in tags if tag)
    return None


def knative_version(client: Client) -> str | None:
    """The version label of Knative's controller, else its image tag."""
    try:
        body = client.get(KNATIVE_CONTROLLER)
        controller: Controller = decoded(KNATIVE_CONTROLLER, body, _controller)
    except FleetError:
        return None
    label = controller.metadata.labels.get(KNATIVE_VERSION, "").removeprefix("v")
    return label[:VERSION_CHARS] or controller.tag()


def _deployments_named(client: Client, name: str) -> list[Controller]:
    query = {"fieldSelector": f"metadata.name={name}"}
    try:
        body = client.get(DEPLOYMENTS, query=query)
        answer: Controllers = decoded(DEPLOYMENTS, body, _controllers)
    except FleetError:
        return []
    return answer.items

"""What rules ask of one pod: its model container, whether it serves, how long its stages took."""

from datetime import datetime

from fleet.domain.diagnosis.evidence import Container, Pod

# Containers beside the model's own. Source: knative queue-proxy; KServe's agent, modelcar and
# routing sidecar; service meshes.
SIDECARS = frozenset(
    {
        "queue-proxy",
        "istio-proxy",
        "linkerd-proxy",
        "agent",
        "modelcar",
        "llm-d-routing-sidecar",
        "routing-proxy",
        "kube-rbac-proxy",
        "transformer-container",
    }
)
MESH_SIDECARS = frozenset({"istio-proxy", "linkerd-proxy"})
_MODEL_NAMES = ("kserve-container", "main")
_SYSTEM_NAMESPACES = frozenset(
    {
        "knative-serving",
        "istio-system",
        "istio-ingress",
        "kserve",
        "kube-system",
        "kourier-system",
        "envoy-gateway-system",
        "ingress-nginx",
        "keda",
        "karpenter",
        "gpu-operator",
        "cert-manager",
        "kueue-system",
        "opendatahub",
        "redhat-ods-applications",
    }
)
_PICKER = "router-scheduler"


def is_models_own(pod: Pod) -> bool:
    """Not one of the control plane, of a gateway or of the endpoint picker."""
    component = pod.labels.get("app.kubernetes.io/component", "")
    picker = _PICKER in component or "-epp-" in pod.name or pod.name.endswith("-epp")
    return pod.namespace not in _SYSTEM_NAMESPACES and not picker


def model_container(pod: Pod) -> Container | None:
    """The container that serves; None if none is known."""
    known = [each for each in pod.containers if not each.init]
    for name in _MODEL_NAMES:
        for each in known:
            if each.name == name:
                return each
    return next((each for each in known if each.name not in SIDECARS), None)


def init_containers(pod: Pod) -> tuple[Container, ...]:
    """Those that run before; native sidecars run beside and are none."""
    return tuple(
        each
        for each in pod.containers
        if each.init and not each.sidecar and each.name not in SIDECARS
    )


def is_ready(pod: Pod) -> bool:
    """Ready by its condition and by every container that is known, and not going away."""
    condition = pod.condition("Ready")
    if condition is None or condition.status != "True" or pod.deleted_at is not None:
        return False
    states = [each for each in pod.containers if each.has_status and not each.init]
    return all(each.ready for each in states)


def ready_at(pod: Pod) -> datetime | None:
    """Since when it is ready; None if it is not."""
    condition = pod.condition("Ready")
    return condition.at if condition is not None and is_ready(pod) else None


def is_over(pod: Pod) -> bool:
    """Ended, or on its way out."""
    return pod.deleted_at is not None or pod.phase in ("Failed", "Succeeded")


def scheduled_at(pod: Pod) -> datetime | None:
    """When a node was found; None if not, or not told."""
    condition = pod.condition("PodScheduled")
    return condition.at if condition is not None and condition.status == "True" else None


def is_unscheduled(pod: Pod) -> bool:
    """Whether it waits for a node."""
    condition = pod.condition("PodScheduled")
    refused = condition is not None and condition.status == "False"
    return refused or (pod.phase == "Pending" and not pod.node and condition is None)


def gpus_of(pod: Pod) -> float:
    """Devices asked for, over its containers; 0 if none or not told."""
    return sum(_gpus(each) for each in pod.containers)


def _gpus(container: Container) -> float:
    amounts = {**container.limits, **container.requests}
    return sum(_amount(text) for key, text in amounts.items() if is_device(key))


def _amount(text: str) -> float:
    return float(text) if text.isdigit() and len(text) < 6 else 0.0


def is_device(resource: str) -> bool:
    """Whether a resource is an accelerator. Source: names of the vendors' device plugins."""
    name = resource.lower()
    return any(sign in name for sign in DEVICE_SIGNS)


DEVICE_SIGNS = (
    "nvidia.com/",
    "nvidia_com",
    "amd.com/",
    "google.com/tpu",
    "habana.ai/",
    "gpu.intel.com/",
    "intel.com/gpu",
    "aws.amazon.com/neuron",
    "huawei.com/",
    "furiosa.ai/",
    "rebellions.ai/",
    "tenstorrent.com/",
)

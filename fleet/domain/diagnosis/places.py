"""Who says something: events, objects, or the logs of a client, a proxy, a server."""

from enum import StrEnum


class Where(StrEnum):
    """Who says it. ENGINE and INIT: the model's containers; EDGE: a client, gateway or balancer."""

    EVENT = "event"
    CONDITION = "condition"
    STATE = "state"
    ENGINE = "engine"
    INIT = "init"
    PROXY = "proxy"
    ACTIVATOR = "activator"
    PICKER = "picker"
    EDGE = "edge"
    CONTROL = "control"


LOGS = frozenset(
    {
        Where.ENGINE,
        Where.INIT,
        Where.PROXY,
        Where.ACTIVATOR,
        Where.PICKER,
        Where.EDGE,
        Where.CONTROL,
    }
)


_EDGE = (
    "client",
    "gateway",
    "ingress",
    "alb",
    "elb",
    "nlb",
    "load-balancer",
    "loadbalancer",
    "envoy",
    "istio-proxy",
    "nginx",
    "router",
    "kourier",
    "haproxy",
    "traefik",
    "cloudfront",
    "litellm",
    "caller",
    "curl",
    "edge",
    "benchmark",
    "locust",
    "sdk",
    "route",
    "graph",
    "transformer",
    "waypoint",
    "routing",
    "sidecar",
)
_PICKER = ("epp", "picker", "ext-proc", "inference-scheduler", "router-scheduler")
_CONTROL = (
    "keda",
    "autoscaler",
    "controller",
    "karpenter",
    "operator",
    "webhook",
    "kueue",
    "kubelet",
    "istiod",
    "coredns",
    "kube-scheduler",
    "manager",
    "adapter",
    "hpa",
    "dmesg",
    "scheduler",
    "argo",
    "flux",
    "helm",
    "kubectl",
    "csi",
    "device-plugin",
    "wva",
    "kernel",
    "node",
)
_INIT = ("initializer", "download", "fetch", "puller", "init-")


def place_of(log: str, *, engines: frozenset[str], inits: frozenset[str]) -> Where:
    """Whose log it is, by its name."""
    name = log.lower()
    if log in engines:
        return Where.ENGINE
    if log in inits or any(sign in name for sign in _INIT):
        return Where.INIT
    if name.startswith("queue-proxy"):
        return Where.PROXY
    if "activator" in name:
        return Where.ACTIVATOR
    for where, signs in ((Where.PICKER, _PICKER), (Where.EDGE, _EDGE), (Where.CONTROL, _CONTROL)):
        if any(sign in name for sign in signs):
            return where
    return Where.ENGINE

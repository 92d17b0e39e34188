"""What each missing right costs the people who look at the pages."""

from fleet.adapters.kubernetes.access import Right
from fleet.adapters.kubernetes.resources import PLACES
from fleet.domain.records.keys import Resource

LOGS = Right(verb="get", group="", resource="pods", subresource="log")
PROXY = Right(verb="get", group="", resource="pods", subresource="proxy")
VERBS = ("list", "watch")

COSTS: dict[Resource, str] = {
    Resource.INFERENCE_SERVICES: "models of kind InferenceService are not seen at all",
    Resource.LLM_INFERENCE_SERVICES: "models of kind LLMInferenceService are not seen at all",
    Resource.SERVING_RUNTIMES: "models whose vLLM shows only in a ServingRuntime are not taken",
    Resource.CLUSTER_SERVING_RUNTIMES: (
        "models whose vLLM shows only in a ClusterServingRuntime are not taken"
    ),
    Resource.REVISIONS: "revisions, traffic and floors of Knative models",
    Resource.POD_AUTOSCALERS: "scale events of Knative models, and why they happened",
    Resource.DEPLOYMENTS: "wished replicas, and the moment a start was decided",
    Resource.REPLICA_SETS: "revisions of Standard and LLMInferenceService models",
    Resource.LEADER_WORKER_SETS: "models that span several nodes",
    Resource.HORIZONTAL_POD_AUTOSCALERS: "floor and ceiling of Standard models",
    Resource.PODS: "replicas and cold starts",
    Resource.EVENTS: "image pull, scheduling and probe failures within a start",
    Resource.NODES: "node provisioning, free GPUs, lost nodes",
    Resource.NAMESPACES: "teams and environments named by labels of the namespace",
}
OPTIONAL: dict[Right, str] = {
    LOGS: "engine phases",
    PROXY: "metrics of pods where there is no Prometheus",
}


def rights_to_read(resource: Resource, *, namespace: str = "") -> tuple[Right, ...]:
    """List and watch; a resource without namespaces is asked for in all of them."""
    place = PLACES[resource]
    within = namespace if place.namespaced else ""
    return tuple(
        Right(verb=verb, group=place.group, resource=place.plural, namespace=within)
        for verb in VERBS
    )

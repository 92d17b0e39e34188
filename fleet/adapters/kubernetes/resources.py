"""Where each resource is served, and how its lists and watches are narrowed."""

from dataclasses import dataclass

from fleet.domain.records.keys import ModelKind, Resource

# Labels and selectors of what KServe makes. Source: kserve/kserve pkg/constants/constants.go.
OF_INFERENCE_SERVICE = "serving.kserve.io/inferenceservice"
OF_LLM_INFERENCE_SERVICE = "app.kubernetes.io/part-of=llminferenceservice"

# Events are the busiest kind of a cluster; these objects never belong to a start.
EVENTS_THAT_MATTER = ",".join(
    f"involvedObject.kind!={kind}" for kind in ("Job", "CronJob", "PersistentVolume", "Lease")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a resource is served. versions: those that we read, the best first. group: "" = core.

    labels: label selector by kind of model; "" holds for a stream of all kinds.
    fields: field selector of every stream.
    """

    group: str
    versions: tuple[str, ...]
    plural: str
    namespaced: bool = True
    labels: tuple[tuple[str, str], ...] = ()
    fields: str = ""

    def selector(self, model_kind: str) -> str:
        """The label selector of a stream of this kind of model; "" selects everything."""
        return dict(self.labels).get(model_kind, "")


KNATIVE_ONLY = (("", OF_INFERENCE_SERVICE),)
LLM_ONLY = (("", OF_LLM_INFERENCE_SERVICE),)
BOTH_KINDS = (
    (ModelKind.INFERENCE_SERVICE.value, OF_INFERENCE_SERVICE),
    (ModelKind.LLM_INFERENCE_SERVICE.value, OF_LLM_INFERENCE_SERVICE),
)
KSERVE = "serving.kserve.io"

PLACES: dict[Resource, Place] = {
    Resource.INFERENCE_SERVICES: Place(
        group=KSERVE, versions=("v1beta1",), plural="inferenceservices"
    ),
    Resource.LLM_INFERENCE_SERVICES: Place(
        group=KSERVE, versions=("v1alpha2", "v1alpha1"), plural="llminferenceservices"
    ),
    Resource.SERVING_RUNTIMES: Place(
        group=KSERVE, versions=("v1alpha1",), plural="servingruntimes"
    ),
    Resource.CLUSTER_SERVING_RUNTIMES: Place(
        group=KSERVE, versions=("v1alpha1",), plural="clusterservingruntimes", namespaced=False
    ),
    Resource.REVISIONS: Place(
        group="serving.knative.dev", versions=("v1",), plural="revisions", labels=KNATIVE_ONLY
    ),
    Resource.POD_AUTOSCALERS: Place(
        group="autoscaling.internal.knative.dev",
        versions=("v1alpha1",),
        plural="podautoscalers",
        labels=KNATIVE_ONLY,
    ),
    Resource.DEPLOYMENTS: Place(
        group="apps", versions=("v1",), plural="deployments", labels=BOTH_KINDS
    ),
    Resource.REPLICA_SETS: Place(
        group="apps", versions=("v1",), plural="replicasets", labels=BOTH_KINDS
    ),
    Resource.LEADER_WORKER_SETS: Place(
        group="leaderworkerset.x-k8s.io",
        versions=("v1",),
        plural="leaderworkersets",
        labels=LLM_ONLY,
    ),
    Resource.HORIZONTAL_POD_AUTOSCALERS: Place(
        group="autoscaling", versions=("v2",), plural="horizontalpodautoscalers"
    ),
    Resource.PODS: Place(group="", versions=("v1",), plural="pods", labels=BOTH_KINDS),
    Resource.EVENTS: Place(group="", versions=("v1",), plural="events", fields=EVENTS_THAT_MATTER),
    Resource.NODES: Place(group="", versions=("v1",), plural="nodes", namespaced=False),
    Resource.NAMESPACES: Place(group="", versions=("v1",), plural="namespaces", namespaced=False),
}


def path_of(place: Place, *, version: str, namespace: str = "", name: str = "") -> str:
    """The URL path of a collection, or of one object when `name` is given."""
    base = f"/apis/{place.group}/{version}" if place.group else f"/api/{version}"
    within = f"/namespaces/{namespace}" if namespace and place.namespaced else ""
    return f"{base}{within}/{place.plural}" + (f"/{name}" if name else "")

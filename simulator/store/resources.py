"""The kinds that simulated clusters serve.

Names, short names, scopes and subresources are those of discovery on Kubernetes 1.36 with
Knative Serving and KServe 0.20; printer columns those of their CustomResourceDefinitions.
"""

from __future__ import annotations

from dataclasses import dataclass

VERBS_CUSTOM = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
VERBS_BUILT_IN = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Column:
    """A printer column. path: the JSONPath below the object, as in a CustomResourceDefinition."""

    name: str
    path: str
    type: str = "string"
    priority: int = 0


READY = Column("Ready", ".status.conditions[?(@.type=='Ready')].status")
REASON = Column("Reason", ".status.conditions[?(@.type=='Ready')].reason")
AGE = Column("Age", ".metadata.creationTimestamp", "date")


@dataclass(frozen=True, slots=True)
class Resource:
    """One served resource.

    subresources: of "status" and "scale". custom: served from a CustomResourceDefinition.
    also_served: further versions under which the same objects are given, only apiVersion changed.
    columns: printer columns of a custom resource; built-in ones are printed by their kind.
    counts_generations: whether metadata.generation is kept.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    custom: bool = False
    categories: tuple[str, ...] = ()
    also_served: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    counts_generations: bool = True

    @property
    def singular(self) -> str:
        return self.kind.lower()

    @property
    def list_kind(self) -> str:
        return f"{self.kind}List"

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_resource(self) -> str:
        """As messages and permissions name it: "revisions.serving.knative.dev", "pods"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def group_kind(self) -> str:
        """As messages of checks name it: "Revision.serving.knative.dev", "Pod"."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def verbs(self) -> tuple[str, ...]:
        if self.custom:
            return VERBS_CUSTOM
        # Namespaces go one by one.
        one_by_one = not self.group and self.plural == "namespaces"
        return tuple(v for v in VERBS_BUILT_IN if v != "deletecollection" or not one_by_one)


def _core(plural: str, kind: str, *, short: str = "", status: bool = False) -> Resource:
    return Resource(
        "",
        "v1",
        plural,
        kind,
        short_names=(short,) if short else (),
        subresources=("status",) if status else (),
        counts_generations=False,
    )


PODS = Resource(
    "", "v1", "pods", "Pod", short_names=("po",), subresources=("status",), categories=("all",)
)
NODES = Resource(
    "",
    "v1",
    "nodes",
    "Node",
    namespaced=False,
    short_names=("no",),
    subresources=("status",),
    counts_generations=False,
)
NAMESPACES = Resource(
    "",
    "v1",
    "namespaces",
    "Namespace",
    namespaced=False,
    short_names=("ns",),
    subresources=("status",),
    counts_generations=False,
)
SERVICES = Resource(
    "",
    "v1",
    "services",
    "Service",
    short_names=("svc",),
    subresources=("status",),
    categories=("all",),
    counts_generations=False,
)
EVENTS = _core("events", "Event", short="ev")
CONFIGMAPS = _core("configmaps", "ConfigMap", short="cm")
SECRETS = _core("secrets", "Secret")
SERVICEACCOUNTS = _core("serviceaccounts", "ServiceAccount", short="sa")
PERSISTENTVOLUMECLAIMS = _core(
    "persistentvolumeclaims", "PersistentVolumeClaim", short="pvc", status=True
)
RESOURCEQUOTAS = _core("resourcequotas", "ResourceQuota", short="quota", status=True)
LIMITRANGES = _core("limitranges", "LimitRange", short="limits")


def _apps(plural: str, kind: str, short: str, *, scale: bool = True) -> Resource:
    return Resource(
        "apps",
        "v1",
        plural,
        kind,
        short_names=(short,),
        subresources=("scale", "status") if scale else ("status",),
        categories=("all",),
    )


DEPLOYMENTS = _apps("deployments", "Deployment", "deploy")
REPLICASETS = _apps("replicasets", "ReplicaSet", "rs")
STATEFULSETS = _apps("statefulsets", "StatefulSet", "sts")
DAEMONSETS = _apps("daemonsets", "DaemonSet", "ds", scale=False)
HPAS = Resource(
    "autoscaling",
    "v2",
    "horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    short_names=("hpa",),
    subresources=("status",),
    categories=("all",),
    counts_generations=False,
)
ENDPOINTSLICES = Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice")
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease", counts_generations=False)
CRDS = Resource(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    namespaced=False,
    short_names=("crd", "crds"),
    subresources=("status",),
    categories=("api-extensions",),
)

SERVING = "serving.knative.dev"
AUTOSCALING = "autoscaling.internal.knative.dev"
NETWORKING = "networking.internal.knative.dev"
KSERVE = "serving.kserve.io"


def _knative(
    group: str, plural: str, kind: str, *, short: tuple[str, ...] = (), columns: tuple[Column, ...]
) -> Resource:
    internal = {AUTOSCALING: "autoscaling", NETWORKING: "networking"}.get(group)
    return Resource(
        group,
        "v1alpha1" if internal else "v1",
        plural,
        kind,
        short_names=short,
        subresources=("status",),
        custom=True,
        categories=("knative-internal", internal) if internal else ("all", "knative", "serving"),
        columns=columns,
    )


_URL = Column("URL", ".status.url")
_LATEST_CREATED = Column("LatestCreated", ".status.latestCreatedRevisionName")
_LATEST_READY = Column("LatestReady", ".status.latestReadyRevisionName")

KNATIVE_SERVICES = _knative(
    SERVING,
    "services",
    "Service",
    short=("kservice", "ksvc"),
    columns=(_URL, _LATEST_CREATED, _LATEST_READY, READY, REASON),
)
CONFIGURATIONS = _knative(
    SERVING,
    "configurations",
    "Configuration",
    short=("config", "cfg"),
    columns=(_LATEST_CREATED, _LATEST_READY, READY, REASON),
)
ROUTES = _knative(SERVING, "routes", "Route", short=("rt",), columns=(_URL, READY, REASON))
REVISIONS = _knative(
    SERVING,
    "revisions",
    "Revision",
    short=("rev",),
    columns=(
        Column("Config Name", ".metadata.labels['serving.knative.dev/configuration']"),
        Column("Generation", ".metadata.labels['serving.knative.dev/configurationGeneration']"),
        READY,
        REASON,
        Column("Actual Replicas", ".status.actualReplicas", "integer"),
        Column("Desired Replicas", ".status.desiredReplicas", "integer"),
    ),
)
PODAUTOSCALERS = _knative(
    AUTOSCALING,
    "podautoscalers",
    "PodAutoscaler",
    short=("kpa", "pa"),
    columns=(
        Column("DesiredScale", ".status.desiredScale", "integer"),
        Column("ActualScale", ".status.actualScale", "integer"),
        READY,
        REASON,
    ),
)
METRICS = _knative(AUTOSCALING, "metrics", "Metric", columns=(READY, REASON))
SERVERLESSSERVICES = _knative(
    NETWORKING,
    "serverlessservices",
    "ServerlessService",
    short=("sks",),
    columns=(
        Column("Mode", ".spec.mode"),
        Column("Activators", ".spec.numActivators", "integer"),
        Column("ServiceName", ".status.serviceName"),
        Column("PrivateServiceName", ".status.privateServiceName"),
        READY,
        REASON,
    ),
)
INGRESSES = _knative(
    NETWORKING, "ingresses", "Ingress", short=("kingress", "king"), columns=(READY, REASON)
)

_TRAFFIC = ".status.components.predictor.traffic"
INFERENCESERVICES = Resource(
    KSERVE,
    "v1beta1",
    "inferenceservices",
    "InferenceService",
    short_names=("isvc",),
    subresources=("status",),
    custom=True,
    columns=(
        _URL,
        READY,
        Column("Prev", f"{_TRAFFIC}[?(@.tag=='prev')].percent", "integer"),
        Column("Latest", f"{_TRAFFIC}[?(@.latestRevision==true)].percent", "integer"),
        Column("PrevRolledoutRevision", f"{_TRAFFIC}[?(@.tag=='prev')].revisionName"),
        Column("LatestReadyRevision", f"{_TRAFFIC}[?(@.latestRevision==true)].revisionName"),
        AGE,
    ),
)
LLMINFERENCESERVICES = Resource(
    KSERVE,
    "v1alpha2",
    "llminferenceservices",
    "LLMInferenceService",
    short_names=("llmisvc",),
    subresources=("status",),
    custom=True,
    also_served=("v1alpha1",),
    columns=(_URL, READY, REASON, AGE),
)
_RUNTIME_COLUMNS = (
    Column("Disabled", ".spec.disabled", "boolean"),
    Column("ModelType", ".spec.supportedModelFormats[*].name"),
    Column("Containers", ".spec.containers[*].name"),
    AGE,
)
SERVINGRUNTIMES = Resource(
    KSERVE, "v1alpha1", "servingruntimes", "ServingRuntime", custom=True, columns=_RUNTIME_COLUMNS
)
CLUSTERSERVINGRUNTIMES = Resource(
    KSERVE,
    "v1alpha1",
    "clusterservingruntimes",
    "ClusterServingRuntime",
    namespaced=False,
    custom=True,
    columns=_RUNTIME_COLUMNS,
)
LEADERWORKERSETS = Resource(
    "leaderworkerset.x-k8s.io",
    "v1",
    "leaderworkersets",
    "LeaderWorkerSet",
    short_names=("lws",),
    subresources=("status",),
    custom=True,
    columns=(
        Column("Ready", ".status.readyReplicas", "integer"),
        Column("Desired", ".spec.replicas", "integer"),
        Column("Up-to-date", ".status.updatedReplicas", "integer"),
        AGE,
    ),
)

BUILT_INS: tuple[Resource, ...] = (
    CONFIGMAPS,
    EVENTS,
    LIMITRANGES,
    NAMESPACES,
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PODS,
    RESOURCEQUOTAS,
    SECRETS,
    SERVICEACCOUNTS,
    SERVICES,
    DAEMONSETS,
    DEPLOYMENTS,
    REPLICASETS,
    STATEFULSETS,
    HPAS,
    ENDPOINTSLICES,
    LEASES,
    CRDS,
)
KNATIVE: tuple[Resource, ...] = (
    METRICS,
    PODAUTOSCALERS,
    INGRESSES,
    SERVERLESSSERVICES,
    CONFIGURATIONS,
    REVISIONS,
    ROUTES,
    KNATIVE_SERVICES,
)
KSERVE_KINDS: tuple[Resource, ...] = (
    INFERENCESERVICES,
    LLMINFERENCESERVICES,
    CLUSTERSERVINGRUNTIMES,
    SERVINGRUNTIMES,
)
# What a cluster with Knative and KServe serves; one without Knative leaves KNATIVE out.
ALL: tuple[Resource, ...] = (*BUILT_INS, *KNATIVE, *KSERVE_KINDS)

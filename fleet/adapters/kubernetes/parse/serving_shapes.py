"""The parts of KServe's, Knative's and the workloads' JSON that we read, typed."""

# ruff: noqa: N815 - the API's own names

import msgspec
from msgspec import Struct

from fleet.adapters.kubernetes.parse.shapes import (
    ObjectMeta,
    PodSpec,
    RawCondition,
    RawContainer,
    Template,
)


class Format(Struct):
    """modelFormat."""

    name: str = ""


class PredictorModel(RawContainer):
    """spec.predictor.model: a container with a model's own fields."""

    modelFormat: Format | None = None
    runtime: str | None = None
    storageUri: str | None = None


class WorkerSpec(Struct):
    """spec.predictor.workerSpec: the other nodes of one replica."""

    containers: list[RawContainer] | None = None


class Predictor(Struct):
    """spec.predictor."""

    minReplicas: int | None = None
    maxReplicas: int | None = None
    containerConcurrency: int | None = None
    timeout: float | None = None
    model: PredictorModel | None = None
    containers: list[RawContainer] | None = None
    workerSpec: WorkerSpec | None = None


class ModelSpec(Struct):
    """spec of an InferenceService."""

    predictor: Predictor = msgspec.field(default_factory=Predictor)


class Traffic(Struct):
    """One entry of status…traffic."""

    revisionName: str | None = None
    percent: int | None = None
    tag: str | None = None
    latestRevision: bool | None = None


class Component(Struct):
    """status.components.predictor."""

    latestReadyRevision: str | None = None
    latestCreatedRevision: str | None = None
    traffic: list[Traffic] | None = None


class ModelStatusPart(Struct):
    """status of an InferenceService or LLMInferenceService."""

    url: str | None = None
    deploymentMode: str | None = None
    servingRuntimeName: str | None = None
    clusterServingRuntimeName: str | None = None
    components: dict[str, Component] | None = None
    conditions: list[RawCondition] | None = None


class RawModel(Struct):
    """serving.kserve.io InferenceService."""

    metadata: ObjectMeta
    apiVersion: str = ""
    spec: ModelSpec = msgspec.field(default_factory=ModelSpec)
    status: ModelStatusPart = msgspec.field(default_factory=ModelStatusPart)


class LlmModel(Struct):
    """spec.model of an LLMInferenceService."""

    name: str | None = None
    uri: str | None = None


class Scaling(Struct):
    """spec.scaling."""

    minReplicas: int | None = None
    maxReplicas: int | None = None


class Prefill(Struct):
    """spec.prefill."""

    replicas: int | None = None
    scaling: Scaling | None = None


class LlmSpec(Struct):
    """spec of an LLMInferenceService."""

    model: LlmModel = msgspec.field(default_factory=LlmModel)
    replicas: int | None = None
    scaling: Scaling | None = None
    prefill: Prefill | None = None
    template: PodSpec | None = None


class RawLlm(Struct):
    """serving.kserve.io LLMInferenceService."""

    metadata: ObjectMeta
    apiVersion: str = ""
    spec: LlmSpec = msgspec.field(default_factory=LlmSpec)
    status: ModelStatusPart = msgspec.field(default_factory=ModelStatusPart)


class RuntimeSpec(Struct):
    """spec of a runtime."""

    containers: list[RawContainer] | None = None


class RawRuntime(Struct):
    """ServingRuntime or ClusterServingRuntime."""

    metadata: ObjectMeta
    kind: str = ""
    spec: RuntimeSpec = msgspec.field(default_factory=RuntimeSpec)


class RevisionSpec(Struct):
    """spec of a Knative Revision."""

    containerConcurrency: int | None = None
    timeoutSeconds: float | None = None
    containers: list[RawContainer] | None = None


class RevisionStatus(Struct):
    """status of a Knative Revision."""

    desiredReplicas: int | None = None
    actualReplicas: int | None = None
    conditions: list[RawCondition] | None = None


class RawRevision(Struct):
    """serving.knative.dev Revision."""

    metadata: ObjectMeta
    spec: RevisionSpec = msgspec.field(default_factory=RevisionSpec)
    status: RevisionStatus = msgspec.field(default_factory=RevisionStatus)


class AutoscalerSpec(Struct):
    """spec of a PodAutoscaler."""

    reachability: str = ""


class AutoscalerStatus(Struct):
    """status of a PodAutoscaler."""

    desiredScale: int | None = None
    actualScale: int | None = None
    conditions: list[RawCondition] | None = None


class RawAutoscaler(Struct):
    """autoscaling.internal.knative.dev PodAutoscaler."""

    metadata: ObjectMeta
    spec: AutoscalerSpec = msgspec.field(default_factory=AutoscalerSpec)
    status: AutoscalerStatus = msgspec.field(default_factory=AutoscalerStatus)


class Target(Struct):
    """scaleTargetRef."""

    kind: str = ""
    name: str = ""


class HpaSpec(Struct):
    """spec of an HPA."""

    scaleTargetRef: Target = msgspec.field(default_factory=Target)
    minReplicas: int | None = None
    maxReplicas: int | None = None


class HpaStatus(Struct):
    """status of an HPA."""

    desiredReplicas: int | None = None
    currentReplicas: int | None = None


class RawHpa(Struct):
    """autoscaling/v2 HorizontalPodAutoscaler."""

    metadata: ObjectMeta
    spec: HpaSpec = msgspec.field(default_factory=HpaSpec)
    status: HpaStatus = msgspec.field(default_factory=HpaStatus)


class GroupTemplate(Struct):
    """spec.leaderWorkerTemplate of a LeaderWorkerSet."""

    leaderTemplate: Template | None = None
    workerTemplate: Template | None = None


class WorkloadSpec(Struct):
    """spec of a Deployment, ReplicaSet or LeaderWorkerSet."""

    replicas: int | None = None
    template: Template | None = None
    leaderWorkerTemplate: GroupTemplate | None = None
    progressDeadlineSeconds: float | None = None


class WorkloadStatus(Struct):
    """status of a Deployment, ReplicaSet or LeaderWorkerSet."""

    readyReplicas: int | None = None
    updatedReplicas: int | None = None
    observedGeneration: int | None = None
    conditions: list[RawCondition] | None = None


class RawWorkload(Struct):
    """apps/v1 Deployment or ReplicaSet, or a LeaderWorkerSet."""

    metadata: ObjectMeta
    spec: WorkloadSpec = msgspec.field(default_factory=WorkloadSpec)
    status: WorkloadStatus = msgspec.field(default_factory=WorkloadStatus)

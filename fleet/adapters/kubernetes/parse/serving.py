"""Models, runtimes, Knative revisions and autoscalers, HPAs."""

from typing import Any

from fleet.adapters.kubernetes.parse.arguments import address_of
from fleet.adapters.kubernetes.parse.common import (
    AUTOSCALING,
    CONTAINERS_AT_MOST,
    KNATIVE,
    KSERVE,
    MODEL_LABEL,
    annotated,
    bounded,
    component_of,
    conditions_of,
    container_of,
    containers_of,
    duration_s,
    fingerprint,
    meta_of,
    pairs,
    shared,
)
from fleet.adapters.kubernetes.parse.serving_shapes import (
    ModelStatusPart,
    Predictor,
    RawAutoscaler,
    RawHpa,
    RawLlm,
    RawModel,
    RawRevision,
    RawRuntime,
    Traffic,
)
from fleet.adapters.kubernetes.parse.shapes import ObjectMeta, Texts
from fleet.domain.records.keys import Mode, ModelKind
from fleet.domain.records.serving import (
    AutoscalerRecord,
    Container,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RevisionRecord,
    RuntimeRecord,
    TrafficTarget,
)

TRAFFIC_AT_MOST = 32
# `Serverless` and `RawDeployment` were written up to KServe 0.15.
# Source: kserve pkg/constants/constants.go.
_MODES = {
    "Knative": Mode.KNATIVE,
    "Serverless": Mode.KNATIVE,
    "Standard": Mode.STANDARD,
    "RawDeployment": Mode.STANDARD,
}
_MODEL_ANNOTATIONS = (KSERVE, AUTOSCALING, KNATIVE + "progress-deadline", "argocd.argoproj.io/")


def model_record(raw: RawModel) -> ModelRecord:
    """An InferenceService. The mode is the status's, else the annotation's, else the shipped
    default (Knative), then not stated: an absent annotation says nothing."""
    notes = raw.metadata.annotations or {}
    stated = mode_of(raw.status.deploymentMode) or mode_of(notes.get(KSERVE + "deploymentMode"))
    predictor, status = raw.spec.predictor, raw.status
    model = predictor.model
    part = (status.components or {}).get("predictor")
    return ModelRecord(
        **_shared_parts(raw.metadata, status),
        kind=ModelKind.INFERENCE_SERVICE,
        mode=stated or Mode.KNATIVE,
        mode_stated=stated is not None,
        api_version=shared(raw.apiVersion),
        min_replicas=predictor.minReplicas,
        max_replicas=predictor.maxReplicas,
        runtime=_runtime(status) or shared(model.runtime if model else ""),
        model_format=shared(model.modelFormat.name if model and model.modelFormat else ""),
        storage_uri=address_of(model.storageUri if model else ""),
        containers=_predictor_containers(predictor),
        container_concurrency=predictor.containerConcurrency or 0,
        timeout_s=predictor.timeout,
        latest_ready_revision=shared(part.latestReadyRevision if part else ""),
        latest_created_revision=shared(part.latestCreatedRevision if part else ""),
        traffic=_traffic(part.traffic if part else None),
    )


def _shared_parts(meta: ObjectMeta, status: ModelStatusPart) -> dict[str, Any]:
    """What both kinds of model have in the same place."""
    notes = meta.annotations or {}
    return {
        "meta": meta_of(meta),
        "stopped": notes.get(KSERVE + "stop", "").lower() == "true",
        "autoscaler_class": shared(notes.get(KSERVE + "autoscalerClass")),
        "auto_update_disabled": notes.get(KSERVE + "disable-auto-update", "").lower() == "true",
        "url": bounded(status.url),
        "conditions": conditions_of(status.conditions),
        "labels": pairs(meta.labels),
        "annotations": pairs(meta.annotations, prefixes=_MODEL_ANNOTATIONS),
        "gitops": gitops_of(meta),
        "fingerprint": fingerprint(meta.labels, meta.annotations),
    }


def mode_of(text: str | None) -> Mode | None:
    """One of the four spellings, or None."""
    return _MODES.get(text or "")


def _runtime(status: ModelStatusPart) -> str:
    return shared(status.servingRuntimeName or status.clusterServingRuntimeName)


def _predictor_containers(predictor: Predictor) -> tuple[Container, ...]:
    """The model's own container goes by the name it has in pods; workers of other nodes follow."""
    first = [container_of(predictor.model, name="kserve-container")] if predictor.model else []
    worker = predictor.workerSpec.containers if predictor.workerSpec else None
    rest = (*containers_of(predictor.containers), *containers_of(worker))
    return (*first, *rest)[:CONTAINERS_AT_MOST]


def _traffic(raw: list[Traffic] | None) -> tuple[TrafficTarget, ...]:
    return tuple(
        TrafficTarget(
            revision=shared(item.revisionName),
            percent=item.percent,
            tag=shared(item.tag),
            latest=bool(item.latestRevision),
        )
        for item in (raw or ())[:TRAFFIC_AT_MOST]
    )


def llm_record(raw: RawLlm) -> ModelRecord:
    """An LLMInferenceService. The served name is spec.model.name, by default the object's own."""
    spec = raw.spec
    return ModelRecord(
        **_shared_parts(raw.metadata, raw.status),
        kind=ModelKind.LLM_INFERENCE_SERVICE,
        mode=Mode.LLM,
        api_version=shared(raw.apiVersion),
        min_replicas=spec.scaling.minReplicas if spec.scaling else None,
        max_replicas=spec.scaling.maxReplicas if spec.scaling else None,
        replicas=spec.replicas,
        scaling=spec.scaling is not None,
        prefill_replicas=spec.prefill.replicas if spec.prefill else None,
        model_name=bounded(spec.model.name, 256),
        storage_uri=address_of(spec.model.uri),
        containers=containers_of(spec.template.containers if spec.template else None),
    )


def gitops_of(meta: ObjectMeta) -> str:
    """argocd, flux or helm where a mark says that a tool owns the object, else ""."""
    marks = [*(meta.labels or ()), *(meta.annotations or ())]
    managers = [entry.manager for entry in meta.managedFields or ()]
    if any(mark.startswith("argocd.argoproj.io/") for mark in marks) or _any(managers, "argocd"):
        return "argocd"
    fluxed = ("kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/")
    if any(mark.startswith(fluxed) for mark in marks) or _any(managers, "kustomize-controller"):
        return "flux"
    helm = (meta.labels or {}).get("app.kubernetes.io/managed-by") == "Helm"
    return "helm" if helm or _any(managers, "helm") else ""


def _any(managers: list[str], start: str) -> bool:
    return any(manager.startswith(start) for manager in managers)


def runtime_record(raw: RawRuntime, *, kind: str) -> RuntimeRecord:
    """A runtime; server_type is what says that it runs vLLM."""
    notes = raw.metadata.annotations or {}
    return RuntimeRecord(
        meta=meta_of(raw.metadata),
        kind=kind,
        server_type=shared(notes.get(KSERVE + "server-type")),
        containers=containers_of(raw.spec.containers),
    )


def revision_record(raw: RawRevision) -> RevisionRecord:
    """A Knative Revision."""
    labels, notes = raw.metadata.labels or {}, raw.metadata.annotations
    return RevisionRecord(
        meta=meta_of(raw.metadata),
        model=shared(labels.get(MODEL_LABEL)),
        configuration=shared(labels.get(KNATIVE + "configuration")),
        routing_state=shared(labels.get(KNATIVE + "routingState")),
        min_scale=annotated(notes, "min-scale", "minScale"),
        max_scale=annotated(notes, "max-scale", "maxScale"),
        initial_scale=annotated(notes, "initial-scale", "initialScale"),
        activation_scale=annotated(notes, "activation-scale"),
        progress_deadline_s=_deadline_s(notes),
        timeout_s=raw.spec.timeoutSeconds,
        container_concurrency=raw.spec.containerConcurrency or 0,
        containers=containers_of(raw.spec.containers),
        desired_replicas=_known(raw.status.desiredReplicas),
        actual_replicas=raw.status.actualReplicas,
        conditions=conditions_of(raw.status.conditions),
        component=component_of(labels, ModelKind.INFERENCE_SERVICE),
    )


def _deadline_s(notes: Texts) -> float | None:
    return duration_s((notes or {}).get(KNATIVE + "progress-deadline"))


def _known(scale: int | None) -> int | None:
    """-1 is what an autoscaler writes before its first decision.
    Source: knative/serving pkg/reconciler/autoscaling/kpa/scaler.go."""
    return None if scale is None or scale < 0 else scale


def autoscaler_record(raw: RawAutoscaler) -> AutoscalerRecord:
    """A Knative PodAutoscaler; it has the name of its revision, its owner."""
    labels, notes = raw.metadata.labels or {}, raw.metadata.annotations
    return AutoscalerRecord(
        meta=meta_of(raw.metadata),
        revision=shared(labels.get(KNATIVE + "revision") or raw.metadata.name),
        model=shared(labels.get(MODEL_LABEL)),
        scaler_class=shared((notes or {}).get(AUTOSCALING + "class")),
        min_scale=annotated(notes, "min-scale", "minScale"),
        max_scale=annotated(notes, "max-scale", "maxScale"),
        reachability=shared(raw.spec.reachability),
        desired_scale=_known(raw.status.desiredScale),
        actual_scale=raw.status.actualScale,
        conditions=conditions_of(raw.status.conditions),
        component=component_of(labels, ModelKind.INFERENCE_SERVICE),
    )


def hpa_record(raw: RawHpa) -> HorizontalAutoscalerRecord:
    """A HorizontalPodAutoscaler."""
    return HorizontalAutoscalerRecord(
        meta=meta_of(raw.metadata),
        target_kind=shared(raw.spec.scaleTargetRef.kind),
        target_name=shared(raw.spec.scaleTargetRef.name),
        min_replicas=raw.spec.minReplicas,
        max_replicas=raw.spec.maxReplicas,
        desired_replicas=raw.status.desiredReplicas,
        current_replicas=raw.status.currentReplicas,
    )

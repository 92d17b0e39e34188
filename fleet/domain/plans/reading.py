"""From raw objects, as the API server returned them, to the facts a plan needs."""

import re
from collections.abc import Mapping
from typing import Any

from fleet.domain.plans import objects
from fleet.domain.plans.capacity import Placement
from fleet.domain.plans.facts import Autoscaler, ModelNow, Part, TrafficRevision
from fleet.domain.plans.fields import Raw, managers, value_at, whole
from fleet.domain.plans.plan import MAX_SCALE, MIN_SCALE
from fleet.domain.records.keys import Mode, ModelKey, ModelKind

PREFIX = "autoscaling.knative.dev/"
STOP = "serving.kserve.io/stop"
AUTOSCALER_CLASS = "serving.kserve.io/autoscalerClass"
DISABLE_AUTO_UPDATE = "serving.kserve.io/disable-auto-update"
# Knative looks the kebab key up first. Source: knative/serving pkg/apis/autoscaling/register.go.
OLD_NAMES = {MIN_SCALE: f"{PREFIX}minScale", MAX_SCALE: f"{PREFIX}maxScale"}
GITOPS_MANAGERS = re.compile(r"argocd|kustomize-controller|helm-controller|flux|fleetagent", re.I)
GITOPS_LABELS = ("argocd.argoproj.io/instance", "kustomize.toolkit.fluxcd.io/name")
GITOPS_LABELS_HELM = "helm.toolkit.fluxcd.io/name"
GITOPS_ANNOTATION = "argocd.argoproj.io/tracking-id"
GPU = re.compile(r"^[a-z0-9.-]+/(?:gpu|mig-[a-z0-9.-]+)$")


def model_object(key: ModelKey, *, api_version: str) -> str:
    """The model's own object. api_version: as followed, "" = unknown."""
    if key.kind == ModelKind.LLM_INFERENCE_SERVICE:
        version = api_version or "serving.kserve.io/v1alpha2"
        return objects.llm_inference_service(key.namespace, key.name, api_version=version)
    return objects.inference_service(key.namespace, key.name)


def read_model(raw: Raw, *, object_: str, mode: Mode) -> ModelNow:
    """An InferenceService or LLMInferenceService."""
    annotations = _annotations(raw)
    llm = mode is Mode.LLM
    template = _pod_template(raw, llm=llm)
    return ModelNow(
        object=object_,
        uid=str(value_at(raw, "metadata.uid") or ""),
        mode=mode,
        deleting=value_at(raw, "metadata.deletionTimestamp") is not None,
        stopped=str(annotations.get(STOP, "")).lower() == "true",
        auto_update_disabled=annotations.get(DISABLE_AUTO_UPDATE) == "true",
        autoscaler_class=str(annotations.get(AUTOSCALER_CLASS, "")),
        gitops=gitops_owner(raw),
        main=_llm_part(raw, "spec") if llm else _predictor_part(raw),
        prefill=_llm_part(raw, "spec.prefill") if value_at(raw, "spec.prefill") else None,
        floor_least=1 if llm and value_at(raw, "spec.scaling") is not None else 0,
        initial_scale=whole(annotations.get(f"{PREFIX}initial-scale")) or 1,
        gpus=gpus_of(template),
        placement=placement_of(template),
        traffic=_traffic(raw),
    )


def read_revision(raw: Raw, *, object_: str, percent: int) -> TrafficRevision:
    """A Revision in traffic, its PodAutoscaler and Deployment not yet looked at."""
    annotations = _annotations(raw)
    return TrafficRevision(
        object=object_,
        uid=str(value_at(raw, "metadata.uid") or ""),
        name=str(value_at(raw, "metadata.name") or ""),
        percent=percent,
        min_scale=annotations.get(MIN_SCALE),
        max_scale=annotations.get(MAX_SCALE),
        floor=_scale(annotations, MIN_SCALE),
        ceiling=_scale(annotations, MAX_SCALE),
        activation_scale=whole(annotations.get(f"{PREFIX}activation-scale")),
    )


def read_autoscaler(raw: Raw, *, object_: str) -> Autoscaler:
    """A PodAutoscaler; desiredScale -1 is "not decided yet"."""
    annotations = _annotations(raw)
    desired = whole(value_at(raw, "status.desiredScale"))
    return Autoscaler(
        object=object_,
        uid=str(value_at(raw, "metadata.uid") or ""),
        min_scale=annotations.get(MIN_SCALE),
        max_scale=annotations.get(MAX_SCALE),
        reachability=str(value_at(raw, "spec.reachability") or ""),
        deployment=str(value_at(raw, "spec.scaleTargetRef.name") or ""),
        desired=None if desired is None or desired < 0 else desired,
        actual=whole(value_at(raw, "status.actualScale")),
    )


def template_repeats(deployment: Raw, revision: Raw) -> bool | None:
    """Whether the pod template repeats the Revision's autoscaling annotations; None where the
    Revision has none to repeat."""
    wanted = [key for key in _annotations(revision) if key.startswith(PREFIX)]
    template = value_at(deployment, "spec.template.metadata.annotations")
    if not wanted or not isinstance(value_at(deployment, "spec.template"), Mapping):
        return None
    return any(key in (template or {}) for key in wanted)


def gitops_owner(raw: Raw) -> str:
    """Who else writes this object by Git: a field manager or a mark; "" = nobody seen."""
    found = next((name for name in managers(raw) if GITOPS_MANAGERS.search(name)), "")
    if found:
        return found[:120]
    labels = value_at(raw, "metadata.labels") or {}
    marks = [key for key in (*GITOPS_LABELS, GITOPS_LABELS_HELM) if key in labels]
    if GITOPS_ANNOTATION in _annotations(raw):
        marks.append(GITOPS_ANNOTATION)
    return marks[0] if marks else ""


def gpus_of(template: Mapping[str, Any]) -> dict[str, int]:
    """GPUs of one pod by resource name, from limits (Kubernetes makes requests equal to them)."""
    total: dict[str, int] = {}
    for container in _containers(template):
        for resource, count in (value_at(container, "resources.limits") or {}).items():
            if GPU.match(str(resource)):
                total[resource] = total.get(resource, 0) + (whole(count) or 0)
    return {resource: count for resource, count in total.items() if count > 0}


def placement_of(template: Mapping[str, Any]) -> Placement:
    """Where a pod template lets its pods go."""
    selector = template.get("nodeSelector")
    tolerations = template.get("tolerations")
    return Placement(
        selector=dict(selector) if isinstance(selector, Mapping) else {},
        tolerations=tuple(
            (
                str(each.get("key", "")),
                None if each.get("operator") == "Exists" else str(each.get("value", "")),
                str(each.get("effect", "")),
            )
            for each in (tolerations if isinstance(tolerations, list) else ())
        ),
        affinity=bool(template.get("affinity")),
    )


def pod_template(revision: Raw) -> Mapping[str, Any]:
    """The pod spec of a Revision, after runtime and defaults were merged in."""
    found = value_at(revision, "spec")
    return found if isinstance(found, Mapping) else {}


def _containers(template: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = template.get("containers")
    found = list(listed) if isinstance(listed, list) else []
    if isinstance(template.get("model"), Mapping):
        found.append(template["model"])
    return [container for container in found if isinstance(container, Mapping)]


def _pod_template(raw: Raw, *, llm: bool) -> Mapping[str, Any]:
    found = value_at(raw, "spec.template" if llm else "spec.predictor")
    return found if isinstance(found, Mapping) else {}


def _annotations(raw: Raw) -> Mapping[str, Any]:
    found = value_at(raw, "metadata.annotations")
    return found if isinstance(found, Mapping) else {}


def _scale(annotations: Mapping[str, Any], key: str) -> int:
    """0 where absent: no floor, or no ceiling."""
    return whole(annotations.get(key, annotations.get(OLD_NAMES[key]))) or 0


def _predictor_part(raw: Raw) -> Part:
    return _part(raw, "spec.predictor.minReplicas", "spec.predictor.maxReplicas")


def _llm_part(raw: Raw, above: str) -> Part:
    if value_at(raw, f"{above}.scaling") is not None:
        return _part(raw, f"{above}.scaling.minReplicas", f"{above}.scaling.maxReplicas")
    return Part(min_field=f"{above}.replicas", min=whole(value_at(raw, f"{above}.replicas")))


def _part(raw: Raw, min_field: str, max_field: str) -> Part:
    return Part(
        min_field=min_field,
        min=whole(value_at(raw, min_field)),
        max_field=max_field,
        max=whole(value_at(raw, max_field)),
    )


def _traffic(raw: Raw) -> tuple[tuple[str, int], ...]:
    """Revisions that get requests, with their share in percent."""
    targets = value_at(raw, "status.components.predictor.traffic")
    shares: dict[str, int] = {}
    for target in targets if isinstance(targets, list) else ():
        name, percent = str(target.get("revisionName", "")), whole(target.get("percent")) or 0
        if name and percent > 0:
            shares[name] = shares.get(name, 0) + percent
    return tuple(sorted(shares.items()))

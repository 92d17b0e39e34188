"""Checks of the API server itself: types of metadata, unknown fields, the schema."""

from __future__ import annotations

import json
from collections.abc import Callable

from simulator.store.admission import AdmissionRequest
from simulator.store.errors import Invalid
from simulator.store.json_values import JsonObject
from simulator.store.resources import INFERENCESERVICES, LLMINFERENCESERVICES, Resource

# What an InferenceService's predictor may hold. Source: kserve pkg/apis/serving/v1beta1
# predictor.go, component.go, podspec.go.
_FRAMEWORKS = frozenset(
    {
        "sklearn",
        "xgboost",
        "tensorflow",
        "pytorch",
        "triton",
        "onnx",
        "huggingface",
        "pmml",
        "lightgbm",
        "paddle",
        "model",
        "workerSpec",
    }
)
_COMPONENT = frozenset(
    {
        "minReplicas",
        "maxReplicas",
        "scaleTarget",
        "scaleMetric",
        "scaleMetricType",
        "autoScaling",
        "containerConcurrency",
        "timeout",
        "canaryTrafficPercent",
        "logger",
        "batcher",
        "labels",
        "annotations",
        "deploymentStrategy",
    }
)
_POD_SPEC = frozenset(
    {
        "volumes",
        "initContainers",
        "containers",
        "ephemeralContainers",
        "restartPolicy",
        "terminationGracePeriodSeconds",
        "activeDeadlineSeconds",
        "dnsPolicy",
        "nodeSelector",
        "serviceAccountName",
        "serviceAccount",
        "automountServiceAccountToken",
        "nodeName",
        "hostNetwork",
        "hostPID",
        "hostIPC",
        "hostUsers",
        "shareProcessNamespace",
        "securityContext",
        "imagePullSecrets",
        "hostname",
        "subdomain",
        "affinity",
        "schedulerName",
        "tolerations",
        "hostAliases",
        "priorityClassName",
        "priority",
        "dnsConfig",
        "readinessGates",
        "runtimeClassName",
        "enableServiceLinks",
        "preemptionPolicy",
        "overhead",
        "topologySpreadConstraints",
        "setHostnameAsFQDN",
        "os",
        "schedulingGates",
        "resourceClaims",
        "resources",
    }
)
_KNOWN: dict[str, dict[tuple[str, ...], frozenset[str]]] = {
    INFERENCESERVICES.group_resource: {
        ("spec",): frozenset({"predictor", "transformer", "explainer"}),
        ("spec", "predictor"): _FRAMEWORKS | _COMPONENT | _POD_SPEC,
    }
}


def unknown_fields(resource: Resource, obj: JsonObject) -> list[tuple[str, ...]]:
    """Paths that the schema does not know, where the schema is known here."""
    found = []
    for path, known in _KNOWN.get(resource.group_resource, {}).items():
        held = _at(obj, path)
        found += [(*path, key) for key in held if key not in known]
    return found


def pruned(obj: JsonObject, path: tuple[str, ...]) -> None:
    """Drop one unknown field."""
    _at(obj, path[:-1]).pop(path[-1], None)


def _at(obj: JsonObject, path: tuple[str, ...]) -> JsonObject:
    for key in path:
        value = obj.get(key)
        obj = value if isinstance(value, dict) else {}
    return obj


def unknown_field_text(path: tuple[str, ...]) -> str:
    return f'unknown field "{".".join(path)}"'


def undecodable(obj: JsonObject, why: str) -> Invalid:
    """What a patch gets whose result does not fit the type. The object is in the message."""
    quoted = json.dumps(json.dumps(obj, sort_keys=True, separators=(",", ":")))
    return Invalid(
        "", "", "", causes=[("patch", "FieldValueInvalid", f"Invalid value: {quoted}: {why}")]
    )


def metadata_problem(obj: JsonObject) -> str | None:
    """Why labels and annotations cannot be read; None when all are strings."""
    for name in ("annotations", "labels"):
        for value in (obj["metadata"].get(name) or {}).values():
            if not isinstance(value, str):
                return (
                    f"json: cannot unmarshal {_go_kind(value)} into Go struct field "
                    f"ObjectMeta.{name} of type string"
                )
    return None


def _go_kind(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list) else "object"


def schema_hook(request: AdmissionRequest) -> None:
    """The part of the CustomResourceDefinitions' schemas that is known here."""
    if request.operation == "DELETE" or request.subresource == "status":
        return
    check = _SCHEMAS.get(request.resource.group_resource)
    if check is not None:
        check(request.resource, request.object)


def _llm_replicas(resource: Resource, obj: JsonObject) -> None:
    replicas = obj.get("spec", {}).get("replicas")
    if replicas is not None and replicas < 0:
        text = (
            f"Invalid value: {replicas}: spec.replicas in body should be greater than or equal to 0"
        )
        cause = ("spec.replicas", "FieldValueInvalid", text)
        raise Invalid(resource.group, resource.kind, obj["metadata"]["name"], causes=[cause])


_SCHEMAS: dict[str, Callable[[Resource, JsonObject], None]] = {
    LLMINFERENCESERVICES.group_resource: _llm_replicas
}

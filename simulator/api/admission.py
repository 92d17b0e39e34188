"""Webhooks of Knative Serving and KServe: the real refusals, word for word.

Source: recorded refusals in tests/fixtures/http/webhook-*.json (Knative after 1.23, KServe 0.20).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.admission import AdmissionHook, AdmissionRequest
from simulator.store.errors import Refused
from simulator.store.json_values import JsonObject
from simulator.store.resources import INFERENCESERVICES, KNATIVE_SERVICES, REVISIONS

GROUP = "autoscaling.knative.dev"
MIN_SCALE = f"{GROUP}/min-scale"
MAX_SCALE = f"{GROUP}/max-scale"
MAX_INT32 = 2_147_483_647
_ANNOTATIONS = "metadata.annotations"


def knative_hook(request: AdmissionRequest) -> None:
    """validation.webhook.serving.knative.dev, for Revisions and Knative Services."""
    if request.operation == "DELETE" or request.subresource == "status":
        return
    problem = None
    if request.resource is REVISIONS:
        problem = immutable_problem(request) or scale_problem(_annotations(request.object))
    elif request.resource is KNATIVE_SERVICES:
        problem = _service_problem(request.object)
    if problem:
        message = (
            'admission webhook "validation.webhook.serving.knative.dev" denied the request: '
            f"validation failed: {problem}"
        )
        raise Refused(400, "BadRequest", message)


def _annotations(obj: JsonObject) -> Mapping[str, Any]:
    return obj["metadata"].get("annotations") or {}


def _service_problem(service: JsonObject) -> str | None:
    """Scale annotations belong on the template, where they are checked as on a Revision."""
    for key in _annotations(service):
        if key.startswith(f"{GROUP}/"):
            return (
                f'invalid key name "{key}": {_ANNOTATIONS}\nautoscaling annotations must be put '
                'under "spec.template.metadata.annotations" to work'
            )
    template = service.get("spec", {}).get("template", {}).get("metadata", {})
    return scale_problem(template.get("annotations") or {}, at=f"spec.template.{_ANNOTATIONS}")


def scale_problem(annotations: Mapping[str, Any], *, at: str = _ANNOTATIONS) -> str | None:
    """What is wrong with min-scale and max-scale, None when nothing is."""
    for key in (MIN_SCALE, MAX_SCALE):
        if key in annotations:
            problem = _number_problem(str(annotations[key]))
            if problem:
                return f"{problem}: {at}.{key}"
    low, high = int(annotations.get(MIN_SCALE, 0)), int(annotations.get(MAX_SCALE, 0))
    if high and low > high:
        return f"max-scale={high} is less than min-scale={low}: {at}.{MAX_SCALE}, {at}.{MIN_SCALE}"
    return None


def _number_problem(text: str) -> str | None:
    try:
        number = int(text)
    except ValueError:
        return f"invalid value: {text}"
    return None if 0 <= number <= MAX_INT32 else f"expected 0 <= {text} <= {MAX_INT32}"


def immutable_problem(request: AdmissionRequest) -> str | None:
    """A Revision's spec cannot change. Only plain values are told one by one."""
    if request.old is None or request.object.get("spec") == request.old.get("spec"):
        return None
    new, old = request.object.get("spec") or {}, request.old.get("spec") or {}
    lines = ["Immutable fields changed (-old +new): spec", "*{v1.RevisionSpec}"]
    told = []
    for key in sorted(new.keys() | old.keys()):
        if new.get(key) != old.get(key):
            told.append(
                f".{key[0].upper()}{key[1:]}:\n{_told('-', old.get(key))}{_told('+', new.get(key))}"
            )
    return "\n".join([lines[0], lines[1] + "".join(told)])


def _told(sign: str, value: Any) -> str:
    said = "<invalid reflect.Value>" if value is None else f'"{value}"'
    return f"\t{sign}: {said}\n"


def kserve_hook(request: AdmissionRequest) -> None:
    """KServe's defaulter, then its validator, for InferenceServices."""
    if request.resource is not INFERENCESERVICES or request.subresource == "status":
        return
    if request.operation == "DELETE":
        return
    predictor = request.object.get("spec", {}).get("predictor") or {}
    for field in ("minReplicas", "maxReplicas"):
        value = predictor.get(field)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise _undecodable(field, value)
    _default(request.object, predictor)
    problem = _replicas_problem(predictor)
    if problem:
        message = (
            'admission webhook "inferenceservice.kserve-webhook-server.validator" denied the '
            f"request: {problem}"
        )
        raise Refused(403, "Forbidden", message)


def _undecodable(field: str, value: Any) -> Refused:
    kind = {str: "string", bool: "bool", float: "number", list: "array"}.get(type(value), "object")
    message = (
        'admission webhook "inferenceservice.kserve-webhook-server.defaulter" denied the request: '
        f"json: cannot unmarshal {kind} into Go struct field PredictorSpec.spec.predictor.{field} "
        "of type int32"
    )
    return Refused(400, "", message)


def _default(obj: JsonObject, predictor: JsonObject) -> None:
    """What the defaulter writes for a model that names its format."""
    model = predictor.get("model")
    if not isinstance(model, dict) or "modelFormat" not in model:
        return
    name = model["modelFormat"].get("name", "")
    obj["metadata"].setdefault("annotations", {}).setdefault("modelFormat", name)
    model.setdefault("name", "")
    model.setdefault("protocolVersion", "v2" if name.lower() == "vllm" else "v1")
    model.setdefault("resources", {})


def _replicas_problem(predictor: JsonObject) -> str | None:
    low, high = predictor.get("minReplicas"), predictor.get("maxReplicas") or 0
    if low is not None and low < 0:
        return "'MinReplicas' cannot be less than 0"
    if high < 0:
        return "'MaxReplicas' cannot be less than 0"
    if high and (low or 0) > high:
        return "'MinReplicas' cannot be greater than MaxReplicas"
    return None


HOOKS: tuple[AdmissionHook, ...] = (kserve_hook, knative_hook)

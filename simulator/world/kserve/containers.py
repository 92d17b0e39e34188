"""The predictor's container, merged from the runtime and the InferenceService.

Source: kserve/kserve config/runtimes, pkg/controller/v1beta1/inferenceservice/utils.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.world.kserve import names

POD_FIELDS = ("nodeSelector", "tolerations", "serviceAccountName")
METRICS = {"prometheus.kserve.io/path": "/metrics", "prometheus.kserve.io/port": "8080"}


def predictor_pod(isvc: Mapping[str, Any], runtime: Mapping[str, Any] | None) -> JsonObject:
    """The pod spec of the predictor, before the mode adds its own."""
    predictor = isvc["spec"]["predictor"]
    container = (
        _from_runtime(isvc, runtime)
        if runtime is not None and "model" in predictor
        else copied(predictor["containers"][0])
    )
    container.setdefault("env", [])
    container["env"] = [
        *container["env"],
        {"name": "INFERENCE_SERVICE_NAME", "value": isvc["metadata"]["name"]},
    ]
    pod: JsonObject = {"containers": [container]}
    if "nvidia.com/gpu" in container.get("resources", {}).get("limits", {}):
        container["volumeMounts"] = [{"mountPath": "/dev/shm", "name": "devshm"}]
        pod["volumes"] = [{"emptyDir": {"medium": "Memory"}, "name": "devshm"}]
    return pod | {field: copied(predictor[field]) for field in POD_FIELDS if field in predictor}


def _from_runtime(isvc: Mapping[str, Any], runtime: Mapping[str, Any]) -> JsonObject:
    """Arguments of the runtime first, so that those of the InferenceService win."""
    model = isvc["spec"]["predictor"]["model"]
    container: JsonObject = copied(runtime["spec"]["containers"][0])
    name = isvc["metadata"]["name"]
    arguments = [*container.get("args", []), *model.get("args", [])]
    container["args"] = [each.replace("{{.Name}}", name) for each in arguments]
    container["env"] = [*container.get("env", []), *copied(model.get("env", []))]
    for field in ("resources", "startupProbe", "readinessProbe", "livenessProbe", "image"):
        if field in model:
            container[field] = copied(model[field])
    return container


def storage_uri(isvc: Mapping[str, Any]) -> str:
    """Where the weights come from; empty when the server fetches them itself."""
    predictor = isvc["spec"]["predictor"]
    if "model" in predictor:
        return str(predictor["model"].get("storageUri", ""))
    env = predictor["containers"][0].get("env", ())
    return next((str(each["value"]) for each in env if each["name"] == "STORAGE_URI"), "")


def template_annotations(
    isvc: Mapping[str, Any], runtime: Mapping[str, Any] | None
) -> dict[str, str]:
    annotations = dict(names.passed_on(isvc))
    if runtime is not None:
        annotations |= METRICS
    uri = storage_uri(isvc)
    if uri:
        annotations[names.SOURCE_URI] = uri
    return annotations


def template_labels(isvc: Mapping[str, Any]) -> dict[str, str]:
    return names.labels_passed_on(isvc) | {
        "component": "predictor",
        names.ISVC_LABEL: isvc["metadata"]["name"],
    }

"""Labels, annotations and names of KServe. Source: kserve/kserve pkg/constants/constants.go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ISVC_LABEL = "serving.kserve.io/inferenceservice"
MODE = "serving.kserve.io/deploymentMode"
STOP = "serving.kserve.io/stop"
AUTOSCALER_CLASS = "serving.kserve.io/autoscalerClass"
SOURCE_URI = "internal.serving.kserve.io/storage-initializer-sourceuri"
DISABLE_AUTO_UPDATE = "serving.kserve.io/disable-auto-update"
LOCAL_MODEL = "internal.serving.kserve.io/localmodel"
LOCAL_MODEL_URI = "internal.serving.kserve.io/localmodel-sourceuri"
LOCAL_MODEL_CLAIM = "internal.serving.kserve.io/localmodel-pvc-name"
MANAGER = "manager"
STORAGE_IMAGE = "kserve/storage-initializer"
MOUNT = "/mnt/models"

# Annotations of an InferenceService that do not reach its pods.
NOT_PASSED_ON = (
    "autoscaling.knative.dev/min-scale",
    "autoscaling.knative.dev/max-scale",
    SOURCE_URI,
    "kubectl.kubernetes.io/last-applied-configuration",
    "modelFormat",
)
KNATIVE_MODES = ("Knative", "Serverless")


def is_stopped(obj: Mapping[str, Any]) -> bool:
    text = obj["metadata"].get("annotations", {}).get(STOP, "")
    return str(text).lower() == "true"


def passed_on(obj: Mapping[str, Any]) -> dict[str, str]:
    found = obj["metadata"].get("annotations", {})
    return {key: text for key, text in found.items() if key not in NOT_PASSED_ON}


def labels_passed_on(obj: Mapping[str, Any]) -> dict[str, str]:
    return dict(obj["metadata"].get("labels", {}))

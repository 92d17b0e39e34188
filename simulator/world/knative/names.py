"""Labels, annotations and texts of Knative Serving.

Source: knative/serving pkg/apis/serving/register.go, pkg/apis/autoscaling/register.go,
pkg/apis/autoscaling/v1alpha1/pa_lifecycle.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SERVICE = "serving.knative.dev/service"
SERVICE_UID = "serving.knative.dev/serviceUID"
CONFIGURATION = "serving.knative.dev/configuration"
CONFIGURATION_UID = "serving.knative.dev/configurationUID"
GENERATION = "serving.knative.dev/configurationGeneration"
REVISION = "serving.knative.dev/revision"
REVISION_UID = "serving.knative.dev/revisionUID"
ROUTING_STATE = "serving.knative.dev/routingState"
ROUTING_MODIFIED = "serving.knative.dev/routingStateModified"
ROUTES = "serving.knative.dev/routes"
CREATOR = "serving.knative.dev/creator"
MODIFIER = "serving.knative.dev/lastModifier"
PROGRESS_DEADLINE = "serving.knative.dev/progress-deadline"

AUTOSCALING = "autoscaling.knative.dev/"
MIN_SCALE = f"{AUTOSCALING}min-scale"
MAX_SCALE = f"{AUTOSCALING}max-scale"
INITIAL_SCALE = f"{AUTOSCALING}initial-scale"
ACTIVATION_SCALE = f"{AUTOSCALING}activation-scale"
TARGET = f"{AUTOSCALING}target"
BURST_CAPACITY = f"{AUTOSCALING}target-burst-capacity"
CLASS = f"{AUTOSCALING}class"
METRIC = f"{AUTOSCALING}metric"

QUEUED = "Requests to the target are being buffered as resources are provisioned."
NO_TRAFFIC = "The target is not receiving traffic."
TIMED_OUT = "The target could not be activated."
NEVER_SCALED = "Initial scale was never achieved"
NOT_BACKED = "K8s Service is not ready"

MANAGER = "controller"
AUTOSCALER = "autoscaler"


def whole_number(obj: Mapping[str, Any], key: str, default: int) -> int:
    """An annotation's number; what is no number is refused at admission, so never seen here."""
    text = str(obj["metadata"].get("annotations", {}).get(key, ""))
    return int(text) if text.isdigit() else default


def seconds_of(text: str, default: int) -> int:
    """A Go duration of whole seconds, such as 30s, 10m or 1h30m."""
    total, number = 0, ""
    for letter in text:
        if letter.isdigit():
            number += letter
        elif letter in "hms" and number:
            total += int(number) * {"h": 3600, "m": 60, "s": 1}[letter]
            number = ""
    return total or default

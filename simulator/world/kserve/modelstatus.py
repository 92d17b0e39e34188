"""modelStatus of an InferenceService, from its newest pod. Pure.

Source: kserve/kserve pkg/apis/serving/v1beta1/inference_service_status.go; Loading means only that
the storage-initializer runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.world.shapes import condition_status


def write_model_status(status: JsonObject, pods: Sequence[Mapping[str, Any]]) -> None:
    """pods: the predictor's, without those on their way out."""
    old = status.get("modelStatus", {})
    ready = sum(condition_status(pod, "Ready") == "True" for pod in pods)
    copies: JsonObject = {"failedCopies": 0} | ({"totalCopies": ready} if ready else {})
    state, failure = _newest(pods)
    serves = condition_status({"status": status}, "Ready") == "True"
    new: JsonObject = {"copies": copies}
    states: JsonObject = dict(old.get("states", {}))
    if serves and state != "Loading":
        states |= {"activeModelState": "Loaded", "targetModelState": "Loaded"}
        new["transitionStatus"] = "UpToDate"
    else:
        states["targetModelState"] = state
        states.setdefault("activeModelState", "")
        failed = state == "FailedToLoad"
        new["transitionStatus"] = "BlockedByFailedLoad" if failed else "InProgress"
    new["states"] = states
    if failure or "lastFailureInfo" in old:
        new["lastFailureInfo"] = failure or old["lastFailureInfo"]
    status["modelStatus"] = new


def _newest(pods: Sequence[Mapping[str, Any]]) -> tuple[str, JsonObject | None]:
    if not pods:
        return "Pending", None
    pod = max(pods, key=lambda each: str(each["metadata"]["creationTimestamp"]))
    for kind in ("initContainerStatuses", "containerStatuses"):
        for each in pod["status"].get(kind, ()):
            if "running" in each["state"] and each["name"] == "storage-initializer":
                return "Loading", None
            failure = _failure(each)
            if failure is not None:
                return "FailedToLoad", failure
    return ("Loaded" if condition_status(pod, "Ready") == "True" else "Pending"), None


def _failure(container: Mapping[str, Any]) -> JsonObject | None:
    """A crash counts when the container is down now, or waits for its next try."""
    waiting = container["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff"
    ended = container["state"].get("terminated")
    if waiting:
        ended = container["lastState"].get("terminated")
    if not ended or ended.get("reason") != "Error" or container["name"] == "queue-proxy":
        return None
    return {
        "reason": "ModelLoadFailed",
        "message": ended.get("message", ""),
        "exitCode": ended["exitCode"],
    }

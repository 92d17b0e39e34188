"""Pods for benchmarks: a recorded one, repeated under other names, of an exact size."""

from __future__ import annotations

import copy
import json
import uuid
from typing import Any

from tests.hosted.loading import snapshot

BYTES = 6 * 1024
NAMESPACE = "web"


def recorded() -> dict[str, Any]:
    """A recorded pod made ready, without the longest lists of environment variables."""
    pod = copy.deepcopy(snapshot("loading")["v1/pods"][0])
    for container in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
        container.pop("env", None)
    for condition in pod["status"]["conditions"]:
        condition["status"] = "True"
    for status in pod["status"]["containerStatuses"]:
        status |= {"ready": True, "started": True}
    return pod


def numbered(pod: dict[str, Any], number: int) -> dict[str, Any]:
    """The same pod under another name, filled up to BYTES by an annotation."""
    made = copy.deepcopy(pod)
    meta = made["metadata"]
    meta |= {"name": f"pod-{number:05}", "namespace": NAMESPACE, "uid": str(uuid.uuid4())}
    meta["annotations"]["example.com/filling"] = ""
    missing = BYTES - len(json.dumps(made, separators=(",", ":")))
    meta["annotations"]["example.com/filling"] = "x" * max(0, missing)
    return made

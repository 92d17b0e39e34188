"""The row of a pod in kubectl's table. Source: kubernetes pkg/printers/internalversion."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from simulator.api.ages import age, parsed
from simulator.store.json_values import JsonObject

NONE = "<none>"


def pod_cells(pod: JsonObject, now: datetime) -> list[Any]:
    """name, ready, status, restarts, age; then IP, node, nominated node, readiness gates."""
    status, spec = pod.get("status", {}), pod.get("spec", {})
    statuses = status.get("containerStatuses") or []
    ready = sum(1 for each in statuses if each.get("ready"))
    gates = spec.get("readinessGates") or []
    return [
        pod["metadata"]["name"],
        f"{ready}/{len(spec.get('containers') or [])}",
        pod_reason(pod),
        _restarts(pod, now),
        age(pod["metadata"].get("creationTimestamp"), now=now),
        status.get("podIP") or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        f"0/{len(gates)}" if gates else NONE,
    ]


def pod_reason(pod: JsonObject) -> str:
    """The word in the column STATUS."""
    status = pod.get("status", {})
    if pod["metadata"].get("deletionTimestamp"):
        return "Unknown" if status.get("reason") == "NodeLost" else "Terminating"
    init = _init_reason(pod)
    if init:
        return init
    reason = str(status.get("reason") or status.get("phase") or "Unknown")
    running = False
    for each in reversed(status.get("containerStatuses") or []):
        state = each.get("state") or {}
        waiting, terminated = state.get("waiting"), state.get("terminated")
        if waiting and waiting.get("reason"):
            reason = waiting["reason"]
        elif terminated:
            reason = _terminated(terminated)
        elif each.get("ready") and state.get("running"):
            running = True
    if reason == "Completed" and running:
        return "Running" if _is_ready(status) else "NotReady"
    return reason


def _init_reason(pod: JsonObject) -> str:
    """ "Init:0/1" and the like while init containers run; "" when they are done."""
    containers = pod.get("spec", {}).get("initContainers") or []
    statuses = pod.get("status", {}).get("initContainerStatuses") or []
    for index, each in enumerate(statuses):
        state = each.get("state") or {}
        terminated, waiting = state.get("terminated"), state.get("waiting")
        if terminated and terminated.get("exitCode", 0) == 0:
            continue
        if terminated:
            return f"Init:{_terminated(terminated)}"
        if waiting and waiting.get("reason") not in (None, "", "PodInitializing"):
            return f"Init:{waiting['reason']}"
        return f"Init:{index}/{len(containers)}"
    return ""


def _terminated(terminated: JsonObject) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _is_ready(status: JsonObject) -> bool:
    return any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in status.get("conditions") or []
    )


def _restarts(pod: JsonObject, now: datetime) -> str:
    """The count, with how long ago the last one was."""
    statuses = pod.get("status", {}).get("containerStatuses") or []
    count = sum(each.get("restartCount", 0) for each in statuses)
    ended = [
        each["lastState"]["terminated"]["finishedAt"]
        for each in statuses
        if (each.get("lastState") or {}).get("terminated", {}).get("finishedAt")
    ]
    if not count or not ended:
        return str(count)
    return f"{count} ({age(max(ended, key=parsed), now=now)} ago)"


Cells = Callable[[JsonObject, datetime], list[Any]]

"""What servers had written by the end of each start, and of each run that ended: logs are gone with
their pods, so they are written down when they are whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.api.logs import LogOptions, log_bytes
from simulator.past.writing import LOGS, PastFile
from simulator.store.json_values import JsonObject
from simulator.store.resources import PODS
from simulator.store.versions import StoreEvent
from simulator.world.behaviours import MODEL_CONTAINERS
from simulator.world.shapes import condition_status

# A server says that it serves a moment before its pod is ready; what follows is calls.
LINES_AT_MOST = 400


class LogWriter:
    """Writes a LOG message behind the status of the pod that it belongs to."""

    def __init__(self, file: PastFile) -> None:
        self.file = file
        self.kubelet = file.world.kubelet
        self._end = file.world.store.subscribe(self._committed)

    def end(self) -> None:
        """No more logs."""
        self._end()

    def _committed(self, event: StoreEvent) -> None:
        if event.resource is not PODS or event.type != "MODIFIED" or event.previous is None:
            return
        container = _told_by(event.previous, event.object)
        if container:
            self._write(event.object, container)

    def _write(self, pod: JsonObject, container: str) -> None:
        meta = pod["metadata"]
        lines = self.kubelet.log(meta["uid"], container, previous=False)
        if not lines:
            return
        text = log_bytes(lines[:LINES_AT_MOST], _stamped(container)).decode()
        said = {
            "namespace": meta["namespace"],
            "pod": meta["name"],
            "uid": meta["uid"],
            "container": container,
            "lines": text.splitlines(),
        }
        self.file.write(LOGS, "LOG", said)


def _told_by(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The server's container, if its pod became ready or a run of it ended; else ""."""
    ready = [condition_status(each, "Ready") == "True" for each in (before, after)]
    status = _server(after)
    if status is None:
        return ""
    ended = _has_ended(status) and not _has_ended(_server(before) or {})
    return str(status["name"]) if ended or (ready[1] and not ready[0]) else ""


def _server(pod: Mapping[str, Any]) -> Mapping[str, Any] | None:
    statuses: list[JsonObject] = pod.get("status", {}).get("containerStatuses") or []
    return next((each for each in statuses if each["name"] in MODEL_CONTAINERS), None)


def _has_ended(status: Mapping[str, Any]) -> bool:
    return "terminated" in (status.get("state") or {})


def _stamped(container: str) -> LogOptions:
    return LogOptions(
        container=container,
        previous=False,
        follow=False,
        timestamps=True,
        tail=None,
        since=None,
        limit_bytes=None,
    )

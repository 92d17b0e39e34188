"""What the world supplies to the API server: container logs, and answers of pods."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from simulator.store.json_values import JsonObject

LogLines = Sequence[tuple[datetime, str]]


class LogSource(Protocol):
    """The kubelets' logs. Lines are only ever added; a restart begins a new sequence."""

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        """Lines with aware times, oldest first; None when there is no such log."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRequest:
    """A request to a pod. path: as it goes on the wire, with its query."""

    pod: JsonObject
    port: int
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodAnswer:
    """What the pod answered. body: all of it, or a stream."""

    status: int
    body: bytes | AsyncIterator[bytes] = b""
    content_type: str = "text/plain"


class PodProxy(Protocol):
    """Reaches pods."""

    async def request(self, request: PodRequest) -> PodAnswer:
        """The pod's answer. ConnectionRefusedError: nothing listens on the port."""
        ...


class NoLogs:
    """A world without logs."""

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        return None


class NoPods:
    """A world where nothing listens."""

    async def request(self, request: PodRequest) -> PodAnswer:
        raise ConnectionRefusedError

"""How each stream stands: written by its reader, read by the writer and the pulse."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from fleet.history.streams import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """open: its watch is open now. denied: 403 or 404, so it is not waited for.

    trouble: code of what went wrong last ("" = nothing), detail: the same for people.
    """

    open: bool = False
    denied: bool = False
    trouble: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """The last answers to the smallest request. took_s: how long the last good one took."""

    answered_at: datetime | None = None
    took_s: float = 0.0
    trouble: str = ""
    detail: str = ""


class Board:
    """Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._standings: dict[Stream, Standing] = {}
        self._pulse = Pulse()

    def expect(self, streams: Iterable[Stream]) -> None:
        """These have to be open for the cluster to be in step."""
        with self._lock:
            for stream in streams:
                self._standings.setdefault(stream, Standing())

    def opened(self, stream: Stream) -> None:
        with self._lock:
            self._standings[stream] = Standing(open=True)

    def closed(self, stream: Stream, *, trouble: str = "", detail: str = "") -> None:
        """Ended, by the server's clock (no trouble) or broken."""
        with self._lock:
            self._standings[stream] = Standing(trouble=trouble, detail=detail)

    def denied(self, stream: Stream, *, trouble: str, detail: str) -> None:
        with self._lock:
            self._standings[stream] = Standing(denied=True, trouble=trouble, detail=detail)

    def answered(self, *, at: datetime, took_s: float) -> None:
        with self._lock:
            self._pulse = Pulse(answered_at=at, took_s=took_s)

    def unanswered(self, *, trouble: str, detail: str) -> None:
        with self._lock:
            self._pulse = replace(self._pulse, trouble=trouble, detail=detail)

    @property
    def pulse(self) -> Pulse:
        return self._pulse

    def standings(self) -> dict[Stream, Standing]:
        with self._lock:
            return dict(self._standings)

    def open_streams(self) -> list[Stream]:
        return [stream for stream, standing in self.standings().items() if standing.open]

    def in_step(self) -> bool:
        """Every stream that is not denied is open, and there is one at least."""
        wanted = [s for s in self.standings().values() if not s.denied]
        return bool(wanted) and all(s.open for s in wanted)

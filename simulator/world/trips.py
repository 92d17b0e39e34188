"""One call on its way, from the ingress to its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from simulator.world.answers import Answer, Call
from simulator.world.passages import Fate, Passage
from simulator.world.routing import Target
from simulator.world.timeline import Timer


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What reaches the ingress. hop: who made it: ingress, activator, queue-proxy or server.

    pod_uid: of the server, where one was reached; finish() must be called for it.
    """

    hop: str
    answer: Answer
    pod_uid: str | None = None
    finish: Callable[[], None] = field(default=lambda: None)


# Source: Envoy's local replies, and the timeout handlers of activator and queue-proxy.
NO_ROUTE = Answer(status=404, content_type="")
NO_HEALTHY_UPSTREAM = Answer(status=503, body=b"no healthy upstream", content_type="text/plain")
NO_CONNECTION = Answer(
    status=503,
    body=b"upstream connect error or disconnect/reset before headers. "
    b"reset reason: connection failure",
    content_type="text/plain",
)
_GO_TEXT = "text/plain; charset=utf-8"
ACTIVATOR_TIMEOUT = Answer(status=504, body=b"activator request timeout", content_type=_GO_TEXT)
QUEUE_TIMEOUT = Answer(status=504, body=b"request timeout", content_type=_GO_TEXT)
QUEUE_FULL = Answer(status=503, body=b"pending request queue full\n", content_type=_GO_TEXT)
UNREACHABLE = Answer(
    status=502, body=b"dial tcp: connect: connection refused\n", content_type=_GO_TEXT
)
# queue-proxy, when the server goes away under a call. Source: knative/serving pkg/queue.
CONNECTION_REFUSED = Answer(
    status=502,
    body=b"dial tcp 127.0.0.1:8080: connect: connection refused\n",
    content_type=_GO_TEXT,
)
SHED = Answer(status=503, body=b"no healthy endpoints", content_type="text/plain")
# What a caller gets by a fate that no server has a part in, and from whom.
MADE: dict[Fate, tuple[str, Answer]] = {
    Fate.NO_ROUTE: ("ingress", NO_ROUTE),
    Fate.NO_ENDPOINT: ("ingress", NO_HEALTHY_UPSTREAM),
    Fate.NO_CONNECTION: ("ingress", NO_CONNECTION),
    Fate.SHED: ("picker", SHED),
    Fate.HELD_TOO_LONG: ("activator", ACTIVATOR_TIMEOUT),
    Fate.UNREACHABLE: ("activator", UNREACHABLE),
    Fate.QUEUE_FULL: ("queue-proxy", QUEUE_FULL),
    Fate.REFUSED: ("queue-proxy", CONNECTION_REFUSED),
}


@dataclass(slots=True, kw_only=True)
class Trip:
    """draw: 0 to 1, by which shares are told apart. told: its caller knows its end. counted: all
    behind the ingress do too. end: what ends its work at the server, while there is any."""

    request: Call
    host: str
    arrived: datetime
    reply: Callable[[Reply], None]
    target: Target | None = None
    draw: float = 0.0
    proxied: bool = False
    pod_uid: str | None = None
    forwarded: datetime | None = None
    told: bool = False
    counted: bool = False
    end: Callable[[], None] | None = None
    limits: list[Timer] = field(default_factory=list)

    def passage(self, fate: Fate, status: int | None, *, at: datetime) -> Passage:
        held_until = self.forwarded or at
        target = self.target
        return Passage(
            at=at,
            fate=fate,
            status=status,
            host=self.host,
            method=self.request.method,
            model=target.model if target else None,
            revision=target.revision if target else None,
            pod_uid=self.pod_uid,
            proxied=self.proxied,
            streamed=fate in (Fate.BROKEN, Fate.CUT),
            seconds=(at - self.arrived).total_seconds(),
            waited_s=(held_until - self.arrived).total_seconds() if self.proxied else 0.0,
            times=self.request.times,
        )

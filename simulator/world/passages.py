"""How a call came to its end, for those who count."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

Key = tuple[str, str]


class Fate(StrEnum):
    """What became of a call; the order is that of its way in."""

    NO_ROUTE = "the ingress knows no route"
    NO_ENDPOINT = "the ingress has no endpoint"
    NO_CONNECTION = "the ingress gets no connection"
    INGRESS_TIMEOUT = "the ingress waits no longer"
    SHED = "refused by the endpoint picker"
    NO_REVISION = "the activator does not know the revision"
    HELD_TOO_LONG = "held beyond the revision's timeout"
    LEFT_HELD = "the caller left while held, and had no body"
    UNREACHABLE = "the activator does not reach the pod"
    QUEUE_FULL = "the queue of queue-proxy is full"
    REFUSED = "the server refused or closed the connection"
    TOO_SLOW = "the server was slower than the revision's timeout"
    LEFT = "the caller left before the first byte"
    BROKEN = "a stream that broke off"
    CUT = "a stream that a timeout cut"
    ANSWERED = "answered by the server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One call, or several alike, at its end.

    status: what the caller got, None when it had left. revision: in Knative mode. pod_uid: of the
    server, where one was reached. proxied: the activator was in the path. seconds: since arrival;
    waited_s: of these, held without a pod. times: how many calls this stands for.
    """

    at: datetime
    fate: Fate
    status: int | None
    host: str
    method: str = "POST"
    model: Key | None = None
    revision: Key | None = None
    pod_uid: str | None = None
    proxied: bool = False
    streamed: bool = False
    seconds: float = 0.0
    waited_s: float = 0.0
    times: int = 1

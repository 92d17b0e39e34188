"""Answers of the Prometheus HTTP API, and what its refusals mean for the one who set it up.

Source: prometheus/prometheus web/api/v1; the shapes of recorded answers.
"""

import math
from collections.abc import Mapping
from typing import TypeVar

import httpx
import msgspec

from fleet.errors import (
    ClusterRefused,
    ClusterUnreachable,
    CredentialsExpired,
    FleetError,
    Forbidden,
    NotThere,
)

MESSAGE_CHARS = 300
RETRIED = frozenset({408, 429, 500, 502, 503, 504})
# Numbers come as strings, so that NaN and infinities can.
Point = tuple[float, str]


class Row(msgspec.Struct):
    """One series of a vector (`value`) or a matrix (`values`), oldest first."""

    metric: dict[str, str] = {}
    value: Point | None = None
    values: list[Point] = []

    def points(self) -> list[Point]:
        """Seconds since the epoch and numbers; NaN and infinities are among them."""
        return self.values if self.value is None else [self.value]


class Data(msgspec.Struct):
    """Series. A scalar's or a string's result is none: no query of ours asks for one."""

    result: list[Row]


class Answer(msgspec.Struct):
    """A query's answer."""

    data: Data


class BuildData(msgspec.Struct):
    version: str = ""


class Build(msgspec.Struct):
    """What the server is."""

    data: BuildData = msgspec.field(default_factory=BuildData)


class Refusal(msgspec.Struct):
    """The body of an error; a proxy's is no JSON."""

    errorType: str = ""  # noqa: N815 - the API's own name
    error: str = ""


_refusal = msgspec.json.Decoder(Refusal)
Shape = TypeVar("Shape", Answer, Build)

WHAT_TO_DO: Mapping[int, str] = {
    401: "Enter the credentials of the metrics server again.",
    403: "Its account may not read; stores for many tenants also want their header"
    " (X-Scope-OrgID).",
    404: "No Prometheus API there: check the address and its path.",
    422: "Two targets tell the same series; look for one that is scraped twice.",
    429: "It wants fewer questions.",
    503: "It is starting, or too busy.",
}
REDIRECTED = "It sends elsewhere, and that is not followed: enter the address it points at."
TIMED_OUT = "The query took too long there: it may need more memory, or fewer series."
REFUSALS: Mapping[int, type[ClusterRefused]] = {
    401: CredentialsExpired,
    403: Forbidden,
    404: NotThere,
}


def decoded(body: bytes, shape: type[Shape], *, about: str) -> Shape:
    """ClusterRefused where what answers is no Prometheus API."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ClusterRefused(
            f"metrics: {about}: the answer is not a Prometheus API's. {WHAT_TO_DO[404]}",
            status=200,
        ) from error


def number_of(text: str) -> float:
    """NaN where it is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def refusal(response: httpx.Response, body: bytes, *, about: str) -> FleetError:
    """The error that a status other than 200 stands for; says what was asked and what to do."""
    status = response.status_code
    kind, said = _said(body)
    advice = TIMED_OUT if kind == "timeout" else WHAT_TO_DO.get(status, "")
    if 300 <= status < 400:
        advice = REDIRECTED
    text = f"metrics: {about}: answered {status}: {said} {advice}".rstrip()
    if status in RETRIED:
        return ClusterUnreachable(text, after_s=_seconds(response.headers.get("retry-after")))
    return REFUSALS.get(status, ClusterRefused)(text, status=status, reason=kind[:40])


def unreachable(about: str, error: Exception) -> ClusterUnreachable:
    """A foreign error as ours; its text is bounded. Time-outs have no text of their own."""
    text = f"metrics: {about}: {type(error).__name__}: {str(error)[:MESSAGE_CHARS]}"
    return ClusterUnreachable(text.rstrip(": "))


def _said(body: bytes) -> tuple[str, str]:
    try:
        found = _refusal.decode(body)
    except (msgspec.MsgspecError, RecursionError):
        return "", " ".join(body[:MESSAGE_CHARS].decode(errors="replace").split())
    return found.errorType, found.error[:MESSAGE_CHARS]


def _seconds(header: str | None) -> float | None:
    try:
        return min(float(header), 60.0) if header else None
    except ValueError:
        return None

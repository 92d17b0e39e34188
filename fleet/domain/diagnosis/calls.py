"""Requests as log lines tell of them: status, Envoy's flag, how long it took, whether it failed.

Lines of clients, gateways, balancers, proxies and servers, each worded in its own way.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.texts import Text

# Envoy's response flags. Source: envoyproxy.io, access log format, %RESPONSE_FLAGS%.
_FLAGS = "UH|UF|UO|NR|NC|URX|UC|UR|UT|SI|DC|LH|LR|RL|UAEX|UPE|UMSDR|DPE|NFCF|DT|OM|DF|RLSE|FI|IH"
_FLAG = re.compile(rf"\b\d{{3}}[ \"']{{1,3}}({_FLAGS})\b|flags?[\"'=: ]{{1,4}}({_FLAGS})\b")
_STATUS = (
    # AWS's balancer: three times, its own status, the target's.
    re.compile(r"(?:(?:-1|\d{1,6}\.\d{1,6}) ){3}(\d{3}) (?:-|\d{3}) "),
    re.compile(r"http/[\d.]{1,4}\\?\"? (\d{3})\b"),
    re.compile(r"\b(?:get|post|put) \S{1,300} (?:-> )?(\d{3})\b"),
    re.compile(r"\bhttp(?: status| error| code| response)?[ :=]{1,2}(\d{3})\b"),
    re.compile(r"\b[a-z_]{0,30}(?:status|code)[\"']?[:= ]{1,2}\"?(\d{3})\b"),
    re.compile(
        r"(?:->|returned|got|received|answered|responded with|error code:?|error) (\d{3})\b"
    ),
    re.compile(r"^\W{0,2}(\d{3})\b(?! ?(?:ms|s\b))"),
    re.compile(
        r"\b(\d{3}) (?:ok|internal server error|bad gateway|service unavailable|gateway time-?out"
        r"|not found|unauthori[sz]ed|forbidden|too many requests|request timeout)"
    ),
)
_SECONDS = re.compile(
    r"(?<![\w.:-])(\d{1,7}(?:\.\d{1,9})?) ?(ms|milliseconds|s|sec|secs|seconds?|m|min|minutes)\b"
)
_GO = re.compile(r"(?<![\w.:-])(?:(\d{1,2})h)?(\d{1,3})m(\d{1,2}(?:\.\d{1,9})?)s\b")
# Envoy counts whole milliseconds; others seconds with a fraction.
_NAMED_MS = re.compile(
    r"(?:x-envoy-upstream-service-time|duration|latency|elapsed|[a-z_]{1,20}_ms)"
    r"[\"']?[:= ]{1,2}\"?(\d{1,9})(?![\d.]|[\"']? ?(?:ms|s|m)\b)"
)
_NAMED_S = re.compile(
    r"(?:duration|latency|elapsed|total_time|response_time|request_time|upstream_response_time"
    r"|urt|rt|took|time_total|[a-z_]{0,20}processing_time|_s|_seconds)"
    r"[\"']?[:= ]{1,2}\"?(\d{1,7}\.\d{1,9})(?! ?(?:ms|s|m)\b)"
)
# nginx writes seconds with three places and no name.
_BARE = re.compile(r"(?<![\w.:\-])(\d{1,5}\.\d{3})(?![\w.])")
_BAD_WORDS = (
    "timed out",
    "timeout",
    "time-out",
    "cancelled",
    "canceled",
    "connection refused",
    "reset by peer",
    "connection reset",
    "no healthy upstream",
    "upstream connect error",
    "unexpected eof",
    "empty reply",
    "hang up",
    "deadline exceeded",
    "disconnected",
    "connection aborted",
    "connection closed",
    "cannot connect",
    "connect call failed",
    "connection error",
    "failed to connect",
    "reset after",
    "incomplete chunked",
    "server disconnected",
    "broken pipe",
    "cut after",
    "bad gateway",
    "gateway time",
    "service unavailable",
    "serviceunavailable",
    "candidate endpoints",
    "internal server error",
)
_LIMIT_WORDS = ("timeout", "timed out", "time-out", "deadline exceeded", "504", "408", "cancel")
# Those who see requests; a server's own lines count where they are an access log.
_SEEN_BY = frozenset({Where.EDGE, Where.PROXY, Where.ACTIVATOR, Where.PICKER, Where.ENGINE})
_ACCESS = re.compile(r"\"(?:get|post|put|delete|head) (\S{1,300}) http/")
_PROBE_PATHS = (
    "/health",
    "/healthz",
    "/ready",
    "/readyz",
    "/live",
    "/ping",
    "/metrics",
    "/version",
)
_PROBES = re.compile(r"\bprob(?:e|ing)\b|health ?check")
_LEFT = ("client disconnected", "client closed", "499", "460", "client went away")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """status: None if not told. seconds: None if not told. flag: Envoy's, "" if none.

    failed: a server's error, a limit, or a broken connection. left: the client gave up by itself.
    limited: its words speak of a limit.
    """

    text: Text
    status: int | None
    seconds: float | None
    flag: str
    failed: bool
    left: bool
    limited: bool

    @property
    def at(self) -> datetime | None:
        """When it ended, None if not told."""
        return self.text.at


def call_of(text: Text) -> Call | None:
    """The request that a line tells of; None if it tells of none, or of a probe."""
    if text.where not in _SEEN_BY or not _tells_of_call(text):
        return None
    if _PROBES.search(text.low[:600]) and _ACCESS.search(text.low[:600]) is None:
        return None
    low = text.low[:2_000]
    status = _status(low)
    if status is None and not any(word in low for word in _BAD_WORDS):
        return None
    flag = _flag(text.text[:2_000])
    failed = _failed(low, status, flag)
    return Call(
        text=text,
        status=status,
        seconds=_duration(low),
        flag=flag,
        failed=failed,
        left=flag == "DC" or status in (460, 499) or any(word in low for word in _LEFT),
        limited=failed and any(word in low for word in _LIMIT_WORDS),
    )


def _tells_of_call(text: Text) -> bool:
    """A server's own log: access lines only, and none of a probe."""
    access = _ACCESS.search(text.low[:600])
    if access is not None:
        return not access[1].split("?")[0].endswith(_PROBE_PATHS)
    return text.where is not Where.ENGINE


def _status(low: str) -> int | None:
    for pattern in _STATUS:
        found = pattern.search(low)
        if found is not None and 100 <= int(found[1]) <= 599:
            return int(found[1])
    return None


def _flag(text: str) -> str:
    found = _FLAG.search(text)
    return (found[1] or found[2]) if found is not None else ""


def _failed(low: str, status: int | None, flag: str) -> bool:
    if status is not None and status < 400:
        return flag not in ("", "DC") or "cut" in low or "incomplete" in low
    if status is not None:
        return status >= 500 or status in (408, 429, 460, 499)
    return True


def _duration(low: str) -> float | None:
    """The longest that a line tells; None if it tells none."""
    found = [_in_seconds(value, unit) for value, unit in _SECONDS.findall(low)]
    found += [
        float(hours or 0) * 3600 + float(minutes) * 60 + float(seconds)
        for hours, minutes, seconds in _GO.findall(low)
    ]
    found += [float(value) for value in _NAMED_S.findall(low)]
    found += [float(value) / 1000 for value in _NAMED_MS.findall(low)]
    if not found and _ACCESS.search(low[:600]) is not None:
        found = [float(value) for value in _BARE.findall(low)]
    return max(found, default=None)


def _in_seconds(value: str, unit: str) -> float:
    number = float(value)
    if unit.startswith("milli") or unit == "ms":
        return number / 1000
    return number * 60 if unit.startswith("m") else number

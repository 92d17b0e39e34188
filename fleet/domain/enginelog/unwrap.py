"""Records that somebody reshaped into JSON, one object a line, worded as vLLM words them.

vLLM's own option, python-json-logger, structlog and container runtimes name their keys each in
their own way; what is known under none of these names stays unknown. Source: vllm/logger.py;
python-json-logger; logging.LogRecord.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fleet.domain.enginelog.lines import Line

# A traceback is a few dozen lines; what is longer is no news.
LINES_AT_MOST = 200
# A clock that is none: the level is known, the time is not.
NO_CLOCK = "00-00 00:00:00"

_MESSAGES = ("message", "msg", "event", "text", "log")
_LEVELS = ("level", "levelname", "severity", "log_level", "lvl")
_TIMES = ("timestamp", "@timestamp", "time", "asctime", "ts", "created")
_PROCESSES = ("processName", "process_name", "proc", "process")
_TROUBLES = ("exc_info", "exception", "exc_text", "traceback", "stack_trace", "error")
_SAME = {"WARN": "WARNING", "FATAL": "CRITICAL", "TRACE": "DEBUG"}
_KNOWN = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
# Beyond this a number counts milliseconds since the epoch.
_MILLISECONDS = 1e11
_NANOSECONDS = 1e17


def plain_lines(line: Line) -> list[str]:
    """The lines that the object of this one holds, as a plain log would have them; [] if it is no
    object with a message."""
    said = _object(line.text)
    message = _first(said, _MESSAGES)
    if not isinstance(message, str) or not message.strip():
        return []
    stamp = f"{line.stamp} " if line.stamp else ""
    head = stamp + _process(said, line.process) + _record(said, line.stamp)
    trouble = _first(said, _TROUBLES)
    texts = message.splitlines() + (trouble.splitlines() if isinstance(trouble, str) else [])
    return [head + text for text in texts[:LINES_AT_MOST]]


def _object(text: str) -> Mapping[str, Any]:
    """{} if it is none, or was cut."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _first(said: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((said[name] for name in names if said.get(name)), None)


def _process(said: Mapping[str, Any], known: str) -> str:
    """As vLLM writes it before its lines; one that stands before the object is nearer."""
    if known:
        return f"({known}) "
    name, pid = _first(said, _PROCESSES), said.get("pid") or said.get("process")
    if isinstance(name, str) and name.replace("_", "").isalnum():
        return f"({name[:60]} pid={pid if isinstance(pid, int) else 0}) "
    return f"(pid={name}) " if isinstance(name, int) else ""


def _record(said: Mapping[str, Any], stamp: str) -> str:
    """ "" where no level is told that vLLM knows: then it is no record."""
    word = str(_first(said, _LEVELS) or "").upper()
    level = _SAME.get(word, word)
    if level not in _KNOWN:
        return ""
    at = _moment(_first(said, _TIMES)) or _moment(stamp)
    return f"{level} {f'{at:%m-%d %H:%M:%S}' if at is not None else NO_CLOCK} [json:1] "


def _moment(value: Any) -> datetime | None:
    """None if it is no time. One without a zone is UTC."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.replace(",", "."))
            return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(_seconds(float(value)), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _seconds(value: float) -> float:
    if value > _NANOSECONDS:
        return value / 1e9
    return value / 1000.0 if value > _MILLISECONDS else value

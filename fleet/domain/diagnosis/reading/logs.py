"""Log lines by container, with the time that they tell, if any.

A line may begin with the kubelet's stamp, with RFC 3339 or `date time`, hold a JSON object with a
time, or be one of vLLM's, whose clock has no year.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from fleet.domain.diagnosis.evidence import LogLine
from fleet.domain.diagnosis.reading.plain import moment, name, text
from fleet.domain.enginelog.lines import clock_s
from fleet.domain.enginelog.redact import COLOUR

LOGS_AT_MOST = 60
LINES_AT_MOST = 600
# The first lines tell how it began, the last ones how it ended.
FIRST_LINES = 100
_PREVIOUS = re.compile(r"\s*\((?:previous|last|prior)\)\s*$")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)([.,]\d{1,9})?\s?(Z|[+-]\d\d:?\d\d)?")
_CLOCK = re.compile(r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d\d-\d\d \d\d:\d\d:\d\d)\b")
_STAMPED_WITHIN = 300


def log_lines(raw: Any, *, near: datetime | None) -> Iterator[LogLine]:
    """Every line of every log. near: a moment in the same half year, for clocks without one."""
    logs = raw if isinstance(raw, Mapping) else {}
    for key in list(logs)[:LOGS_AT_MOST]:
        called = name(key)
        bare = _PREVIOUS.sub("", called)
        for number, line in _bounded(logs[key]):
            yield LogLine(
                container=bare,
                text=text(COLOUR.sub("", line[:16_384])),
                number=number,
                previous=bare != called,
                at=time_in(line, near=near),
            )


def _bounded(raw: Any) -> Iterator[tuple[int, str]]:
    """Lines with their numbers: of a long log its beginning and its end."""
    lines = raw.splitlines() if isinstance(raw, str) else raw if isinstance(raw, list) else []
    count = len(lines)
    left_out = range(FIRST_LINES, count - (LINES_AT_MOST - FIRST_LINES))
    for index, line in enumerate(lines):
        if index in left_out or not isinstance(line, str):
            continue
        for piece in line.split("\r")[-3:]:
            if piece.strip():
                yield index + 1, piece


def time_in(line: str, *, near: datetime | None) -> datetime | None:
    """The time that a line tells of itself, None if it tells none."""
    head = line[:_STAMPED_WITHIN]
    stamp = _STAMP.search(head)
    if stamp is not None:
        day, clock, fraction, zone = stamp.groups("")
        return moment(f"{day}T{clock}{fraction.replace(',', '.')[:7]}{zone or 'Z'}")
    said = _CLOCK.search(head)
    if said is None or near is None:
        return None
    seconds = clock_s(said[1], near=near.timestamp())
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

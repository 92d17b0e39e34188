"""A raw log line taken apart: the kubelet's stamp, the process, the level, vLLM's own clock.

Versions 0.4 to 0.33, behind Ray or not, coloured or not.
Source: vllm/logger.py, vllm/v1/executor/multiproc_executor.py, vllm/utils/system_utils.py.
"""

import re
from datetime import UTC, datetime
from string import punctuation
from typing import NamedTuple

from fleet.domain.enginelog.redact import COLOUR

# Hostile text: nothing longer reaches a regex.
LINE_AT_MOST = 16 * 1024
# No template is longer, paths and model names included.
HEAD_AT_MOST = 512

_OWN_COLOURS = ("\x1b[1;36m", "\x1b[0;0m")
_RAY_REPEAT = re.compile(r" ?\[repeated \d+x across cluster\]\s*$")
_RECORD_TEXT = (
    r"(DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d\d-\d\d \d\d:\d\d:\d\d)[.\d]{0,4}"
    r" [^ ]{1,200}:\d{1,9}\] ?"
)
_RECORD = re.compile(_RECORD_TEXT)
_STAMP_TEXT = r"(\d{4}-\d\d-\d\dT[^ ]{9,26})(?: |$)"
# Processes may be nested; the innermost one speaks.
_HEAD_TEXT = rf"(?:\(([^()]{{1,400}})\) ?)*(?:{_RECORD_TEXT})?"
_STAMP = re.compile(_STAMP_TEXT)
_HEAD = re.compile(rf"(?:{_STAMP_TEXT})?{_HEAD_TEXT}")
# A line as most are: behind one process at most, in vLLM's own colour or in none.
USUAL = re.compile(
    rf"(?:{_STAMP_TEXT})?(?:(?:\x1b\[1;36m)?\(([^()\x1b]{{1,400}})\)(?:\x1b\[0;0m)? )?"
    rf"(?:{_RECORD_TEXT})?(?!\()"
)
_BETWEEN_WORDS = bytes.maketrans(
    (between := punctuation.replace("_", "").encode()), b" " * len(between)
)
_STAMP_AT_MOST = 40
_ANY_LEAP_YEAR = 2000


class Line(NamedTuple):
    """stamp: of the kubelet, RFC 3339, "" if there was none. process: innermost, "" if unnamed.
    level: "" if the line is no record of vLLM's logger. clock: vLLM's own, `MM-DD hh:mm:ss`."""

    stamp: str
    process: str
    level: str
    clock: str
    text: str


def pieces_of(raw: str) -> list[str]:
    """The lines that a physical one holds: bars rewrite themselves with carriage returns."""
    if "\r" not in raw:
        return [raw[:LINE_AT_MOST]]
    stamp = _STAMP.match(raw[:_STAMP_AT_MOST])
    before, rest = (stamp.group(), raw[stamp.end() :]) if stamp is not None else ("", raw)
    return [before + piece[:LINE_AT_MOST] for piece in rest.split("\r") if piece]


def line_of(raw: str) -> Line:
    """One line, cut to a bearable length first."""
    text = raw[:LINE_AT_MOST]
    if "\x1b" in text:
        text = _plain(text)
    head = _HEAD.match(text)
    assert head is not None  # it may be empty
    stamp, process, level, clock = head.groups("")
    if process and "pid=" not in process:
        return _late_record(stamp, "", text[len(stamp) :].lstrip(" "))
    text = text[head.end() :]
    if not level and ".py:" in text[:HEAD_AT_MOST]:
        return _late_record(stamp, process, text)
    return Line(stamp, process, level, clock, text)


def _plain(text: str) -> str:
    """Without colours; those that vLLM gives its process names go the quick way."""
    for colour in _OWN_COLOURS:
        text = text.replace(colour, "")
    return COLOUR.sub("", text) if "\x1b" in text else text


def _late_record(stamp: str, process: str, text: str) -> Line:
    """A record behind a prefix that is not vLLM's own."""
    record = _RECORD.search(text, 0, HEAD_AT_MOST)
    if record is None:
        return Line(stamp, process, "", "", text)
    return Line(stamp, process, record[1], record[2], text[record.end() :])


def without_repeats(text: str) -> str:
    """Without what Ray puts at the end of a line that it left out elsewhere."""
    return _RAY_REPEAT.sub("", text) if text.endswith("across cluster]") else text


def words_of(text: str) -> list[bytes]:
    """The words of a text; ASCII's punctuation but `_` parts them."""
    return text.encode("utf-8", "replace").translate(_BETWEEN_WORDS).split()


def stamp_s(stamp: str) -> float | None:
    """A kubelet's stamp as seconds since the epoch, None if it is none."""
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except ValueError:
        return None


def stamped_at(raw: str) -> float | None:
    """The kubelet's stamp before a line, in seconds since the epoch; None if there is none."""
    stamp = _STAMP.match(raw[:_STAMP_AT_MOST])
    return None if stamp is None else stamp_s(stamp[1])


def clock_s(clock: str, *, near: float | None) -> float | None:
    """vLLM's own clock as seconds since the epoch, None if it is none.

    It has no year and no zone: UTC, and the year that brings it within half a year of `near`
    (seconds since the epoch); without `near` only differences mean something.
    """
    year = _ANY_LEAP_YEAR if near is None else datetime.fromtimestamp(near, UTC).year
    values = [_in_year(clock, each) for each in (year, year + 1, year - 1)]
    known = [value for value in values if value is not None]
    if near is None or not known:
        return values[0]
    return min(known, key=lambda value: abs(value - near))


def _in_year(clock: str, year: int) -> float | None:
    try:
        return datetime.fromisoformat(f"{year}-{clock}+00:00").timestamp()
    except ValueError:
        return None

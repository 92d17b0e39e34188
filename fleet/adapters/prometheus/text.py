"""The text format of metrics pages (0.0.4): the samples that are wanted, the rest is skipped.

Tolerant: a line that cannot be read is left out, a page is never refused for one.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_.:]*)\s*=\s*"((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")
NEW_LINE = {"n": "\n"}


class Sample(NamedTuple):
    """One series' value as the page has it."""

    name: str
    labels: dict[str, str]
    value: float


def samples(text: str, *, wanted: Collection[str]) -> Iterator[Sample]:
    """Those whose name is wanted. Labels without a value are as good as absent."""
    for line in text.split("\n"):
        name = _name(line)
        if name not in wanted:
            continue
        start, end = line.find("{"), line.rfind("}")
        has_labels = 0 <= start < end
        value = _value(line[end + 1 :] if has_labels else line[len(name) :])
        if value is not None:
            yield Sample(name, _labels(line[start:end]) if has_labels else {}, value)


def _name(line: str) -> str:
    """Up to the labels or to the first blank."""
    return line.partition("{")[0].partition(" ")[0]


def _labels(text: str) -> dict[str, str]:
    return {label: _plain(value) for label, value in LABEL.findall(text) if value}


def _plain(text: str) -> str:
    if "\\" not in text:
        return text
    return ESCAPED.sub(lambda found: NEW_LINE.get(found[1], found[1]), text)


def _value(text: str) -> float | None:
    """The first word; a time stamp may follow."""
    try:
        return float(text.split(None, 1)[0])
    except (ValueError, IndexError):
        return None

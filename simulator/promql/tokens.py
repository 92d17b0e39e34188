"""From a query's text to its tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simulator.promql.errors import ParseError

_PATTERN = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
  | (?P<duration>(?:\d+(?:ms|[smhdwy]))+(?![\w.]))
  | (?P<number>0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?!\w))
  | (?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`[^`]*`)
  | (?P<operator>=~|!~|==|!=|>=|<=|[-+*/%^<>=(){}\[\],:@])
    """,
    re.VERBOSE,
)
_UNITS_MS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
    "y": 31_536_000_000,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}


@dataclass(frozen=True, slots=True)
class Token:
    """kind: duration, number, name, string, operator, or end. position: from 0."""

    kind: str
    text: str
    position: int


def tokens(text: str) -> list[Token]:
    found, at = list[Token](), 0
    while at < len(text):
        match = _PATTERN.match(text, at)
        if match is None or match.lastgroup is None:
            raise ParseError(at, f"unexpected character: {text[at]!r}")
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup, match.group(), at))
        at = match.end()
    return [*found, Token("end", "end of input", len(text))]


def duration_ms(text: str) -> int:
    """5m, 1h30m."""
    parts = re.findall(r"(\d+)(ms|[smhdwy])", text)
    return sum(int(number) * _UNITS_MS[unit] for number, unit in parts)


def unquoted(text: str) -> str:
    """The text of a string token."""
    if text[0] == "`":
        return text[1:-1]
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1])

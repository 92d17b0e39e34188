"""A query as a tree. position: where in its text a node begins, from 0."""

from __future__ import annotations

import re
from dataclasses import dataclass

SCALAR, STRING = "scalar", "string"
VECTOR, MATRIX = "instant vector", "range vector"


@dataclass(frozen=True, slots=True)
class Matcher:
    """name op value, with op one of = != =~ !~."""

    name: str
    operator: str
    value: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.value)

    def holds(self, found: str) -> bool:
        if self.operator in ("=", "!="):
            return (found == self.value) == (self.operator == "=")
        return (self.pattern.fullmatch(found) is not None) == (self.operator == "=~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    position: int
    value: float
    type: str = SCALAR


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    position: int
    value: str
    type: str = STRING


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """range_ms: None for an instant vector."""

    position: int
    matchers: tuple[Matcher, ...]
    offset_ms: int = 0
    range_ms: int | None = None

    @property
    def type(self) -> str:
        return VECTOR if self.range_ms is None else MATRIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    position: int
    function: str
    arguments: tuple[Node, ...]
    type: str = VECTOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """without: labels are those that go. parameter: of topk, bottomk and quantile."""

    position: int
    operator: str
    of: Node
    labels: tuple[str, ...] = ()
    without: bool = False
    parameter: Node | None = None
    type: str = VECTOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """How two vectors are joined. on: by these labels alone, else by all others. many: the side
    that has several for one of the other (left, right), with include taken over."""

    labels: tuple[str, ...] = ()
    on: bool = False
    many: str = ""
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """as_bool: a comparison gives 0 or 1 rather than a filter."""

    position: int
    operator: str
    left: Node
    right: Node
    matching: Matching
    as_bool: bool = False

    @property
    def type(self) -> str:
        return SCALAR if self.left.type == self.right.type == SCALAR else VECTOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Negative:
    position: int
    of: Node

    @property
    def type(self) -> str:
        return self.of.type


Node = Number | Text | Selector | Call | Aggregation | Binary | Negative

"""What tables of a report are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.words import Words

BETTER, WORSE = "better", "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One phase of a drawn sum. x, width: %."""

    phase: str
    says: str
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseBar:
    """Where time went, drawn; `spoken` says the same."""

    pieces: tuple[Piece, ...]
    spoken: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """text: what it says. link: "" = none. number: set to the right. tone: better, worse or ""."""

    text: Words
    link: str = ""
    number: bool = False
    tone: str = ""
    under: Words = ""
    bar: PhaseBar | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A column. drawn: of bars; its cells have no text."""

    title: Words
    number: bool = False
    drawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One table with what must be said of it. width: how much of the page's width it needs, in
    sixths. folded: long, shown when asked for."""

    id: str
    title: Words
    note: Words = ""
    heads: Sequence[Head] = ()
    rows: Sequence[Sequence[Cell]] = ()
    empty: Words = ""
    width: int = 3
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One figure of the week with last week's. change "" = last week is not known."""

    title: Words
    value: str
    last_week: str
    change: str
    tone: str = ""
    says: Words = ""


def number(text: Words, *, tone: str = "") -> Cell:
    return Cell(text=text, number=True, tone=tone)


def tone_of(change: float | None, *, from_: float = 0.0) -> str:
    """More is worse, here: of starts' time and of failures. from_: smaller changes have no tone."""
    if change is None or abs(change) <= from_:
        return ""
    return WORSE if change > 0 else BETTER


def numbers(*titles: Words) -> tuple[Head, ...]:
    """Heads of columns of numbers."""
    return tuple(Head(title=title, number=True) for title in titles)

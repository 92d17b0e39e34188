"""What a table is: named columns over rows of one kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from dashboard.words import Words

R = TypeVar("R")
# None = not known: an empty cell in CSV, null in JSON.
Cell = str | int | float | bool | datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Generic[R]):
    """name: in files, with its unit ("total_s"). title: on pages; "" = in files only."""

    name: str
    value: Callable[[R], Cell]
    title: Words = ""
    css: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Generic[R]):
    """name: of the table and of its files."""

    name: str
    columns: tuple[Column[R], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def heads(self) -> tuple[Column[R], ...]:
        """The columns that a page shows."""
        return tuple(column for column in self.columns if column.title)

    def cells(self, row: R) -> tuple[Cell, ...]:
        return tuple(column.value(row) for column in self.columns)


def column(
    name: str, value: Callable[[R], Cell] | None = None, title: Words = "", *, css: str = ""
) -> Column[R]:
    """A column; without a value it is the row's attribute of that name, "" read as not known."""
    return Column(name=name, value=value or _attribute(name), title=title, css=css)


def _attribute(name: str) -> Callable[[R], Cell]:
    def value(row: R) -> Cell:
        found: Cell = getattr(row, name)
        return None if found == "" else found

    return value

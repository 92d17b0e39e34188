"""Rows of a table as pieces of a CSV or JSON file, some hundred rows a piece."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import msgspec

from dashboard.tables.columns import Cell, R, Table

# Rows are read and written so many at a time: some 100 KB a piece.
ROWS_A_PIECE = 200
# A cell that begins so is taken for a formula by spreadsheets, in some of them in wide letters too.
# Source: OWASP, "CSV Injection".
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

Written = Callable[[Table[Any], Iterable[Any]], Iterator[bytes]]


def csv_pieces(table: Table[R], rows: Iterable[R]) -> Iterator[bytes]:
    """A line of names, then one line a row; CRLF and quotes as RFC 4180 has it."""
    yield _lines([table.names])
    for some in _pieces(rows):
        yield _lines([[csv_cell(cell) for cell in table.cells(row)] for row in some])


def json_pieces(table: Table[R], rows: Iterable[R]) -> Iterator[bytes]:
    """`{"items": [{…}, …]}`: numbers are numbers, times RFC 3339 UTC, not known is null."""
    yield b'{"items":['
    parted = b""
    for some in _pieces(rows):
        yield parted + b",\n".join(_object(table, row) for row in some)
        parted = b",\n"
    yield b"]}\n"


FORMS: Mapping[str, tuple[str, Written]] = {
    "csv": ("text/csv; charset=utf-8", csv_pieces),
    "json": ("application/json", json_pieces),
}


def csv_cell(cell: Cell) -> str | int | float:
    """Names come from clusters: none may become a formula. A number stays one, minus and all."""
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        return _utc(cell)
    if isinstance(cell, str) and cell.startswith(FORMULA):
        return f"'{cell}"
    return cell


def _object(table: Table[R], row: R) -> bytes:
    cells = (_utc(cell) if isinstance(cell, datetime) else cell for cell in table.cells(row))
    return msgspec.json.encode(dict(zip(table.names, cells, strict=True)))


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _lines(lines: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(lines)
    return text.getvalue().encode(errors="replace")


def _pieces(rows: Iterable[R]) -> Iterator[list[R]]:
    left = iter(rows)
    while some := list(islice(left, ROWS_A_PIECE)):
        yield some

"""Tables as files: what spreadsheets and programs get."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest

from dashboard.tables.columns import Cell, Table, column
from dashboard.tables.written import ROWS_A_PIECE, csv_cell, csv_pieces, json_pieces


@dataclass(frozen=True)
class Line:
    """A row of the tests."""

    name: str
    seconds: float | None = None


LINES: Table[Line] = Table(
    name="lines",
    columns=(
        column("name", title="Name"),
        column("seconds_s", lambda line: line.seconds),
        column("at", lambda line: datetime(2026, 11, 30, 13, tzinfo=timezone(timedelta(hours=1)))),
    ),
)


def read_csv(rows: list[Line]) -> list[list[str]]:
    text = b"".join(csv_pieces(LINES, rows)).decode()
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        pytest.param("=1+1", "'=1+1", id="a formula"),
        pytest.param("+49", "'+49", id="a plus"),
        pytest.param("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0", id="a minus in a text"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="an at"),
        pytest.param("\t=1", "'\t=1", id="a tab before it"),
        pytest.param("\r=1", "'\r=1", id="a carriage return before it"),
        pytest.param("\n=1", "'\n=1", id="a new line before it"),
        pytest.param("＝1", "'＝1", id="a wide equals sign"),
        pytest.param("a=1", "a=1", id="within a text it does no harm"),
        pytest.param(-1.5, -1.5, id="a number below zero stays a number"),
        pytest.param(0, 0, id="zero is known"),
        pytest.param(None, "", id="not known is empty"),
        pytest.param(float("nan"), "", id="no number is empty"),
        pytest.param(float("inf"), "", id="without end is empty"),
        pytest.param(True, "true", id="yes"),
        pytest.param(False, "false", id="no"),
        pytest.param(datetime(2026, 11, 30, tzinfo=UTC), "2026-11-30T00:00:00Z", id="a moment"),
    ],
)
def test_a_cell_for_spreadsheets(cell: Cell, written: object) -> None:
    assert csv_cell(cell) == written
    assert isinstance(csv_cell(cell), type(written))


def test_csv_comes_back_as_it_was_written() -> None:
    assert read_csv([Line('a "quoted", name\r\nof two lines', -2.5), Line("=1")]) == [
        ["name", "seconds_s", "at"],
        ['a "quoted", name\r\nof two lines', "-2.5", "2026-11-30T12:00:00Z"],
        ["'=1", "", "2026-11-30T12:00:00Z"],
    ]


def test_json_keeps_kinds_and_needs_no_quoting() -> None:
    text = b"".join(json_pieces(LINES, [Line("=1", -2.5), Line("", float("nan"))]))
    assert json.loads(text)["items"] == [
        {"name": "=1", "seconds_s": -2.5, "at": "2026-11-30T12:00:00Z"},
        {"name": None, "seconds_s": None, "at": "2026-11-30T12:00:00Z"},
    ]


@pytest.mark.parametrize("count", [0, 1, ROWS_A_PIECE, ROWS_A_PIECE + 1, 3 * ROWS_A_PIECE])
def test_pieces_join_into_one_file(count: int) -> None:
    rows = [Line(f"row {n}", n) for n in range(count)]
    assert len(json.loads(b"".join(json_pieces(LINES, rows)))["items"]) == count
    assert len(read_csv(rows)) == count + 1


def test_rows_are_read_only_as_they_are_sent() -> None:
    read = 0

    def endless() -> Iterator[Line]:
        nonlocal read
        while True:
            read += 1
            yield Line(f"row {read}")

    pieces = csv_pieces(LINES, endless())
    next(pieces), next(pieces)
    assert read == ROWS_A_PIECE


def test_a_page_shows_the_columns_that_have_a_title() -> None:
    assert [head.name for head in LINES.heads] == ["name"]

"""A report as Markdown: for a chat, a wiki, a ticket."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from dashboard.reports.cells import Cell, Section, Tile
from dashboard.reports.page import ReportPage

# What could end a cell, begin a link, a tag, code or emphasis. Names come from clusters.
SPECIAL = re.compile(r"([\\`*_\[\]<>|#~!$&])")


def markdown(page: ReportPage) -> str:
    """The whole report; folded tables too."""
    return "\n".join(_lines(page)) + "\n"


def _lines(page: ReportPage) -> Iterator[str]:
    yield f"# {plain(page.title)}"
    yield from ("", f"{plain(page.days)}. {plain(page.about)}.", "", plain(page.standing))
    for notice in page.notices:
        yield from ("", f"> {plain(notice)}")
    if page.nothing:
        yield from ("", plain(page.nothing))
    else:
        yield from _tiles(page.tiles)
    for section in page.sections:
        yield from _section(section)


def _tiles(tiles: Sequence[Tile]) -> Iterator[str]:
    yield ""
    yield _row(["", _("This week"), _("Last week"), _("Change")])
    yield "|---|---:|---:|---:|"
    for tile in tiles:
        yield _row([str(tile.title), tile.value, tile.last_week, tile.change])


def _section(section: Section) -> Iterator[str]:
    yield from ("", f"## {plain(str(section.title))}")
    if section.note:
        yield from ("", plain(str(section.note)))
    yield ""
    if not section.rows:
        yield plain(str(section.empty))
        return
    # A drawn column says nothing here.
    shown = [n for n, head in enumerate(section.heads) if not head.drawn]
    yield _row([str(section.heads[n].title) for n in shown])
    yield "|" + "|".join("---:" if section.heads[n].number else "---" for n in shown) + "|"
    for row in section.rows:
        yield _row([_text(row[n]) for n in shown])


def _text(cell: Cell) -> str:
    return f"{cell.text} ({cell.under})" if cell.under else str(cell.text)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(plain(cell) for cell in cells) + " |"


def plain(text: str) -> str:
    """One line that Markdown takes for text and nothing else, without what a terminal obeys and
    what turns the order of letters."""
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join(each if each.isprintable() else " " for each in line)
    return SPECIAL.sub(r"\\\1", line)

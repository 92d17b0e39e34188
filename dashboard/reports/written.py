"""A report as a file. The same report gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string

from dashboard.reports.markdown import markdown
from dashboard.reports.page import report_page
from dashboard.reports.table import REPORT, rows_of
from dashboard.tables.written import csv_pieces
from fleet.domain.reports.report import Report
from fleet.domain.reports.shape import report_shape

STYLES = ("css/tokens.css", "css/base.css", "css/fleet.css", "css/detail.css", "css/report.css")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a report is written, and what such a file is."""

    content_type: str
    write: Callable[[Report], bytes]


def as_json(report: Report) -> bytes:
    """As the API tells it."""
    return msgspec.json.format(msgspec.json.encode(report_shape(report)), indent=2) + b"\n"


def as_csv(report: Report) -> bytes:
    """One table: the whole, start modes, teams, clusters, models."""
    return b"".join(csv_pieces(REPORT, rows_of(report)))


def as_markdown(report: Report) -> bytes:
    return markdown(report_page(report)).encode()


def as_html(report: Report) -> bytes:
    """One file that needs no other: for a mail's attachment, an archive, a printer."""
    context = {"page": report_page(report), "styles": [_style(name) for name in STYLES]}
    return render_to_string("reports/alone.html", context).encode()


def _style(name: str) -> str:
    path = finders.find(name)
    return Path(path).read_text() if path else ""


FORMS: Mapping[str, Form] = {
    "html": Form(content_type="text/html; charset=utf-8", write=as_html),
    "csv": Form(content_type="text/csv; charset=utf-8", write=as_csv),
    "json": Form(content_type="application/json", write=as_json),
    "md": Form(content_type="text/markdown; charset=utf-8", write=as_markdown),
}

"""A report as a file: the same facts give the same bytes, and no name becomes anything else."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from dashboard.reports.markdown import plain
from dashboard.reports.written import FORMS
from fleet.domain.reports.facts import WeekFacts
from fleet.domain.reports.report import Choice, Kept, Report, report_of
from tests.factories import HOSTILE
from tests.fleet.domain.reports.made import MADE_AT, WEEK, facts, failed, line, sight, start

KEPT = Kept(revision=1, created_at=MADE_AT, why="")
WEEKS = facts(
    line("llama", [start(60.0)] * 20 + [failed()], [start(50.0)] * 5),
    line("=cmd|x", [start(30.0)], team="+1", environment="@home", namespace="-n"),
    line(HOSTILE, [start(90.0)], team=HOSTILE, created_at=WEEK.since),
    sights=(sight("a", blind_s=7200.0), sight("b", blind_s=None, thin_s=None)),
)


def report(of: WeekFacts = WEEKS) -> Report:
    return report_of(of, Choice(), kept=KEPT)


@pytest.mark.parametrize("form", FORMS)
def test_equal_facts_give_equal_bytes(form: str) -> None:
    turned = replace(WEEKS, lines=WEEKS.lines[::-1])
    assert FORMS[form].write(report()) == FORMS[form].write(report(turned))


@pytest.mark.parametrize(
    "of",
    [
        pytest.param(facts(), id="a week without a start"),
        pytest.param(facts(first_data_at=None), id="nothing was ever watched"),
        pytest.param(facts(first_data_at=WEEK.until), id="before the first data"),
        pytest.param(facts(counted_until=WEEK.since, counted_at=WEEK.since), id="just begun"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_weeks_with_little_in_them(form: str, of: WeekFacts) -> None:
    text = FORMS[form].write(replace(report(of), kept=None)).decode()
    assert "2026-W48" in text
    assert "None" not in text.replace("None.", "")


def test_csv_has_the_whole_then_modes_teams_clusters_models() -> None:
    rows = list(csv.DictReader(io.StringIO(FORMS["csv"].write(report()).decode())))
    assert [row["row"] for row in rows] == [
        *("all", "start-mode", "team", "team", "team"),
        *("cluster", "cluster", "model", "model", "model"),
    ]
    whole, mode = rows[0], rows[1]
    assert (whole["starts"], whole["failed"], whole["last_week_starts"]) == ("23", "1", "5")
    assert (mode["start_mode"], mode["p50_s"], mode["failed"]) == ("cached-image", "60.0", "")
    blind = {row["cluster"]: row["blind_s"] for row in rows if row["row"] == "cluster"}
    assert blind == {"a": "7200.0", "b": ""}


def test_no_cell_becomes_a_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(FORMS["csv"].write(report()).decode())))
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "'=cmd|x" in cells


def test_json_is_what_the_api_tells() -> None:
    body = json.loads(FORMS["json"].write(report()))
    assert body["lower_bounds"] is True
    assert body["this_week"]["starts"] == 23
    assert [c["blind_s"] for c in body["clusters"]] == [7200.0, None]
    assert body["worst"]["models"][0] == "a/InferenceService/chat/llama"


def test_markdown_marks_lower_bounds_and_escapes_names() -> None:
    text = FORMS["md"].write(report()).decode()
    assert "| Starts | ≥ 23 | 5 | +18 |" in text
    assert "| Failed starts | ≥ 1 | 0 | +1 |" in text
    assert "=cmd\\|x" in text
    assert "<img" not in text.replace("\\<img", "")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        pytest.param("a|b", "a\\|b", id="would end the cell"),
        pytest.param("a\n\n# b", "a \\# b", id="would end the table"),
        pytest.param("[x](http://y)", "\\[x\\](http://y)", id="would be a link"),
        pytest.param("<b>", "\\<b\\>", id="would be a tag"),
        pytest.param(
            "a\x1b[31mb\u202ec", "a \\[31mb c", id="would colour a terminal, or turn letters"
        ),
        pytest.param("llama-3-8b", "llama-3-8b", id="an ordinary name"),
    ],
)
def test_plain(text: str, escaped: str) -> None:
    assert plain(text) == escaped


def test_html_stands_alone_and_escapes_names() -> None:
    text = FORMS["html"].write(report()).decode()
    assert "@media print" in text
    assert HOSTILE not in text
    assert "<script" not in text
    assert "<link" not in text
    assert "href=" not in text
    assert "these numbers stay as they are" in text


def test_what_was_made_again_says_why() -> None:
    again = Kept(revision=2, created_at=MADE_AT, why="late starts")
    text = FORMS["md"].write(replace(report(), kept=again)).decode()
    assert "revision 2" in text
    assert "Made once more because: late starts" in text


def test_more_models_than_a_page_shows() -> None:
    many = facts(*(line(f"m{n:03}", [start()]) for n in range(203)))
    text = FORMS["md"].write(report(many)).decode()
    assert "203 models with starts" in text
    assert "3 more stand in the CSV file." in text
    assert len(FORMS["csv"].write(report(many)).splitlines()) == 1 + 1 + 1 + 1 + 1 + 203

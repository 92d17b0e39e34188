"""manage.py report: writes to standard output, keeps what is over, says what is wrong with 2."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command

from fleet.domain.reports.week import Week
from fleet.models import Report
from tests.factories import make_cluster, make_model, make_start

pytestmark = pytest.mark.django_db

WEEK = Week(2026, 48)
NOW = WEEK.until + timedelta(hours=12)


@pytest.fixture(autouse=True)
def _a_week() -> Iterator[None]:
    make_cluster(created_at=WEEK.before.since, last_proof_at=NOW)
    make_start(make_model(team="search"), started_at=WEEK.since)
    with time_machine.travel(NOW, tick=False):
        yield


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("report", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.mark.parametrize(
    ("form", "has"),
    [
        pytest.param("md", "# Week 2026-W48", id="Markdown"),
        pytest.param("csv", "row,week,start_mode", id="CSV"),
        pytest.param("json", '"week": "2026-W48"', id="JSON"),
        pytest.param("html", "<!doctype html>", id="HTML"),
    ],
)
def test_each_form_is_the_same_forever(form: str, has: str) -> None:
    first = said("--week", "2026-W48", "--format", form)
    assert has in first
    make_start(make_model("late"), started_at=WEEK.since)
    assert said("--week", "2026-W48", "--format", form) == first
    assert Report.objects.get().revision == 1


def test_once_more_with_a_reason() -> None:
    said("--week", "2026-W48")
    assert "revision 2" in said("--week", "2026-W48", "--again", "late starts")
    assert "late starts" in said("--week", "2026-W48")
    assert "revision 1" in said("--week", "2026-W48", "--revision", "1")


def test_a_part_of_the_fleet() -> None:
    assert "| Starts | 1 |" in said("--week", "2026-W48", "--team", "search")
    assert "| Starts | 0 |" in said("--week", "2026-W48", "--team", "nobody")


def test_a_running_week_is_told_and_not_kept() -> None:
    assert "So far" in said("--week", "2026-W49")
    assert Report.objects.count() == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("--week", "2026-W60"), "W01 to W53", id="no such week"),
        pytest.param(("--week", "W1"), "like 2026-W48", id="no week"),
        pytest.param(("--week", "2026-W50"), "has not begun", id="a future week"),
        pytest.param(("--week", "2026-W48", "--revision", "7"), "revision 7", id="no revision"),
        pytest.param(("--week", "2026-W48", "--again", " "), "say why", id="no reason"),
        pytest.param(("--week", "2026-W49", "--again", "x"), "is not over", id="not over"),
    ],
)
def test_wrong_input_ends_with_2(arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError, match=says) as refused:
        said(*arguments)
    assert refused.value.returncode == 2

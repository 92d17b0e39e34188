"""The list of weeks, one week, its files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from fleet.domain.reports.week import Week
from fleet.models import Report
from fleet.reporting.weekly import make_again, make_report
from tests.factories import make_cluster, make_model, make_start, make_user

pytestmark = pytest.mark.django_db

WEEK = Week(2026, 48)
NOW = WEEK.until + timedelta(hours=12)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _standing_clock() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def _weeks() -> None:
    """Two teams with starts in two weeks, one report made."""
    make_cluster(created_at=WEEK.before.since, last_proof_at=NOW)
    for name, team, namespace in (("llama", "discovery", "chat"), ("qwen", "ads", "rag")):
        model = make_model(name, team=team, namespace=namespace, created_at=WEEK.before.since - DAY)
        for n in range(3):
            make_start(model, started_at=WEEK.since + n * DAY)
            make_start(model, started_at=WEEK.before.since + n * DAY)
        make_start(model, started_at=WEEK.until + timedelta(hours=1))
    make_report(WEEK, now=NOW)


def asked(path: str, *, status: int = 200, namespaces: Sequence[str] = ()) -> str:
    client = Client()
    client.force_login(make_user(role="viewer", namespaces=namespaces))
    response = client.get(path)
    assert response.status_code == status
    return response.content.decode()


def words(html: str) -> str:
    """The text of a page on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.usefixtures("_weeks")
def test_the_list_of_weeks() -> None:
    text = words(asked("/reports/"))
    assert re.search(r"2026-W49 Mon 30 Nov 2026 – Sun 6 Dec 2026 so far 2 0 too few", text)
    assert re.search(r"2026-W48 .* 2026-11-30 12:00 UTC 6 0 1:24 too few 8 min", text)
    assert re.search(r"2026-W47 Mon 16 Nov 2026 – Sun 22 Nov 2026 not made yet – –", text)
    assert "2026-W46" not in text


def test_older_weeks_are_a_page_away() -> None:
    make_cluster(created_at=NOW - 200 * DAY, last_proof_at=NOW)
    first = asked("/reports/")
    [older] = re.findall(r"\?before=(\d{4}-W\d\d)", first)
    assert older == "2026-W38"
    second = words(asked(f"/reports/?before={older}"))
    assert "2026-W37" in second
    assert "2026-W38" not in second


def test_nothing_followed_yet() -> None:
    assert "No week yet" in asked("/reports/")
    assert "no cluster was ever followed" in asked("/reports/2026-W48/")


@pytest.mark.usefixtures("_weeks")
def test_one_week_beside_its_last() -> None:
    html = asked("/reports/2026-W48/")
    text = words(html)
    assert "Week 2026-W48 Mon 23 Nov 2026 – Sun 29 Nov 2026, UTC" in text
    assert "Made on 2026-11-30 12:00 UTC, revision 1" in text
    assert "Starts 6 last week 6 ±0" in text
    assert "p50 to Ready 1:24 last week 1:24 ±0 of 6 ready starts, all modes" in text
    assert "By seconds waited: from demand to Ready, and spent in starts that failed." in text
    assert 'href="/models/demo-a/InferenceService/chat/llama/"' in html
    assert 'href="/reports/2026-W47/"' in html
    assert 'href="/reports/2026-W49/"' in html
    assert 'href="/reports/2026-W48.csv"' in html


@pytest.mark.usefixtures("_weeks")
def test_a_running_week_says_so_and_has_no_next() -> None:
    html = asked("/reports/2026-W49/")
    assert "So far: the week still runs, this was counted at 2026-11-30 12:00 UTC." in html
    assert "2026-W50" not in html


@pytest.mark.usefixtures("_weeks")
def test_filters_stand_in_the_address_and_in_files() -> None:
    html = asked("/reports/2026-W48/?team=ads")
    assert "Starts 3" in words(html)
    assert '<option value="ads" selected>' in html
    assert 'href="/reports/2026-W48.csv?team=ads"' in html
    assert 'href="/reports/2026-W47/?team=ads"' in html
    assert ",llama," not in asked("/reports/2026-W48.csv?team=ads")


@pytest.mark.usefixtures("_weeks")
def test_a_viewer_of_one_namespace_learns_no_other() -> None:
    for path in ("/reports/2026-W48/", "/reports/2026-W48.csv", "/reports/2026-W48.json"):
        text = asked(path, namespaces=["rag"])
        assert "qwen" in text
        assert "llama" not in text
        assert "discovery" not in text
    assert "2026-W48" in asked("/reports/", namespaces=["rag"])


@pytest.mark.usefixtures("_weeks")
def test_revisions_are_all_there() -> None:
    make_again(WEEK, why="late starts", now=NOW + DAY)
    html = asked("/reports/2026-W48/")
    assert "Made once more because: late starts" in html
    assert '?revision=1"' in html
    assert "revision 1" in asked("/reports/2026-W48/?revision=1")
    assert Report.objects.count() == 2


@pytest.mark.usefixtures("_weeks")
def test_the_same_numbers_forever() -> None:
    before = asked("/reports/2026-W48.json")
    make_start(make_model("late"), started_at=WEEK.since)
    assert asked("/reports/2026-W48.json") == before


@pytest.mark.usefixtures("_weeks")
@pytest.mark.parametrize(
    ("path", "says"),
    [
        pytest.param("/reports/2026-W60/", "the weeks of 2026 are W01 to W53", id="no such week"),
        pytest.param("/reports/W1/", "like 2026-W48", id="no week at all"),
        pytest.param("/reports/2026-W50/", "has not begun", id="a future week"),
        pytest.param("/reports/2026-W60.csv", "W01 to W53", id="a file of no such week"),
        pytest.param("/reports/2026-W48.pdf", "html, csv, json, md are", id="no such form"),
        pytest.param("/reports/2026-W48/?revision=9", "no report of revision 9", id="revision"),
        pytest.param("/reports/2026-W48/?revision=x", "expected a number", id="no revision"),
        pytest.param("/reports/?before=x", "like 2026-W48", id="no week to go on from"),
    ],
)
def test_what_is_not_there_is_a_404_with_words(path: str, says: str) -> None:
    assert says in words(asked(path, status=404))


def test_nobody_reads_it_without_signing_in() -> None:
    assert Client().get("/reports/2026-W48.csv").status_code == 302


@pytest.mark.usefixtures("_weeks")
def test_a_week_before_the_first_data() -> None:
    text = words(asked("/reports/2026-W40/"))
    assert "Nothing was watched in this week: watching began on 2026-11-16 00:00 UTC." in text
    assert "Starts" not in text

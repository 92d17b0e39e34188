"""A report is made once, and tells the same numbers forever."""

import json
from datetime import datetime, timedelta

import pytest

from fleet.domain.reports.report import Choice, Report
from fleet.domain.reports.shape import report_shape
from fleet.domain.reports.week import Week
from fleet.errors import BadInput
from fleet.history.reports import keep_again, keep_first, revisions_of
from fleet.history.week_facts import count_week
from fleet.models import Cluster, ColdStart, ServedModel
from fleet.models import Report as Row
from fleet.reporting.weekly import make_again, make_due_reports, make_report, read_report
from tests.factories import make_cluster, make_model, make_start

pytestmark = pytest.mark.django_db

WEEK = Week(2026, 48)
NOW = WEEK.until + timedelta(minutes=15)
DAY = timedelta(days=1)
ALL = Choice()


@pytest.fixture
def model() -> ServedModel:
    make_cluster(created_at=WEEK.since - 30 * DAY, last_proof_at=NOW)
    found = make_model(created_at=WEEK.since - 60 * DAY)
    make_start(found, started_at=WEEK.since + DAY)
    return found


def text(report: Report) -> str:
    return json.dumps(report_shape(report))


def read(week: Week = WEEK, **fields: int) -> Report:
    return read_report(week, ALL, now=NOW + DAY, revision=fields.get("revision"))


def test_a_kept_report_does_not_change_with_its_facts(model: ServedModel) -> None:
    assert make_report(WEEK, now=NOW)
    first = text(read())
    make_start(model, started_at=WEEK.since + 2 * DAY)
    ServedModel.objects.update(team="elsewhere")
    ColdStart.objects.first().delete()  # type: ignore[union-attr]  # there is one
    Cluster.objects.update(removed_at=NOW)
    assert text(read()) == first
    assert json.loads(first)["revision"] == 1


def test_it_is_made_once(model: ServedModel) -> None:
    assert make_report(WEEK, now=NOW)
    assert not make_report(WEEK, now=NOW + DAY)
    assert Row.objects.count() == 1


def test_of_two_workers_at_once_one_keeps_it(model: ServedModel) -> None:
    facts = count_week(WEEK, now=NOW, last_week=None)
    assert keep_first(facts)
    assert not keep_first(facts)
    assert Row.objects.count() == 1


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(WEEK.until - DAY, id="while it runs"),
        pytest.param(WEEK.until + timedelta(minutes=14), id="before it is settled"),
    ],
)
def test_it_is_not_made_too_early(model: ServedModel, now: datetime) -> None:
    assert not make_report(WEEK, now=now)
    assert Row.objects.count() == 0


def test_a_week_without_a_report_is_counted_once_a_minute(model: ServedModel) -> None:
    report = read()
    assert report.kept is None
    assert report.this_week is not None
    assert report.this_week.starts == 1
    make_start(model, started_at=WEEK.since + 2 * DAY)
    looked = (NOW + DAY, NOW + DAY + timedelta(seconds=59), NOW + DAY + timedelta(seconds=60))
    totals = [read_report(WEEK, ALL, now=now).this_week for now in looked]
    assert [total and total.starts for total in totals] == [1, 1, 2]


def test_once_more_stands_beside_and_says_why(model: ServedModel) -> None:
    make_report(WEEK, now=NOW)
    first = text(read())
    make_start(model, started_at=WEEK.since + 2 * DAY)
    kept = make_again(WEEK, why=" two starts came late ", now=NOW + DAY)
    assert (kept.revision, kept.why) == (2, "two starts came late")
    assert [one.revision for one in revisions_of(WEEK)] == [2, 1]
    newest = read()
    assert newest.kept is not None
    assert (newest.kept.revision, newest.kept.why) == (2, "two starts came late")
    assert text(read(revision=1)) == first


@pytest.mark.parametrize(
    ("week", "why", "says"),
    [
        pytest.param(WEEK, "  ", "say why", id="no reason"),
        pytest.param(WEEK.after, "x", "is not over", id="a running week"),
        pytest.param(Week(2020, 1), "x", "nothing was watched", id="before the first data"),
    ],
)
def test_once_more_is_refused(model: ServedModel, week: Week, why: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        make_again(week, why=why, now=NOW)
    assert Row.objects.count() == 0


def test_two_who_make_it_again_at_once(model: ServedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fleet.history.reports._keep", lambda *_, **__: False)
    with pytest.raises(BadInput, match="somebody else"):
        keep_again(count_week(WEEK, now=NOW, last_week=None), why="x")


def test_a_revision_that_there_is_not(model: ServedModel) -> None:
    make_report(WEEK, now=NOW)
    with pytest.raises(BadInput, match="no report of revision 7"):
        read(revision=7)


def test_last_week_is_told_as_its_own_report_told_it(model: ServedModel) -> None:
    make_report(WEEK, now=NOW)
    make_start(model, started_at=WEEK.since + 2 * DAY)
    after = read_report(WEEK.after, ALL, now=NOW + 6 * DAY)
    assert after.last_week is not None
    assert after.last_week.starts == 1


def test_due_reports_are_caught_up_the_oldest_first(model: ServedModel) -> None:
    make_report(WEEK.before, now=NOW)
    assert [str(week) for week in make_due_reports(now=NOW)] == ["2026-W45", "2026-W46", "2026-W48"]
    assert make_due_reports(now=NOW) == []


def test_nothing_is_due_before_the_week_is_settled(model: ServedModel) -> None:
    made = make_due_reports(now=WEEK.until + timedelta(minutes=14))
    assert str(WEEK) not in {str(week) for week in made}


@pytest.mark.parametrize(
    ("state", "made"),
    [
        pytest.param("reading", [], id="not while it is being read"),
        pytest.param("done", ["2026-W48"], id="once it is there"),
        pytest.param("failed", ["2026-W48"], id="also one that broke off, with its hours blind"),
    ],
)
def test_a_recorded_past_gets_its_reports(state: str, made: list[str]) -> None:
    since, read_to = (WEEK.since + n * DAY for n in (1, 5))
    past = {"state": state, "since": since.isoformat(), "read_to": read_to.isoformat()}
    make_cluster(created_at=WEEK.until, past=past)
    make_start(make_model(created_at=WEEK.since), started_at=WEEK.since + 2 * DAY)
    assert make_report(WEEK, now=NOW) == bool(made)
    Row.objects.all().delete()
    assert [str(week) for week in make_due_reports(now=NOW)] == made
    assert read().this_week is not None
    assert WEEK in make_due_reports(now=NOW + 2 * DAY) or made


def test_nothing_followed_nothing_due() -> None:
    assert make_due_reports(now=NOW) == []
    assert read().this_week is None
    assert not make_report(WEEK, now=NOW)

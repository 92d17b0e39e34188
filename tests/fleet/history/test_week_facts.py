"""A week counted from rows."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.domain.reports.facts import ModelLine, WeekFacts
from fleet.domain.reports.sight import Span
from fleet.domain.reports.week import Week
from fleet.history.counted import as_counted, counted, seconds_by_phase
from fleet.history.requests import METRICS
from fleet.history.week_facts import count_week
from fleet.models import Cluster, Gap, ServedModel
from tests.factories import make_cluster, make_model, make_start

pytestmark = pytest.mark.django_db

WEEK = Week(2026, 48)
NOW = WEEK.until + timedelta(minutes=15)
DAY = timedelta(days=1)
WEEK_SPAN = Span(WEEK.since, WEEK.until)


def counted_week(week: Week = WEEK, **fields: Any) -> WeekFacts:
    return count_week(week, **{"now": NOW, "last_week": None, **fields})


def only_line(facts: WeekFacts) -> ModelLine:
    [line] = facts.lines
    return line


@pytest.fixture
def cluster() -> Cluster:
    return make_cluster(created_at=WEEK.before.since - DAY, last_proof_at=NOW)


@pytest.fixture
def model(cluster: Cluster) -> ServedModel:
    return make_model(created_at=WEEK.since - 30 * DAY)


def test_starts_of_both_weeks_by_model(model: ServedModel) -> None:
    make_start(model, started_at=WEEK.since, trigger="rollout")
    make_start(model, started_at=WEEK.since + DAY, outcome="failed", failure_class="crash")
    make_start(model, started_at=WEEK.since - DAY)
    line = only_line(counted_week())
    assert (line.key, line.team, line.environment) == (model.key, "search", "prod")
    assert line.this_week.outcomes == {"failed": 1, "ready": 1}
    assert line.this_week.triggers == {"rollout": 1, "scale-from-zero": 1}
    assert line.this_week.failures == {"crash": 1}
    assert line.this_week.totals_ms == {"cached-image": [84000]}
    assert line.this_week.phases_ms["load-engine"] == 96000
    assert line.last_week is not None
    assert line.last_week.outcomes == {"ready": 1}


@pytest.mark.parametrize(
    ("offset", "this", "last"),
    [
        pytest.param(timedelta(), 1, 0, id="Monday 00:00 is this week's"),
        pytest.param(-timedelta(milliseconds=1), 0, 1, id="a moment before is last week's"),
        pytest.param(7 * DAY - timedelta(milliseconds=1), 1, 0, id="Sunday night is this week's"),
        pytest.param(7 * DAY, 0, 0, id="the next Monday is not"),
        pytest.param(-7 * DAY - timedelta(seconds=1), 0, 0, id="nor the week before last"),
    ],
)
def test_a_start_belongs_to_the_week_it_began_in(
    model: ServedModel, offset: timedelta, this: int, last: int
) -> None:
    make_start(model, started_at=WEEK.since + offset)
    lines = counted_week().lines
    assert sum(line.this_week.starts for line in lines) == this
    assert sum(line.last_week.starts for line in lines if line.last_week) == last


def test_a_running_week_ends_now(model: ServedModel) -> None:
    now = WEEK.since + DAY
    make_start(model, started_at=now + timedelta(seconds=1))
    facts = counted_week(now=now)
    assert (facts.lines, facts.counted_until) == ((), now)


def test_last_week_stays_as_it_was_kept(model: ServedModel) -> None:
    make_start(model, started_at=WEEK.since - DAY)
    kept = count_week(WEEK.before, now=WEEK.since, last_week=None)
    make_start(model, started_at=WEEK.since - DAY)
    as_kept, anew = (only_line(counted_week(last_week=of)).last_week for of in (kept, None))
    assert as_kept is not None
    assert anew is not None
    assert (as_kept.starts, anew.starts) == (1, 2)
    assert as_counted(kept).keys.keys() == as_counted(kept).tallies.keys()


def test_a_model_whose_row_is_gone_is_told_by_its_starts(model: ServedModel) -> None:
    make_start(model, started_at=WEEK.since)
    key = model.key
    model.delete()
    line = only_line(counted_week())
    assert (line.key, line.team, line.created_at) == (key, "", None)


def test_models_that_came_or_went_without_a_start(cluster: Cluster) -> None:
    make_model("new", created_at=WEEK.since)
    make_model("gone", created_at=WEEK.since - 9 * DAY, gone_at=WEEK.until - DAY)
    make_model("there", created_at=WEEK.since - 9 * DAY)
    make_model("later", created_at=WEEK.until)
    assert [line.key.name for line in counted_week().lines] == ["gone", "new"]


def test_starts_from_before_their_cluster_was_followed_are_left_out(cluster: Cluster) -> None:
    make_cluster("late", created_at=WEEK.since + DAY)
    model = make_model("m", cluster="late", created_at=WEEK.since - 9 * DAY)
    make_start(model, started_at=WEEK.since)
    make_start(model, started_at=WEEK.since + 2 * DAY)
    line = only_line(counted_week())
    assert (line.this_week.starts, line.last_week) == (1, None)


@pytest.mark.parametrize(
    ("past", "starts", "watched_s", "blind_s"),
    [
        pytest.param({}, 0, 0, 0, id="no past"),
        pytest.param({"state": "done"}, 1, 6 * 86400, 0, id="read to its end"),
        pytest.param({"state": "reading"}, 1, 6 * 86400, 4 * 86400, id="still being read"),
        pytest.param({"state": "failed"}, 1, 6 * 86400, 4 * 86400, id="broken off"),
    ],
)
def test_a_recorded_past_counts(
    past: dict[str, str], starts: int, watched_s: float, blind_s: float
) -> None:
    if past:
        ends = {"since": WEEK.since + DAY, "until": WEEK.until, "read_to": WEEK.since + 3 * DAY}
        past = past | {name: at.isoformat() for name, at in ends.items()}
    make_cluster("recorded", created_at=WEEK.until, past=past, last_proof_at=NOW)
    model = make_model("m", cluster="recorded", created_at=WEEK.since - 9 * DAY)
    make_start(model, started_at=WEEK.since + 2 * DAY)
    facts = counted_week()
    assert sum(line.this_week.starts for line in facts.lines) == starts
    assert sum(sight.watched_s for sight in facts.sights) == watched_s
    assert sum(sight.blind_s or 0 for sight in facts.sights) == blind_s


def test_hours_blind_by_cluster(cluster: Cluster) -> None:
    late = make_cluster("late", created_at=WEEK.since + DAY, last_proof_at=WEEK.until - DAY)
    make_cluster("after", created_at=WEEK.until)
    make_cluster("before", created_at=WEEK.before.since, removed_at=WEEK.since)
    hour = timedelta(hours=1)
    Gap.objects.create(cluster=cluster, resource="pods", since=WEEK.since, until=WEEK.since + hour)
    Gap.objects.create(cluster=cluster, resource="events", since=WEEK.until - hour)
    Gap.objects.create(cluster=late, resource="pods", since=NOW, until=NOW + hour)
    sights = counted_week().sights
    assert [(s.cluster, s.blind_s, s.thin_s) for s in sights] == [
        ("demo-a", 3600.0, 3600.0),
        ("late", 86400.0, 0.0),
    ]
    assert sights[1].watched_from == WEEK.since + DAY


def test_of_an_old_week_hours_blind_are_not_known(cluster: Cluster) -> None:
    Cluster.objects.update(created_at=WEEK.since - 90 * DAY)
    [sight] = counted_week(Week(2026, 40)).sights
    assert (sight.blind_s, sight.watched_s) == (None, 604800.0)


def test_nothing_was_ever_followed() -> None:
    facts = counted_week()
    assert (facts.first_data_at, facts.lines, facts.sights) == (None, (), ())


def test_equal_rows_give_equal_facts(model: ServedModel) -> None:
    for n in range(5):
        make_start(model, started_at=WEEK.since + n * DAY)
    assert counted_week() == counted_week()


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        pytest.param("[]", [], id="none"),
        pytest.param(
            '[{"phase":"route","seconds":1.5,"parts":[]},{"phase":"route","seconds":2}]',
            [("route", 1.5), ("route", 2.0)],
            id="each as it is",
        ),
        pytest.param('[{"phase":"route","seconds":null}]', [("route", 0.0)], id="no length"),
        pytest.param('{"of":"another release"}', [], id="another form"),
    ],
)
def test_seconds_by_phase(text: str, lengths: list[tuple[str, float]]) -> None:
    assert seconds_by_phase(text) == lengths


def test_counting_asks_the_database_once_a_week(
    model: ServedModel, django_assert_num_queries: Any
) -> None:
    for n in range(20):
        make_start(model, started_at=WEEK.since + n * timedelta(hours=1))
    with django_assert_num_queries(6):
        counted_week()
    with django_assert_num_queries(1):
        counted(WEEK_SPAN, followed_from={})


def test_requests_lost_to_starts_and_of_how_many_that_is_known(model: ServedModel) -> None:
    for lost in ({"activator": 4, "ingress": None}, {"activator": 0}, None):
        make_start(model, started_at=WEEK.since, requests_lost=lost)
    week = only_line(counted_week()).this_week
    assert (week.lost, week.lost_known) == (4, 2)


def test_gaps_in_reading_metrics_hide_no_starts(model: ServedModel, cluster: Cluster) -> None:
    Gap.objects.create(
        cluster=cluster, resource=METRICS, since=WEEK.since, until=WEEK.until, why="metrics-unread"
    )
    [sight] = counted_week().sights
    assert (sight.blind_s, sight.thin_s) == (0.0, 0.0)

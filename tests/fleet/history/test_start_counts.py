"""Starts that are over, counted once each: counters that only grow, and sums of days."""

from datetime import timedelta

import pytest

from fleet.domain.coldstart.sums import BOUNDS_S, narrow_percentile
from fleet.history import start_counts
from fleet.history.start_counts import OTHER, SETTLED, are_behind, count_starts
from fleet.history.start_days import day_sums
from fleet.models import ColdStart, ServedModel, StartDay, StartTally
from fleet.models.start_counts import WHOLE_CLUSTER
from tests.factories import NOW, make_model, make_start

pytestmark = pytest.mark.django_db
LATER = NOW + SETTLED + timedelta(hours=1)
SHORT = (("load-engine", 40.0), ("become-ready", 4.0))


@pytest.fixture
def model() -> ServedModel:
    return make_model()


def tally(phase: str = "", outcome: str = "ready") -> StartTally:
    """The one counter of that phase."""
    return StartTally.objects.get(phase=phase, outcome=outcome)


@pytest.mark.parametrize(
    ("outcome", "after", "counted"),
    [
        pytest.param("ready", SETTLED + timedelta(minutes=2), 1, id="over and settled"),
        pytest.param("failed", SETTLED + timedelta(minutes=2), 1, id="a failed one too"),
        pytest.param("ready", SETTLED, 0, id="over, but its first answer may still come"),
        pytest.param("running", timedelta(days=1), 0, id="not over"),
    ],
)
def test_what_is_counted(model: ServedModel, outcome: str, after: timedelta, counted: int) -> None:
    make_start(model, outcome=outcome)
    assert count_starts(now=NOW + after) == counted
    assert ColdStart.objects.filter(counted=True).count() == counted


@pytest.mark.parametrize(
    ("outcome", "ended", "behind"),
    [
        pytest.param("ready", timedelta(minutes=20), True, id="over long ago, not counted"),
        pytest.param("ready", timedelta(minutes=10), False, id="over just now"),
        pytest.param("running", timedelta(minutes=20), False, id="what is never counted"),
    ],
)
def test_whether_sums_lack_starts(
    model: ServedModel,
    outcome: str,
    ended: timedelta,
    behind: bool,  # noqa: FBT001
) -> None:
    make_start(model, SHORT, outcome=outcome, ended_at=LATER - ended)
    assert are_behind(now=LATER) is behind
    count_starts(now=LATER)
    assert are_behind(now=LATER) is False


def test_a_start_is_counted_once_in_its_bucket_and_by_phase(model: ServedModel) -> None:
    make_start(model, SHORT)
    make_start(model, SHORT)
    assert [count_starts(now=LATER), count_starts(now=LATER)] == [2, 0]
    whole, loading = tally(), tally("load-engine")
    assert (whole.counts[BOUNDS_S.index(45.0)], sum(whole.counts), whole.sum_s) == (2, 2, 88.0)
    assert (loading.sum_s, sum(loading.counts)) == (80.0, 2)


def test_later_starts_are_added(model: ServedModel) -> None:
    make_start(model, SHORT)
    count_starts(now=LATER)
    make_start(model, SHORT, started_at=LATER)
    count_starts(now=LATER + timedelta(hours=1))
    assert sum(tally().counts) == 2
    assert StartDay.objects.get(namespace="chat").count == 2


def test_what_is_not_known_is_no_length(model: ServedModel) -> None:
    make_start(model, (), outcome="partial", total_s=None)
    assert count_starts(now=LATER) == 1
    assert not StartTally.objects.exists()
    day = StartDay.objects.get(namespace="chat")
    assert (day.count, day.narrow, day.outcome) == (1, {}, "partial")


def test_models_beyond_the_most_share_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_counts, "MOST_MODELS", 2)
    for name in ("a", "b", "c", "d"):
        make_start(make_model(name), SHORT)
    count_starts(now=LATER)
    make_start(ServedModel.objects.get(name="d"), SHORT)
    count_starts(now=LATER)
    named = StartTally.objects.filter(phase="").values_list("name", "kind")
    assert set(named) == {("a", "InferenceService"), ("b", "InferenceService"), (OTHER, "")}
    assert sum(StartTally.objects.get(name=OTHER, phase="").counts) == 3


def test_a_day_is_told_apart_by_team_and_start_mode(model: ServedModel) -> None:
    make_start(model, SHORT)
    make_start(model, SHORT, start_mode="cold")
    make_start(make_model("b", team="vision"), SHORT, started_at=NOW - timedelta(days=1))
    count_starts(now=LATER)
    days = StartDay.objects.exclude(namespace=WHOLE_CLUSTER)
    told = {(d.day.isoformat(), d.team, d.start_mode, d.count) for d in days}
    today, before = NOW.date().isoformat(), (NOW.date() - timedelta(days=1)).isoformat()
    assert told == {
        (today, "search", "cached-image", 1),
        (today, "search", "cold", 1),
        (before, "vision", "cached-image", 1),
    }


def test_a_cluster_is_summed_up_as_a_whole_too(model: ServedModel) -> None:
    make_start(model, SHORT)
    make_start(make_model("b", namespace="vision", team="vision"), SHORT)
    make_start(make_model("c", cluster="demo-b"), SHORT)
    count_starts(now=LATER)
    whole = StartDay.objects.filter(namespace=WHOLE_CLUSTER).values_list("cluster", "count")
    assert set(whole) == {("demo-a", 2), ("demo-b", 1)}


def test_a_days_percentile_is_read_from_its_sums(model: ServedModel) -> None:
    for seconds in range(20, 121):
        make_start(model, (("load-engine", float(seconds)),))
    count_starts(now=LATER)
    narrow = {int(place): n for place, n in StartDay.objects.get(namespace="chat").narrow.items()}
    assert narrow_percentile(narrow, 0.5) == pytest.approx(70.0, rel=0.02)
    assert narrow_percentile(narrow, 0.95) == pytest.approx(115.0, rel=0.02)


def test_days_tell_of_outcomes_modes_and_lengths(model: ServedModel) -> None:
    for seconds in range(20):
        make_start(model, (("load-engine", 50.0 + seconds),))
    make_start(model, SHORT, outcome="failed")
    make_start(model, SHORT, start_mode="cold", started_at=NOW - timedelta(days=1))
    count_starts(now=LATER)
    told = day_sums(StartDay.objects.filter(namespace=WHOLE_CLUSTER))
    assert told.outcomes == {"ready": 21, "failed": 1}
    cached, cold = told.modes["cached-image"], told.modes["cold"]
    assert cached.n == 20
    assert cached.p50_s == pytest.approx(59.5, rel=0.02)
    assert cached.p95_s == pytest.approx(68.0, rel=0.02)
    assert (cold.n, cold.p50_s, cold.p95_s) == (1, None, None)
    assert set(told.days) == {
        ("cached-image", NOW.date()),
        ("cold", NOW.date() - timedelta(days=1)),
    }


def test_many_are_counted_in_portions(model: ServedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_counts, "AT_ONCE", 2)
    for _ in range(5):
        make_start(model, SHORT)
    assert [count_starts(now=LATER) for _ in range(4)] == [2, 2, 1, 0]


def test_nothing_is_counted_when_another_worker_took_some(
    model: ServedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = make_start(model, SHORT)
    taken = [ColdStart.objects.get(pk=start.pk)]
    ColdStart.objects.filter(pk=start.pk).update(counted=True)
    monkeypatch.setattr(start_counts, "_settled", lambda _: taken)
    assert count_starts(now=LATER) == 0
    assert not StartTally.objects.exists()

"""The stored fleet row: state, rank, figures of seven days, starts in flight, failures."""

from datetime import timedelta

import pytest

from fleet.domain.coldstart.start import ColdStart, Outcome, StartMode
from fleet.domain.ledger.delta import Delta, ProbeFailure, State
from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.history.refresh import refresh_figures
from fleet.history.shown_states import RANKS
from fleet.models import ServedModel
from tests.fleet.history.samples import KEY, NOW, ago, failure, start, status


def written(lease: Lease, *, after_s: float = 0, **delta: object) -> ServedModel:
    now = NOW + timedelta(seconds=after_s)
    write_batch(lease, Batch(delta=Delta(**delta)), now=now)  # type: ignore[arg-type]
    return ServedModel.objects.get()


def test_worst_comes_first() -> None:
    order = sorted(RANKS, key=lambda state: RANKS[state])
    assert order == ["Failing", "Degraded", "Starting", "Unknown", "Warm", "Cold", "Stopped"]
    assert set(order) == set(State)


def test_the_state_since_moves_with_the_state_alone(lease: Lease) -> None:
    assert written(lease, models=(status(),)).state_since == NOW
    assert written(lease, after_s=5, models=(status(),)).state_since == NOW
    cold = written(lease, after_s=9, models=(status(State.COLD),))
    assert (cold.state_since, cold.rank) == (NOW + timedelta(seconds=9), RANKS["Cold"])


def test_each_write_is_a_new_version(lease: Lease) -> None:
    first = written(lease, models=(status(),)).version
    assert written(lease, starts=(start(1),)).version == first + 1


def many(count: int, outcome: Outcome = Outcome.READY, **more: object) -> list[ColdStart]:
    return [start(n, outcome, total_s=10.0 + n, **more) for n in range(count)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("starts", "count", "failed", "p50_s", "p95_s"),
    [
        pytest.param(many(4), 4, 0, None, None, id="four are too few for a median"),
        pytest.param(many(5), 5, 0, 12.0, None, id="five give a median"),
        pytest.param(many(19), 19, 0, 19.0, None, id="nineteen are too few for a p95"),
        pytest.param(many(21), 21, 0, 20.0, 29.0, id="twenty and more give both"),
        pytest.param(many(6, Outcome.FAILED), 6, 6, None, None, id="failed ones have no length"),
        pytest.param(
            many(6, Outcome.PARTIAL), 6, 0, None, None, id="partial ones are counted only"
        ),
        pytest.param(
            many(6, began=ago(days=8)), 0, 0, None, None, id="older than seven days is not counted"
        ),
        pytest.param(
            [*many(3), *(start(n + 9, mode=StartMode.COLD) for n in range(2))],
            5,
            0,
            12.0,
            None,
            id="all start modes together",
        ),
    ],
)
def test_figures_of_seven_days(
    lease: Lease,
    starts: list[ColdStart],
    count: int,
    failed: int,
    p50_s: float | None,
    p95_s: float | None,
) -> None:
    row = written(lease, models=(status(),), starts=tuple(starts))
    assert (row.count_7d, row.failed_7d, row.p50_s, row.p95_s) == (count, failed, p50_s, p95_s)


def test_the_last_start_is_the_newest_in_the_form_of_the_api(lease: Lease) -> None:
    row = written(lease, models=(status(),), starts=(start(2), start(0), start(5)))
    assert row.last_start is not None
    assert row.last_start["replica"] == "pod-0"
    assert row.last_start["phases"][0]["phase"] == "load-engine"
    assert row.last_start["failure"] is None


def test_what_remains_is_told_by_starts_of_the_same_mode(lease: Lease) -> None:
    running = start(99, Outcome.RUNNING, total_s=20.0, began=NOW - timedelta(seconds=20))
    other = [start(n + 50, mode=StartMode.COLD, total_s=900.0) for n in range(9)]
    row = written(
        lease, models=(status(),), starts=(*[start(n) for n in range(7)], *other, running)
    )
    flight = row.in_flight[0]
    assert (flight["phase"], flight["elapsed_s"], flight["eta_p50_s"]) == (
        "load-engine",
        20.0,
        40.0,
    )
    assert flight["eta_p95_s"] is None


def test_a_start_that_takes_longer_than_any_before_has_no_eta(lease: Lease) -> None:
    running = start(99, Outcome.RUNNING, began=NOW - timedelta(minutes=9))
    row = written(lease, models=(status(),), starts=(*[start(n) for n in range(7)], running))
    assert row.in_flight[0]["eta_p50_s"] is None


@pytest.mark.parametrize(
    ("failures", "starting"),
    [
        pytest.param([failure(9, first=ago(minutes=50), last=ago(minutes=1))], 9, id="in the hour"),
        pytest.param([failure(9, first=ago(hours=3), last=ago(hours=2))], 0, id="before the hour"),
        pytest.param(
            [failure(9, first=ago(hours=3), last=ago(minutes=1))], 1, id="across: one is sure"
        ),
    ],
)
def test_probe_failures_are_a_lower_bound(
    lease: Lease, failures: list[ProbeFailure], starting: int
) -> None:
    row = written(lease, models=(status(),), probe_failures=tuple(failures))
    assert (row.probe_starting_1h, row.probe_serving_1h) == (starting, 0)


def test_a_start_of_a_model_without_a_row_yet_waits_for_it(lease: Lease) -> None:
    write_batch(lease, Batch(delta=Delta(starts=(start(1),))), now=NOW)
    assert not ServedModel.objects.exists()
    assert written(lease, models=(status(),)).count_7d == 1


def test_what_other_parts_put_into_the_row_stays(lease: Lease) -> None:
    written(lease, models=(status(),))
    ServedModel.objects.update(finding={"cause": "none"})
    assert written(lease, models=(status(State.COLD),)).finding == {"cause": "none"}


def test_time_alone_takes_failures_out_of_the_hour(lease: Lease) -> None:
    seen = failure(9, first=ago(minutes=50), last=ago(minutes=40))
    before = written(lease, models=(status(),), probe_failures=(seen,))
    assert refresh_figures(now=NOW + timedelta(minutes=10)) == ()
    assert refresh_figures(now=NOW + timedelta(minutes=30)) == (str(KEY),)
    after = ServedModel.objects.get()
    assert (after.probe_starting_1h, after.version) == (0, before.version + 1)


def test_time_alone_takes_starts_out_of_the_week(lease: Lease) -> None:
    written(lease, models=(status(),), starts=tuple(many(5)))
    assert refresh_figures(now=NOW + timedelta(days=8)) == (str(KEY),)
    row = ServedModel.objects.get()
    assert (row.count_7d, row.p50_s) == (0, None)

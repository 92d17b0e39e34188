"""Requests written step by step, and read as windows, sums and the fleet row."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from fleet.domain.ledger.delta import Delta, State
from fleet.domain.requests.records import Hop, RequestWindow
from fleet.domain.requests.states import Thresholds
from fleet.errors import LeaseLost
from fleet.history.batch import Batch, write_batch
from fleet.history.error_rows import forget_errors
from fleet.history.leases import Lease
from fleet.history.metrics_claims import Claim, claim, let_go
from fleet.history.request_hours import Span
from fleet.history.request_step import Step, write_step
from fleet.history.requests import unread, windows_between, windows_of
from fleet.models import Cluster, RequestHour, ServedModel
from tests.fleet.history.request_samples import KNATIVE, OWNER, REVISION, tally, window
from tests.fleet.history.samples import KEY, NOW, UID, ago, status

SINCE = ago(minutes=5)
S30 = timedelta(seconds=30)
LOST = {(Hop.ACTIVATOR, 503): 4, (Hop.QUEUE_PROXY, 502): 1}


@pytest.fixture
def reading(lease: Lease) -> Claim:
    """A warm model on a cluster whose metrics this test reads."""
    write_batch(lease, Batch(delta=Delta(models=(status(),))), now=NOW)
    Cluster.objects.update(metrics_url="http://prometheus", metrics_read_to=ago(minutes=60))
    held = claim("one", now=NOW, for_=timedelta(seconds=60))
    assert held is not None
    return held


def step(
    reading: Claim,
    windows: Sequence[RequestWindow],
    *,
    since: datetime = SINCE,
    until: datetime = NOW,
    told: frozenset[Hop] = KNATIVE,
    unread: Span | None = None,
) -> tuple[str, ...]:
    """One reading of the only model."""
    brought = Step(
        since=since,
        until=until,
        windows={OWNER: windows} if windows else {},
        told=told,
        unread=unread,
    )
    return write_step(reading, brought, thresholds=Thresholds(), now=until)


def row() -> ServedModel:
    return ServedModel.objects.get()


def shown_errors() -> dict[str, object]:
    errors = row().errors
    assert errors is not None
    return dict(errors)


def test_what_was_written_is_read_again(reading: Claim) -> None:
    windows = [window(ago(seconds=60), tally(8, LOST)), window(ago(seconds=30))]
    assert step(reading, windows) == (str(KEY),)
    assert windows_between(KEY, ago(minutes=5), NOW) == windows
    assert windows_of("one", [UID, "other"], since=ago(minutes=5), until=NOW) == {UID: windows}
    assert windows_between(KEY, ago(seconds=30), NOW) == windows[1:]


def test_a_window_read_again_replaces_and_never_doubles(reading: Claim) -> None:
    step(reading, [window(ago(seconds=60)), window(ago(seconds=30))])
    step(reading, [window(ago(seconds=30), tally(3))], since=ago(seconds=30))
    found = windows_between(KEY, ago(minutes=5), NOW)
    assert [w.tally.requests for w in found] == [10, 3]
    assert RequestHour.objects.get().requests == 13


def test_an_hour_is_one_row_with_its_sums(reading: Claim) -> None:
    before = window(ago(seconds=30), tally(8, LOST))
    after = window(NOW, tally(5))
    step(reading, [before, after], until=NOW + S30)
    rows = RequestHour.objects.order_by("hour")
    assert [(r.hour, r.requests, r.lost) for r in rows] == [
        (ago(hours=1), 8, 5),
        (NOW, 5, 0),
    ]
    assert rows[0].errors == {"activator/503": 4, "queue-proxy/502": 1}


def test_windows_without_anything_are_not_kept(reading: Claim) -> None:
    step(reading, [window(ago(seconds=30), tally(0))])
    assert not RequestHour.objects.exists()
    assert shown_errors()["requests"] == 0


def test_old_hours_are_told_by_their_sums(reading: Claim) -> None:
    step(reading, [window(ago(seconds=30), tally(8, LOST))])
    RequestHour.objects.update(windows=None)
    (hour,) = windows_between(KEY, ago(hours=1), NOW)
    assert (hour.at, hour.revision, hour.tally.requests) == (ago(hours=1), REVISION, 8)
    assert hour.tally.by_hop()[Hop.ACTIVATOR] == 4


def test_what_was_not_read_is_told(reading: Claim) -> None:
    jumped = Span(ago(minutes=60), ago(minutes=5))
    step(reading, [window(ago(seconds=30))], unread=jumped)
    later = NOW + timedelta(minutes=2)
    assert unread("one", ago(minutes=90), later) == [jumped, (NOW, later)]
    assert unread("one", ago(minutes=4), NOW) == []


def test_a_cluster_that_was_never_read_is_unread(cluster: Cluster) -> None:
    assert unread("one", ago(minutes=5), NOW) == [(ago(minutes=5), NOW)]


def test_the_row_tells_the_last_five_minutes(reading: Claim) -> None:
    old = window(ago(minutes=6), tally(100, {(Hop.CONTAINER, 500): 50}))
    new = window(ago(seconds=30), tally(8, LOST, at_least=frozenset({Hop.ACTIVATOR})))
    step(reading, [old, new], since=ago(minutes=10))
    assert row().errors == {
        "window_s": 300,
        "requests": 8,
        "share_5xx": 0.625,
        "by_hop": {
            "ingress": None,
            "endpoint-picker": None,
            "activator": 4,
            "queue-proxy": 1,
            "container": 0,
        },
        "client_gone": 0,
        "lost": 5,
        "at_least": ["activator"],
        "requests_at_least": False,
        "in_flight": None,
    }
    assert row().errors_spark[-6:] == [[100, 50], [0, 0], [0, 0], [0, 0], [0, 0], [8, 5]]


def test_errors_make_a_state_and_its_end(reading: Claim) -> None:
    step(reading, [window(ago(seconds=30), tally(100, {(Hop.CONTAINER, 500): 60}))])
    assert (row().state, row().state_code, row().rank) == ("Failing", "mostly-errors", 0)
    assert (row().told_state, row().told_code) == ("Warm", "ready")
    later = NOW + timedelta(minutes=6)
    changed = step(reading, [window(later - S30)], since=NOW, until=later)
    assert changed == (str(KEY),)
    assert (row().state, row().state_code, row().state_since) == ("Warm", "ready", later)


def test_neither_writer_undoes_the_other(reading: Claim, lease: Lease) -> None:
    step(reading, [window(ago(seconds=30), tally(100, {(Hop.CONTAINER, 500): 5}))])
    assert row().state == "Degraded"
    write_batch(lease, Batch(delta=Delta(models=(status(),))), now=NOW)
    assert (row().state, shown_errors()["lost"]) == ("Degraded", 5)
    write_batch(lease, Batch(delta=Delta(models=(status(State.STOPPED),))), now=NOW)
    assert row().state == "Stopped"
    step(reading, [window(NOW)], since=NOW, until=NOW + S30)
    assert (row().state, row().told_state) == ("Stopped", "Stopped")


def test_only_rows_whose_figures_changed_are_written(reading: Claim) -> None:
    assert step(reading, []) == (str(KEY),)
    version = row().version
    assert step(reading, [], since=NOW, until=NOW + S30) == ()
    assert row().version == version


@pytest.mark.parametrize(
    ("told", "requests"),
    [
        pytest.param(KNATIVE, 0, id="no series where its hops are counted is no request"),
        pytest.param(frozenset(), None, id="no hop is counted: not measured"),
    ],
)
def test_a_model_without_series(reading: Claim, told: frozenset[Hop], requests: int | None) -> None:
    step(reading, [], told=told)
    errors = row().errors
    assert (errors and errors["requests"]) == requests


def test_errors_age_out(reading: Claim) -> None:
    step(reading, [window(ago(seconds=30), tally(100, {(Hop.CONTAINER, 500): 60}))])
    assert forget_errors("one", thresholds=Thresholds(), now=NOW) == (str(KEY),)
    assert (row().errors, row().errors_spark, row().state) == (None, [], "Warm")
    assert forget_errors("one", thresholds=Thresholds(), now=NOW) == ()


def test_one_worker_reads_a_cluster(reading: Claim) -> None:
    assert claim("one", now=NOW, for_=S30) is None
    let_go(reading)
    assert claim("one", now=NOW, for_=S30) is not None


def test_a_claim_that_ran_out_writes_nothing(reading: Claim) -> None:
    assert claim("one", now=NOW + timedelta(minutes=2), for_=S30) is not None
    with pytest.raises(LeaseLost, match="another worker"):
        step(reading, [window(ago(seconds=30))])
    assert not RequestHour.objects.exists()


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"metrics_url": ""}, id="no metrics"),
        pytest.param({"paused": True}, id="paused"),
        pytest.param({"removed_at": NOW}, id="removed"),
    ],
)
def test_what_is_not_to_be_read_is_not_claimed(reading: Claim, columns: dict[str, object]) -> None:
    let_go(reading)
    Cluster.objects.update(**columns)
    assert claim("one", now=NOW, for_=S30) is None

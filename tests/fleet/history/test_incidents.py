"""Incidents as rows: begun, extended, ended with what happened about them, and their findings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.history.incidents import (
    end_unseen,
    incidents_after,
    ongoing_incident,
    set_incident_findings,
)
from fleet.history.request_hours import by_hour, hour_row
from fleet.history.upserts import upsert
from fleet.models import Incident, ServedModel
from tests.factories import (
    NOW,
    make_cluster,
    make_model,
    make_probe_failure,
    make_revision,
    make_scale_event,
    make_start,
)

pytestmark = pytest.mark.django_db
TOLD = frozenset({Hop.INGRESS, Hop.ACTIVATOR, Hop.CONTAINER})
FINDING: dict[str, Any] = {
    "cause": "gpu-oom",
    "confidence": 0.9,
    "phase": "engine_load",
    "summary": "The GPU's memory does not suffice.",
    "evidence": [{"kind": "log", "ref": "log/kserve-container:3", "says": "CUDA out of memory"}],
    "remedies": ["lower-gpu-memory-utilization"],
}
NOTHING = {**FINDING, "cause": "none", "confidence": 0.8}
WAKE: dict[str, Any] = {**FINDING, "cause": "scale-from-zero"}


def at(windows: float) -> datetime:
    return NOW + timedelta(seconds=30 * windows)


def window(n: int, requests: int, lost: int, *, revision: str = "r1") -> RequestWindow:
    errors = {(Hop.ACTIVATOR, 503): lost} if lost else {}
    tally = Tally(requests=requests, errors=errors, told=TOLD, client_gone=0)
    return RequestWindow(revision=revision, at=at(n), tally=tally)


def take(
    model: ServedModel,
    windows: Sequence[RequestWindow],
    *,
    since: float,
    until: float,
    unread: tuple[datetime, datetime] | None = None,
) -> tuple[str, ...]:
    """One step of the sampler: rows of hours, then incidents."""
    owner = Owner(key=model.key, uid=model.model_uid)
    kept = [*KEPT.setdefault(model.model_uid, []), *windows]
    KEPT[model.model_uid] = list({(w.at, w.revision): w for w in kept}.values())
    rows = [hour_row(owner, *hour, w) for hour, w in by_hour(KEPT[model.model_uid]).items()]
    upsert(rows, by=("cluster", "model_uid", "revision", "hour"))
    return incidents_after(
        model.cluster,
        {model.model_uid: windows} if windows else {},
        since=at(since),
        until=at(until),
        unread=unread,
        now=at(until + 1.5),
    )


KEPT: dict[str, list[RequestWindow]] = {}


@pytest.fixture
def model() -> ServedModel:
    make_cluster("demo-a")
    KEPT.clear()
    return make_model("llama")


def test_errors_begin_one_and_a_quiet_time_ends_it(model: ServedModel) -> None:
    assert take(model, [window(0, 3, 0)], since=0, until=1) == ()
    assert take(model, [window(1, 3, 2)], since=1, until=2) == (str(model.key),)
    row = Incident.objects.get()
    assert (row.started_at, row.last_error_at, row.ended_at) == (at(1), at(2), None)
    assert (row.requests, row.requests_lost, row.at_least) == (3, 2, False)
    assert row.by_hop == {
        "ingress": 0,
        "endpoint-picker": None,
        "activator": 2,
        "queue-proxy": None,
        "container": 0,
    }
    assert row.by_code == {"503": 2}
    assert row.revisions == ["r1"]
    assert ongoing_incident(model.cluster, model.model_uid) == row.pk

    assert take(model, [window(2, 4, 1, revision="r2")], since=2, until=3) == (str(model.key),)
    assert take(model, [], since=3, until=12) == ()
    assert take(model, [], since=12, until=13) == (str(model.key),)
    row.refresh_from_db()
    assert (row.last_error_at, row.ended_at) == (at(3), at(3))
    assert (row.requests, row.requests_lost, row.revisions) == (7, 3, ["r1", "r2"])
    assert ongoing_incident(model.cluster, model.model_uid) is None


def test_a_step_taken_again_changes_nothing(model: ServedModel) -> None:
    steps: list[tuple[list[RequestWindow], float, float]] = [
        ([window(0, 9, 0), window(1, 4, 2), window(2, 4, 4)], 0, 3),
        ([window(3, 4, 3)], 3, 5),
        ([], 5, 20),
        ([window(21, 8, 2)], 20, 22),
    ]
    for windows, since, until in steps:
        take(model, windows, since=since, until=until)
        before = list(Incident.objects.order_by("pk").values())
        assert take(model, windows, since=since, until=until) == ()
        assert list(Incident.objects.order_by("pk").values()) == before
    told = Incident.objects.order_by("pk").values_list("started_at", "ended_at", "requests_lost")
    assert list(told) == [(at(1), at(4), 9), (at(21), None, 2)]


def test_the_five_minutes_before_the_step_are_looked_at(model: ServedModel) -> None:
    assert take(model, [window(0, 1, 1)], since=0, until=1) == ()
    assert take(model, [window(8, 1, 1)], since=8, until=9) == (str(model.key),)
    assert Incident.objects.get().started_at == at(0)


def test_a_late_reading_finds_those_that_are_over(model: ServedModel) -> None:
    windows = [window(0, 4, 4), window(30, 2, 2), window(80, 9, 0)]
    take(model, windows, since=0, until=90)
    told = Incident.objects.order_by("started_at").values_list("started_at", "ended_at")
    assert list(told) == [(at(0), at(1)), (at(30), at(31))]


def test_time_that_was_not_read_keeps_it_open(model: ServedModel) -> None:
    take(model, [window(0, 4, 4)], since=0, until=1)
    take(model, [], since=61, until=62, unread=(at(1), at(61)))
    row = Incident.objects.get()
    assert row.ended_at is None
    assert row.around["unread"] == [[at(1).isoformat(), at(61).isoformat()]]
    take(model, [window(62, 9, 5)], since=62, until=63)
    row.refresh_from_db()
    assert (row.requests_lost, row.at_least) == (9, True)


def test_its_end_keeps_what_happened_about_it(model: ServedModel) -> None:
    start = make_start(model, started_at=at(0))
    make_start(model, started_at=at(-400))
    make_scale_event(model, 0, 1, at=at(0))
    make_scale_event(model, 1, 0, at=at(-40))
    make_probe_failure(model, at=at(2))
    make_revision(model, 2, created_at=at(-5))
    take(model, [window(0, 4, 4)], since=0, until=1)
    assert "starts" not in Incident.objects.get().around
    take(model, [], since=1, until=20)
    kept = Incident.objects.get().around
    assert [each["id"] for each in kept["starts"]] == [start.pk]
    assert [(each["from"], each["to"]) for each in kept["scale_events"]] == [(0, 1)]
    assert [each["count"] for each in kept["probe_failures"]] == [3]
    assert [each["revision"] for each in kept["revisions"]] == ["llama-predictor-00002"]
    assert kept["actions"] == []
    assert kept["errors"] == {"activator/503": 4}


def test_models_do_not_mix(model: ServedModel) -> None:
    other = make_model("other")
    take(model, [window(0, 4, 4)], since=0, until=1)
    take(other, [window(1, 4, 1)], since=1, until=2)
    assert Incident.objects.get().model_uid == model.model_uid


def test_the_newest_findings_win_while_it_goes_on(model: ServedModel) -> None:
    take(model, [window(0, 4, 4)], since=0, until=1)
    number = Incident.objects.get().pk
    assert set_incident_findings(number, [NOTHING], now=at(2))
    assert set_incident_findings(number, [FINDING, NOTHING], now=at(3))
    row = Incident.objects.get()
    assert (row.cause, row.confidence, row.diagnosed_at) == ("gpu-oom", 0.9, at(3))
    assert [each["cause"] for each in row.findings] == ["gpu-oom", "none"]


@pytest.mark.parametrize(
    ("findings", "over", "asked", "kept"),
    [
        pytest.param([NOTHING], False, False, "gpu-oom", id="no cause does not replace one"),
        pytest.param([], False, False, "gpu-oom", id="neither does no finding"),
        pytest.param([{**FINDING, "cause": "overload"}], False, False, "overload", id="another"),
        pytest.param(
            [{**FINDING, "cause": "overload"}], True, False, "gpu-oom", id="frozen after its end"
        ),
        pytest.param(
            [{**FINDING, "cause": "overload"}], True, True, "overload", id="a person may ask again"
        ),
        pytest.param([NOTHING], True, True, "none", id="and be told that there is none"),
        pytest.param([WAKE], False, False, "gpu-oom", id="a wake is what recovering looks like"),
    ],
)
def test_which_findings_are_kept(
    model: ServedModel,
    findings: list[dict[str, Any]],
    over: bool,  # noqa: FBT001
    asked: bool,  # noqa: FBT001
    kept: str,
) -> None:
    take(model, [window(0, 4, 4)], since=0, until=1)
    number = Incident.objects.get().pk
    set_incident_findings(number, [FINDING], now=at(2))
    if over:
        take(model, [], since=1, until=20)
    changed = set_incident_findings(number, findings, now=at(4), asked=asked)
    assert Incident.objects.get().cause == kept
    assert changed == (kept != "gpu-oom")


@pytest.mark.parametrize(
    ("known", "late", "kept"),
    [
        pytest.param([FINDING], 5.9, "overload", id="soon after the newest error"),
        pytest.param([FINDING], 6.1, "gpu-oom", id="long after it another time is told"),
        pytest.param([], 6.1, "overload", id="better than nothing"),
        pytest.param([NOTHING], 6.1, "overload", id="better than no cause"),
    ],
)
def test_a_look_long_after_the_newest_error_replaces_no_cause(
    model: ServedModel, known: list[dict[str, Any]], late: float, kept: str
) -> None:
    take(model, [window(0, 4, 4)], since=0, until=1)
    number = Incident.objects.get().pk
    set_incident_findings(number, known, now=at(2))
    set_incident_findings(number, [{**FINDING, "cause": "overload"}], now=at(late))
    assert Incident.objects.get().cause == kept


@pytest.mark.parametrize(
    ("metrics", "closed"),
    [
        pytest.param({"metrics_url": "http://p", "metrics_read_to": at(4000)}, 0, id="still read"),
        pytest.param({"metrics_url": "http://p", "metrics_read_to": at(1)}, 1, id="unread a day"),
        pytest.param({"metrics_read_to": at(4000)}, 1, id="metrics switched off"),
        pytest.param({"metrics_pages": True, "metrics_read_to": at(4000)}, 0, id="pages are read"),
    ],
)
def test_one_whose_end_nobody_sees_is_closed(
    model: ServedModel, metrics: dict[str, Any], closed: int
) -> None:
    take(model, [window(0, 4, 4)], since=0, until=1)
    make_cluster("demo-b")
    type(make_cluster("demo-c")).objects.filter(name="demo-a").update(**metrics)
    assert end_unseen(now=at(4001)) == closed
    row = Incident.objects.get()
    assert (row.ended_at is not None) == bool(closed)
    assert bool(row.around.get("unseen_end")) == bool(closed)
    if closed:
        assert row.ended_at == at(1)

"""First good answers of starts, from our own requests."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from fleet.domain.coldstart.start import ColdStart as Start
from fleet.domain.coldstart.start import Outcome, Phase, PhaseSpan
from fleet.domain.ledger.delta import Delta
from fleet.history.actions import Step, add_action, take_step
from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.models import Action, ColdStart, Plan
from tests.fleet.history.samples import KEY, NOW, UID, ago, replica, start

pytestmark = pytest.mark.django_db
READY = ago(seconds=20)


def woken(number: int = 1) -> Start:
    """A start that was ready at READY, routed two seconds later."""
    begun = start(number, began=READY - timedelta(seconds=60))
    route = PhaseSpan(
        phase=Phase.ROUTE, started_at=READY, ended_at=READY + timedelta(seconds=2), seconds=2.0,
        source="watch",
    )  # fmt: skip
    return replace(begun, phases=(*begun.phases, route))


def asking() -> Action:
    """A warm-up that was applied."""
    key = {"cluster": KEY.cluster, "kind": KEY.kind, "namespace": KEY.namespace, "name": KEY.name}
    Plan.objects.create(
        id="p", state="planned", action="warm-up", reason="test", made_by="me", created_at=NOW,
        expires_at=NOW + timedelta(minutes=5), model_uid=UID, **key,
    )  # fmt: skip
    return add_action("p", idempotency_key="k", by="me", reason="", now=READY)


def answered(action: Action, *, at: datetime, code: str = "answered") -> None:
    """A step of it."""
    take_step(action, Step(state="accepted", code=code), now=at)


def seen(lease: Lease, *starts: Start) -> None:
    """A batch that tells of starts."""
    write_batch(lease, Batch(delta=Delta(starts=starts)), now=NOW)


def row(number: int = 1) -> ColdStart:
    """As kept."""
    return ColdStart.objects.get(replica_uid=f"uid-{number}")


@pytest.mark.parametrize("answer_first", [True, False], ids=["answer first", "Ready first"])
def test_an_answer_just_after_ready_is_the_first(lease: Lease, *, answer_first: bool) -> None:
    action = asking()
    if not answer_first:
        seen(lease, woken())
    answered(action, at=READY + timedelta(seconds=5))
    if answer_first:
        seen(lease, woken())
    answered(action, at=READY + timedelta(seconds=8))
    kept = row()
    assert kept.first_answer_at == READY + timedelta(seconds=5)
    assert kept.total_to_first_answer_s == 65.0
    assert [(p["phase"], p["seconds"]) for p in kept.phases] == [
        ("load-engine", 60.0), ("route", 2.0), ("first-answer", 3.0),
    ]  # fmt: skip
    assert (kept.phases[-1]["source"], kept.phases[-1]["error_s"]) == ("request", 3.0)
    assert kept.total_s == 60.0


def test_it_stays_when_the_start_is_told_again(lease: Lease) -> None:
    seen(lease, woken())
    answered(asking(), at=READY + timedelta(seconds=5))
    before = row().phases
    seen(lease, woken())
    assert (row().first_answer_at, row().phases) == (READY + timedelta(seconds=5), before)


@pytest.mark.parametrize(
    ("after_s", "route_s"), [(1.0, 1.0), (-1.5, 0.0)], ids=["before its route was seen", "held"]
)
def test_an_answer_proves_that_the_route_was_open(
    lease: Lease, after_s: float, route_s: float
) -> None:
    answered(asking(), at=READY + timedelta(seconds=after_s))
    seen(lease, woken())
    assert [(p["phase"], p["seconds"]) for p in row().phases][1:] == [("route", route_s)]
    assert row().total_to_first_answer_s == 60.0 + after_s


@pytest.mark.parametrize(
    ("after_s", "code"),
    [
        pytest.param(40.0, "answered", id="long after Ready"),
        pytest.param(-40.0, "answered", id="long before"),
        pytest.param(5.0, "up-needs-key", id="up is not answered"),
    ],
)
def test_what_says_nothing_of_the_start(lease: Lease, after_s: float, code: str) -> None:
    answered(asking(), at=READY + timedelta(seconds=after_s), code=code)
    seen(lease, woken())
    assert (row().first_answer_at, row().total_to_first_answer_s) == (None, None)


def test_with_two_replicas_nobody_can_tell_which_one_answered(lease: Lease) -> None:
    answered(asking(), at=READY + timedelta(seconds=5))
    seen(lease, woken(1), woken(2))
    assert {row(1).first_answer_at, row(2).first_answer_at} == {None}


@pytest.mark.parametrize(("gone", "told"), [(None, False), (ago(hours=1), True)])
def test_a_replica_that_served_already_may_have_answered(
    lease: Lease, gone: datetime | None, *, told: bool
) -> None:
    other = replace(replica(9), ready_at=ago(hours=5), gone_at=gone)
    write_batch(lease, Batch(delta=Delta(replicas=(other,))), now=NOW)
    answered(asking(), at=READY + timedelta(seconds=5))
    seen(lease, woken())
    assert (row().first_answer_at is not None) is told


def test_a_start_that_failed_was_not_answered(lease: Lease) -> None:
    answered(asking(), at=READY + timedelta(seconds=5))
    seen(lease, start(1, Outcome.FAILED, began=READY - timedelta(seconds=60)))
    assert row().first_answer_at is None

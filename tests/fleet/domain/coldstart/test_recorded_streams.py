"""Starts measured on recordings of real controllers, against what really happened."""

from datetime import timedelta

import pytest

from fleet.domain.coldstart.start import Outcome, Phase
from tests.fleet.domain.scoring import faults
from tests.fleet.domain.streams import NAMES, named, seconds, starts_of, truth

AFTER_READY = {Phase.ROUTE, Phase.FIRST_ANSWER}


@pytest.mark.parametrize("name", NAMES)
def test_every_start_is_found_once_and_is_right(name: str) -> None:
    found, happened = starts_of(name), truth(name)["starts"]
    wrong = {true["pod"]: faults(found.get(true["pod_uid"]), true) for true in happened}
    assert {pod: said for pod, said in wrong.items() if said} == {}
    assert len(found) == len(happened)


@pytest.mark.parametrize("name", NAMES)
def test_phases_follow_each_other_and_add_up(name: str) -> None:
    for start in starts_of(name).values():
        spans = [span for span in start.phases if span.phase not in AFTER_READY]
        assert sum(span.seconds for span in spans) == pytest.approx(start.total_s, abs=0.05)
        assert spans[0].started_at == start.started_at
        for before, after in zip(spans, spans[1:], strict=False):
            assert before.ended_at == after.started_at
        assert all(span.seconds >= 0 for span in start.phases)
        assert start.unexplained_s == 0


@pytest.mark.parametrize("name", NAMES)
def test_start_modes_nodes_and_restarts_are_those_that_happened(name: str) -> None:
    found = starts_of(name)
    for true in truth(name)["starts"]:
        start = found[true["pod_uid"]]
        assert start.start_mode.value == true["start_mode"]
        assert start.node == true["node"]
        assert start.restarts == true["restarts"]
        assert start.revision.endswith(true["revision"])


@pytest.mark.parametrize(
    ("number", "class_", "phase"),
    [
        pytest.param("07", "image-pull", Phase.PULL_IMAGE, id="an image that does not exist"),
        pytest.param("09", "deadline", Phase.LOAD_ENGINE, id="a rollout misses its deadline"),
        pytest.param("21", "crash", Phase.LOAD_ENGINE, id="a crash loop"),
        pytest.param("23", "image-pull", Phase.PULL_IMAGE, id="a superseded failing revision"),
    ],
)
def test_a_failed_start_says_what_failed_and_where(number: str, class_: str, phase: Phase) -> None:
    failed = [s for s in starts_of(named(number)).values() if s.outcome is Outcome.FAILED]
    assert [(s.failure.class_ if s.failure else "", s.ended_in_phase) for s in failed] == [
        (class_, phase)
    ]
    assert failed[0].ready_at is None


def test_a_failed_start_whose_pod_still_stands_has_not_ended() -> None:
    start = next(s for s in starts_of(named("07")).values() if s.outcome is Outcome.FAILED)
    assert start.ended_at is None
    assert start.phases[-1].ended_at is None
    assert start.phases[-1].seconds == pytest.approx(58.3, abs=2.5)


def test_a_caller_that_gave_up_leaves_an_aborted_start() -> None:
    starts = starts_of(named("09")).values()
    aborted = [s for s in starts if s.outcome is Outcome.ABORTED]
    assert [(s.trigger.value, s.failure, s.ended_in_phase) for s in aborted] == [
        ("scale-from-zero", None, Phase.LOAD_ENGINE)
    ]


def test_nothing_of_the_api_tells_the_first_answer() -> None:
    for start in starts_of(named("01")).values():
        assert start.first_answer_at is None
        assert start.total_to_first_answer_s is None


def test_a_first_rollout_is_routed_when_its_ingress_is() -> None:
    first = min(starts_of(named("01")).values(), key=lambda start: start.started_at)
    assert first.ready_at is not None
    assert first.phases[-1].phase is Phase.ROUTE
    routed = first.phases[-1].ended_at
    assert routed is not None
    assert routed - first.ready_at == pytest.approx(
        timedelta(seconds=2.15), abs=timedelta(seconds=0.2)
    )


def test_a_gap_in_the_middle_of_a_start_costs_no_phase() -> None:
    wake = max(starts_of(named("19")).values(), key=lambda start: start.started_at)
    assert wake.outcome is Outcome.READY
    assert seconds(wake)["fetch-model"] == pytest.approx(4.0, abs=1.0)

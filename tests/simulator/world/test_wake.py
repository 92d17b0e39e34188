"""A call to a sleeping model: what changes, in which order, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from simulator.store.resources import (
    INFERENCESERVICES,
    KNATIVE_SERVICES,
    PODAUTOSCALERS,
    PODS,
    REVISIONS,
)
from simulator.world.shapes import condition_status
from tests.simulator.world.worlds import MODEL, bench

# Source: a recorded wake with the image on the node (Kubernetes 1.36, Knative after 1.23).
RECORDED_ORDER = ["deployments", "replicasets", "podautoscalers", "pods", "revisions"]
RECORDED_EVENTS = [
    "Scheduled",
    "Pulled storage-initializer",
    "Created storage-initializer",
    "Started storage-initializer",
    "Pulled kserve-container",
    "Created kserve-container",
    "Started kserve-container",
]


def test_a_call_to_a_sleeping_model_is_held_and_wakes_it() -> None:
    at = bench()
    at.asleep()
    answers: list[str | None] = []
    at.call(answers)
    at.run(5)
    assert answers == []
    at.run(60)
    assert answers == [at.pods()[0]["metadata"]["uid"]]


def test_objects_change_in_the_recorded_order() -> None:
    at = bench()
    at.asleep()
    at.call([])
    at.run(0.3)
    assert at.seen.first_changes()[:5] == RECORDED_ORDER


def test_lags_are_those_recorded() -> None:
    at = bench()
    at.asleep()
    asked = at.world.timeline.now()
    at.call([])
    at.run(1)
    first: dict[str, float] = {}
    for moment, event in at.seen.events:
        first.setdefault(event.resource.plural, (moment - asked) / timedelta(milliseconds=1))
    assert 20 <= first["deployments"] <= 60
    assert 30 <= first["podautoscalers"] <= 90
    assert 50 <= first["pods"] <= 150
    assert 70 <= first["revisions"] <= 250


def test_events_come_in_the_recorded_order() -> None:
    at = bench()
    at.asleep()
    at.call([])
    at.run(40)
    said = [each for each in at.seen.reasons() if not each.startswith("Unhealthy")]
    assert said[: len(RECORDED_EVENTS)] == RECORDED_EVENTS


def test_ready_persists_and_active_tells() -> None:
    at = bench()
    at.asleep()
    at.call([])
    at.run(200)
    assert at.seen.conditions(INFERENCESERVICES, "Ready") == ["True"]
    assert at.seen.conditions(REVISIONS, "Ready") == ["True"]
    queued_and_back = ["Unknown Queued", "True", "False NoTraffic"]
    assert at.seen.conditions(PODAUTOSCALERS, "Active") == queued_and_back
    assert at.seen.conditions(REVISIONS, "Active")[0] == "Unknown Queued"


def test_a_repeated_scaling_is_a_repeat_of_the_same_event() -> None:
    at = bench()
    at.asleep()
    at.call([])
    at.run(1)
    (event,) = [
        event
        for event in at.seen.events
        if event[1].resource.plural == "events" and event[1].object["reason"] == "ScalingReplicaSet"
    ]
    assert (event[1].type, event[1].object["count"]) == ("MODIFIED", 2)


def test_the_model_sleeps_after_a_quiet_window() -> None:
    at = bench()
    at.asleep()
    answers: list[str | None] = []
    at.call(answers)
    assert at.world.timeline.run_while(lambda: not answers, limit_s=60)
    served = at.world.timeline.now()
    assert at.world.timeline.run_while(lambda: bool(at.pods()), limit_s=200)
    assert timedelta(seconds=60) < at.world.timeline.now() - served < timedelta(seconds=70)
    deleted = [event for event in at.seen.of(PODS) if event.type == "DELETED"]
    assert len(deleted) == 1


def test_one_call_wakes_two_pods_when_the_target_asks_for_it() -> None:
    at = bench()
    at.asleep(replace(MODEL, target=1))
    at.call([])
    at.run(2)
    assert at.replicas("llama-predictor-00001-deployment") == 2


def test_a_call_that_is_held_too_long_is_given_up_and_the_wake_goes_on() -> None:
    at = bench()
    at.asleep()
    answers: list[str | None] = []
    at.call(answers, timeout_s=4)
    at.run(6)
    assert answers == [None]
    at.run(40)
    assert at.ready_pods() == 1


def test_first_rollout_is_ready_two_seconds_after_its_pod() -> None:
    at = bench()
    at.apply(MODEL)
    at.world.timeline.run_while(lambda: at.ready_pods() == 0, limit_s=300)
    ready = at.world.timeline.now()
    at.wait_ready()
    assert timedelta(seconds=1) < at.world.timeline.now() - ready < timedelta(seconds=3)
    assert at.seen.conditions(KNATIVE_SERVICES, "Ready")[-1] == "True"
    assert condition_status(at.revision(), "Ready") == "True"


def test_the_truth_of_a_wake_adds_up() -> None:
    at = bench()
    at.asleep()
    at.call([])
    at.run(60)
    start = at.starts[-1]
    marks = list(start.marks.items())
    assert (start.trigger, start.outcome, start.start_mode) == (
        "scale-from-zero",
        "ready",
        "cached-image",
    )
    order = sorted(marks, key=lambda mark: mark[1])
    assert [name for name, _ in order][0] == "demanded"
    assert [name for name, _ in order][-2:] == ["ready", "routed"]

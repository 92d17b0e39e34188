"""Events are counted, aggregated and limited as client-go does it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from simulator.store.resources import EVENTS, PODS
from simulator.store.store import Store
from simulator.world.recorder import Recorder, Source
from simulator.world.timeline import Timeline
from tests.simulator.world.worlds import START

KUBELET = Source("kubelet", "gpu-1")


class Desk:
    def __init__(self) -> None:
        self.timeline = Timeline(START)
        self.store = Store(
            now=self.timeline.now, resources=[EVENTS, PODS], uid=lambda: str(uuid.uuid4())
        )
        self.recorder = Recorder(self.store, self.timeline)
        meta = {"name": "a", "namespace": "chat"}
        self.pod = self.store.create(PODS, {"metadata": meta}, manager="test")

    def say(self, reason: str, text: str, *, where: str = "spec.containers{main}") -> None:
        self.recorder.event(self.pod, reason, text, source=KUBELET, field_path=where)

    @property
    def events(self) -> list[dict[str, Any]]:
        return self.store.list(EVENTS, "chat")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_repeat_counts_and_moves_only_the_last_time(desk: Desk) -> None:
    desk.say("Unhealthy", "refused")
    desk.timeline.run_for(10)
    desk.say("Unhealthy", "refused")
    (event,) = desk.events
    assert event["count"] == 2
    assert (event["firstTimestamp"], event["lastTimestamp"]) == (
        "2026-11-30T09:00:00Z",
        "2026-11-30T09:00:10Z",
    )


def test_another_container_is_another_event(desk: Desk) -> None:
    desk.say("Created", "Container created", where="spec.containers{main}")
    desk.say("Created", "Container created", where="spec.containers{queue-proxy}")
    assert [event["count"] for event in desk.events] == [1, 1]


def test_ten_different_texts_of_one_reason_are_combined(desk: Desk) -> None:
    for number in range(11):
        desk.say("BackOff", f"text {number}")
    texts = [event["message"] for event in desk.events]
    assert sum(text.startswith("(combined from similar events): ") for text in texts) == 2


def test_the_spam_filter_lets_25_through_and_then_one_in_five_minutes(desk: Desk) -> None:
    for _ in range(40):
        desk.say("Unhealthy", "refused")
    assert desk.events[0]["count"] == 25
    desk.timeline.run_for(301)
    desk.say("Unhealthy", "refused")
    assert desk.events[0]["count"] == 26


def test_events_expire_an_hour_after_their_last_write(desk: Desk) -> None:
    desk.say("Unhealthy", "refused")
    desk.timeline.run_for(1800)
    desk.say("Unhealthy", "refused")
    desk.timeline.run_for(3500)
    assert len(desk.events) == 1
    desk.timeline.run_for(200)
    assert desk.events == []


def test_the_scheduler_writes_event_time_and_a_series(desk: Desk) -> None:
    for _ in range(3):
        desk.recorder.scheduler_event(
            desk.pod, "FailedScheduling", "0/1 nodes", kind="Warning", action="Scheduling"
        )
        desk.timeline.run_for(1)
    (event,) = desk.events
    assert event["firstTimestamp"] is None
    assert "count" not in event
    assert event["series"]["count"] == 3
    assert event["eventTime"].startswith("2026-11-30T09:00:00.")

"""Recorded streams, edited as other clusters would have written them: the starts stay right."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fleet.domain.coldstart.start import Outcome, Trigger
from tests.fleet.domain.scoring import faults
from tests.fleet.domain.streams import (
    Line,
    cut_in,
    edit,
    lines,
    named,
    objects_of,
    seconds,
    starts_of,
    truth,
    with_gap,
)

# A rollout with two wakes, aborted starts, an LLMInferenceService, queued pulls, a crash loop.
SOME = tuple(named(number) for number in ("01", "09", "11", "13", "21"))
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
Edit = Callable[[Line], Line | None]


def shifted(value: Any, by: timedelta) -> Any:
    """Every time in a value, moved."""
    if isinstance(value, dict):
        return {key: shifted(item, by) for key, item in value.items()}
    if isinstance(value, list):
        return [shifted(item, by) for item in value]
    if isinstance(value, str) and STAMP.match(value):
        moved = datetime.fromisoformat(value) + by
        text = moved.astimezone(UTC).isoformat(timespec="auto" if "." in value else "seconds")
        return text.replace("+00:00", "Z")
    return value


def node_clocks(by_s: float) -> Edit:
    """Kubelets whose clocks are off: container states, conditions, their Events."""

    def change(line: Line) -> Line:
        by = timedelta(seconds=by_s)
        for item in objects_of(line):
            if line["resource"] == "pods":
                _shift_pod(item, by)
            from_kubelet = (item.get("source") or {}).get("component") == "kubelet"
            if line["resource"] == "events" and from_kubelet:
                for key in ("firstTimestamp", "lastTimestamp"):
                    item[key] = shifted(item[key], by)
        return line

    return change


def _shift_pod(pod: Line, by: timedelta) -> None:
    status = pod["status"]
    scheduled = [c for c in status.get("conditions", []) if c["type"] == "PodScheduled"]
    others = [c for c in status.get("conditions", []) if c["type"] != "PodScheduled"]
    status["conditions"] = [*shifted(others, by), *scheduled]
    for key in ("containerStatuses", "initContainerStatuses"):
        status[key] = shifted(status.get(key, []), by)


def control_plane_clock(by_s: float) -> Edit:
    """Every clock but the recorder's is off by as much."""

    def change(line: Line) -> Line:
        return {**line, "object": shifted(line["object"], timedelta(seconds=by_s))}

    return change


def old_event_texts(line: Line) -> Line:
    """As kubelets up to 1.26 word it: full nanoseconds, no waiting, container names in the text."""
    if line["resource"] == "events":
        for event in objects_of(line):
            container = event.get("involvedObject", {}).get("fieldPath", "{}")
            name = container.split("{")[1].rstrip("}")
            text = event.get("message", "")
            text = re.sub(r" in (\S+) \(.*", r" in 7.012345678s", text)
            text = text.replace(" and can be accessed by the pod", "")
            text = re.sub(r"^Container (created|started)$", rf"\1 container {name}", text)
            event["message"] = text[:1].upper() + text[1:]
    return line


def without(*resources: str) -> Edit:
    """A cluster where we may not read some resources."""
    return lambda line: None if line["resource"] in resources else line


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(node_clocks(5.3), id="node clocks run 5.3 s ahead"),
        pytest.param(node_clocks(-30.0), id="node clocks run 30 s behind"),
        pytest.param(control_plane_clock(30.0), id="the whole cluster's clocks run 30 s ahead"),
        pytest.param(control_plane_clock(-30.0), id="the whole cluster's clocks run 30 s behind"),
        pytest.param(old_event_texts, id="old wordings of Events"),
        pytest.param(without("podautoscalers"), id="no right to read PodAutoscalers"),
        pytest.param(without("replicasets"), id="no right to read ReplicaSets"),
        pytest.param(without("nodes"), id="no right to read nodes"),
    ],
)
def test_starts_are_right_with(name: str, change: Edit) -> None:
    found = starts_of(edit(name, change))
    wrong = {t["pod"]: faults(found.get(t["pod_uid"]), t) for t in truth(name)["starts"]}
    assert {pod: said for pod, said in wrong.items() if said} == {}


@pytest.mark.parametrize("name", SOME)
def test_without_events_only_what_events_alone_tell_is_missing(name: str) -> None:
    found = starts_of(edit(name, without("events")))
    wrong = {t["pod"]: faults(found.get(t["pod_uid"]), t) for t in truth(name)["starts"]}
    assert {pod: said for pod, said in wrong.items() if said} == {}
    assert {start.start_mode.value for start in found.values()} == {"unknown"}


def test_a_pod_seen_ready_at_the_first_look_is_partial() -> None:
    """The stream of 01 from the moment on when its first pod is ready: lists hold what is there."""
    found = starts_of(cut_in(named("01"), "2026-11-30T09:29:25"))
    first = min(found.values(), key=lambda start: start.started_at)
    assert first.outcome is Outcome.PARTIAL
    assert first.total_s is None
    assert seconds(first)["load-engine"] == pytest.approx(12.3, abs=1.5)
    assert "route" not in seconds(first), "nobody looked when it became routable"


def test_a_pod_met_while_starting_is_measured_from_its_birth() -> None:
    """The stream of 01 from the middle of its first rollout on."""
    found = starts_of(cut_in(named("01"), "2026-11-30T09:29:00"))
    first = min(found.values(), key=lambda start: start.started_at)
    assert first.outcome is Outcome.READY
    assert first.trigger is Trigger.ROLLOUT
    assert first.total_s == pytest.approx(26.5, abs=1.5)
    assert seconds(first)["load-engine"] == pytest.approx(12.3, abs=1.5)


def test_a_pod_that_vanished_in_a_gap_is_partial() -> None:
    """The pod of 13 that was deleted while loading, with the deletion in a gap of the watch."""
    name, uid = named("13"), "2e81aa13-daa3-4407-beaf-7271c05dc295"
    stream = with_gap(lines(name), "pods", "2026-11-30T09:30:46", "2026-11-30T09:30:52")
    lost = starts_of(stream)[uid]
    assert lost.outcome is Outcome.PARTIAL
    assert lost.ended_at is not None


@pytest.mark.parametrize("name", SOME)
def test_a_watch_of_pods_that_got_410_loses_no_start(name: str) -> None:
    """ERROR 410 eight seconds into the last start, and a list three seconds later."""
    last = max(starts_of(name).values(), key=lambda start: start.started_at)
    begin = last.started_at + timedelta(seconds=8)
    stream = with_gap(
        lines(name), "pods", begin.isoformat()[:19], (begin + timedelta(seconds=3)).isoformat()[:19]
    )
    found = starts_of(stream)
    wrong = {t["pod"]: faults(found.get(t["pod_uid"]), t) for t in truth(name)["starts"]}
    assert {pod: said for pod, said in wrong.items() if said} == {}

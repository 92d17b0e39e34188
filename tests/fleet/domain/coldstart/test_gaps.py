"""All watches cut at a bad moment and listed again: recorded starts stay right."""

import pytest

from fleet.domain.coldstart.start import Trigger
from fleet.domain.records.keys import Resource
from tests.fleet.domain.scene import Scene, asleep
from tests.fleet.domain.scoring import faults
from tests.fleet.domain.streams import lines, named, starts_of, truth, with_gap


@pytest.mark.parametrize(
    ("number", "begin", "end"),
    [
        pytest.param("05", "09:31:01", "09:31:08", id="asleep and pinned awake, unseen"),
        pytest.param("15", "09:35:48", "09:35:55", id="asleep and woken for two, unseen"),
        pytest.param("19", "09:35:52", "09:35:59", id="asleep and woken, unseen"),
        pytest.param("09", "09:30:48", "09:31:01", id="ready and routed, unseen"),
        pytest.param("17", "09:35:52", "09:36:09", id="ready and routed and more, unseen"),
    ],
)
def test_a_gap_of_all_watches_costs_nothing_that_stamps_and_numbers_tell(
    number: str, begin: str, end: str
) -> None:
    stream = lines(named(number))
    for resource in sorted({line["resource"] for line in stream}):
        stream = with_gap(stream, resource, f"2026-11-30T{begin}", f"2026-11-30T{end}")
    found = starts_of(stream)
    happened = truth(named(number))["starts"]
    wrong = {true["pod"]: faults(found.get(true["pod_uid"]), true) for true in happened}
    assert {pod: said for pod, said in wrong.items() if said} == {}


def told_late(scene: Scene) -> None:
    """What a watch had kept for us: it comes as if it happened now."""
    scene.deployment(1)
    scene.replicaset(1)
    scene.scaler(1)


@pytest.mark.parametrize("wish_first", [True, False], ids=["the wish is told first", "and last"])
def test_who_slept_before_a_gap_was_not_woken_by_what_was_wished_before_that(
    wish_first: bool,
) -> None:
    """The pod is met in a list, its wish is told by a watch that went on, both long after."""
    scene = asleep()
    pod = scene._new_pod("pod-1", "rev-1", 1, {})
    scene.wait(25)
    if wish_first:
        told_late(scene)
    scene.wait(0.2).lists(Resource.PODS, [pod], since=40)
    if not wish_first:
        scene.wait(0.3)
        told_late(scene)
    start = scene.start()
    assert start.trigger is Trigger.SCALE_FROM_ZERO
    assert 0.0 <= (start.started_at - pod.meta.created_at).total_seconds() < 1.0
    assert start.phases[0].seconds == 0.0

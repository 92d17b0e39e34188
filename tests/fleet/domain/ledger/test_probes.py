"""Probe failures out of Unhealthy Events."""

import pytest

from fleet.domain.ledger.delta import ProbeFailure
from fleet.domain.ledger.probes import probe_of
from tests.fleet.domain.scene import Scene, asleep, awake, wake
from tests.fleet.domain.streams import named, recorded

REFUSED = "Readiness probe failed: HTTP probe failed with statuscode: 503"


@pytest.mark.parametrize(
    ("message", "probe"),
    [
        (REFUSED, "readiness"),
        ("Liveness probe failed: Get ...: context deadline exceeded", "liveness"),
        ("Startup probe failed: dial tcp: connect: connection refused", "startup"),
        ("Readiness probe errored: rpc error", "readiness"),
        ("Readiness probe errored and resulted in unknown state: x", "readiness"),
        ("(combined from similar events): Liveness probe failed: x", "liveness"),
        ("something else", ""),
    ],
)
def test_wordings_of_all_eras(message: str, probe: str) -> None:
    assert probe_of(message) == probe


def test_queue_proxys_readiness_speaks_of_the_models_container() -> None:
    failures: list[ProbeFailure] = list(recorded(named("01")).all_of("probe_failures"))
    assert {f.container for f in failures} == {"queue-proxy"}
    assert {f.about for f in failures} == {"kserve-container"}
    assert {f.while_ for f in failures} == {"starting"}
    counts: dict[str, list[int]] = {}
    for failure in failures:
        counts.setdefault(failure.event_uid, []).append(failure.count)
    assert all(seen == sorted(set(seen)) for seen in counts.values())


def failing(scene: Scene, uid: str, message: str = REFUSED, container: str = "queue-proxy") -> None:
    """One Unhealthy Event."""
    scene.event("Unhealthy", message, pod=uid, container=container)


def failures_of(scene: Scene) -> list[ProbeFailure]:
    """All said so far."""
    return scene.said("probe_failures")


def test_the_count_is_what_the_newest_sight_of_the_event_says() -> None:
    scene = asleep()
    wake(scene)
    scene.running()
    for _ in range(3):
        failing(scene.wait(2), "pod-1")
    assert [f.count for f in failures_of(scene)] == [1, 2, 3]
    assert len({f.event_uid for f in failures_of(scene)}) == 1


def test_starting_until_ready_then_serving_then_starting_while_restarted() -> None:
    scene = awake()
    failing(scene, "pod-0")
    scene.wait(60).crashed("pod-0", restarts=1)
    failing(scene, "pod-0", "Readiness probe failed: again")
    assert [f.while_ for f in failures_of(scene)] == ["serving", "starting"]


def test_an_event_that_came_late_belongs_to_the_start_it_happened_in() -> None:
    scene = asleep()
    wake(scene)
    scene.running()
    early = scene.now
    scene.wait(20).ready()
    scene.event("Unhealthy", REFUSED, container="main", first_at=early, last_at=early)
    assert [f.while_ for f in failures_of(scene)] == ["starting"]


@pytest.mark.parametrize(
    "message",
    [REFUSED, "Readiness probe errored: context canceled"],
    ids=["a draining server refuses", "a probe cancelled half-way"],
)
def test_failures_of_an_orderly_end_are_not_told(message: str) -> None:
    scene = awake()
    scene.terminating("pod-0")
    failing(scene.wait(1), "pod-0", message)
    assert failures_of(scene) == []


def test_a_failure_before_the_end_is_told_though_its_event_comes_after() -> None:
    scene = awake()
    before = scene.now
    scene.wait(30).terminating("pod-0")
    scene.event("Unhealthy", REFUSED, pod="pod-0", first_at=before, last_at=before)
    assert len(failures_of(scene)) == 1


def test_liveness_of_a_container_is_about_itself() -> None:
    scene = awake()
    failing(scene, "pod-0", "Liveness probe failed: timeout", "kserve-container")
    (failure,) = failures_of(scene)
    assert (failure.container, failure.about) == ("kserve-container", "kserve-container")


def test_an_event_that_names_no_probe_is_none() -> None:
    scene = awake()
    failing(scene, "pod-0", "something else")
    assert failures_of(scene) == []

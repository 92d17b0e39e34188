"""Whose logs are read, and when."""

import pytest

from fleet.domain.coldstart.heard import Heard
from fleet.domain.ledger import said
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.ledger.listening import LogWanted
from tests.fleet.domain.scene import Scene, asleep, awake, resource_of, wake


def wanted(scene: Scene) -> tuple[LogWanted, ...]:
    return scene.ledger.logs_wanted(now=scene.now)


def starting() -> Scene:
    scene = asleep()
    wake(scene)
    scene.wait(1).scheduled()
    return scene


def test_nothing_before_the_container_runs() -> None:
    assert wanted(starting()) == ()


def test_while_it_starts() -> None:
    scene = starting()
    scene.wait(3).running()
    (log,) = wanted(scene)
    started = scene.now.replace(microsecond=0).timestamp()
    assert log == LogWanted(
        uid="pod-1",
        attempt=0,
        namespace="chat",
        pod="pod-1",
        container="kserve-container",
        run=0,
        started_at=started,
        is_last=False,
    )


def test_once_more_at_its_end_and_then_no_more() -> None:
    scene = starting()
    scene.wait(3).running()
    scene.wait(30).ready()
    (log,) = wanted(scene)
    assert log.is_last
    scene.ledger.heard("pod-1", 0, Heard(run=0, by=0.0, done=True))
    assert wanted(scene) == ()


def test_after_a_crash_the_next_run() -> None:
    scene = starting()
    scene.wait(3).running()
    scene.wait(9).crashed(restarts=0)
    assert [log.run for log in wanted(scene)] == [0]
    scene.wait(9).running(restarts=1)
    assert [(log.run, log.started_at) for log in wanted(scene)] == [(1, None)]


def test_a_start_again_in_place() -> None:
    scene = awake()
    scene.crashed("pod-0", restarts=0)
    assert wanted(scene) == ()
    scene.wait(9).running("pod-0", restarts=1)
    assert [(log.attempt, log.run) for log in wanted(scene)] == [(1, 1)]


@pytest.mark.parametrize("how", ["gone", "late"])
def test_not_of_what_is_over(how: str) -> None:
    scene = starting()
    scene.wait(3).running()
    if how == "late":
        scene.wait(30).ready()
        scene.wait(700)
    else:
        scene.terminating()
        if how == "gone":
            scene.wait(2).gone("pod-1")
    assert wanted(scene) == ()


def test_once_more_when_it_is_asked_to_go_before_it_was_up() -> None:
    scene = starting()
    scene.wait(3).running()
    scene.terminating()
    assert [(log.run, log.is_last) for log in wanted(scene)] == [(0, True)]
    scene.ledger.heard("pod-1", 0, Heard(run=0, by=0.0, done=True))
    assert wanted(scene) == ()


def test_a_start_that_was_over_before_anybody_asked_is_read_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(said, "ROUTE_WITHIN_S", 0.0)
    scene = starting()
    scene.wait(90).running()
    scene.wait(0.2).ready()
    scene.wait(1)
    scene.ledger.settle_running(now=scene.now)
    assert [(log.uid, log.is_last) for log in wanted(scene)] == [("pod-1", True)]


def test_a_replica_that_served_before_we_looked_is_not_read() -> None:
    seen = awake()
    scene = Scene()
    for record in seen.objects.values():
        scene.lists(resource_of(record), [record], since=None)
    assert scene.ledger.logs_wanted(now=seen.now) == ()


def test_what_was_heard_of_nobody_is_dropped() -> None:
    ledger = Ledger("demo")
    ledger.heard("nobody", 0, Heard(run=0, by=0.0))
    scene = starting()
    scene.ledger.heard("pod-1", 7, Heard(run=0, by=0.0))
    assert scene.settle().starts == ()

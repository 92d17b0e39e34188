"""A start whose server's log was read: the boundary of loading, sub-phases, why it crashed."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.domain.coldstart.evidence import evidence_of, facts_of
from fleet.domain.coldstart.heard import Heard, Run, joined
from fleet.domain.coldstart.measure import measure, measure_attempts
from fleet.domain.coldstart.start import ColdStart, Outcome, Phase, PhaseSpan
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.witness import Witness
from tests.fleet.domain.scene import Scene, asleep, wake

OOM = "torch.OutOfMemoryError: CUDA out of memory."


def log_of(scene: Scene, *lines: tuple[float, str]) -> list[str]:
    """Lines as the kubelet stamps them, so many seconds after the scene's clock."""
    return [
        f"{scene.now + timedelta(seconds=after):%Y-%m-%dT%H:%M:%S.%f}000Z {text}"
        for after, text in lines
    ]


def hear(scene: Scene, lines: list[str], *, run: int = 0, attempt: int = 0, **more: Any) -> None:
    log = EngineLog(started_at=scene.now.timestamp())
    log.feed_all(lines)
    witness = log.witness()
    heard = Heard(
        run=run,
        by=scene.now.timestamp(),
        witness=witness,
        failure=witness.failure,
        line=witness.line,
        **more,
    )
    scene.ledger.heard("pod-1", attempt, heard)
    scene.settle()


def loading() -> tuple[Scene, list[str]]:
    """A wake whose container runs since a tenth of a second, and what its server will write."""
    scene = asleep()
    wake(scene)
    scene.wait(1).scheduled()
    scene.wait(3).running()
    lines = log_of(
        scene,
        (10.0, "INFO 11-30 09:10:00 [a.py:1] vLLM API server version 0.11.0"),
        (14.0, "INFO 11-30 09:10:04 [c.py:1] Initializing a V1 LLM engine (v0.11.0) with config"),
        (16.0, "INFO 11-30 09:10:06 [g.py:1] Starting to load model m..."),
        (22.0, "INFO 11-30 09:10:12 [g.py:1] Loading weights took 5.00 seconds"),
        (22.5, "INFO 11-30 09:10:12 [g.py:1] Model loading took 14.9 GiB and 5.500000 seconds"),
        (38.0, "INFO 11-30 09:10:28 [m.py:1] torch.compile takes 8.00 s in total"),
        (40.0, "INFO:     Application startup complete."),
    )
    return scene, lines


def span(start: ColdStart, phase: Phase) -> PhaseSpan | None:
    return next((each for each in start.phases if each.phase is phase), None)


def test_loading_ends_when_the_server_says_so() -> None:
    scene, lines = loading()
    scene.wait(42)
    hear(scene, lines)
    scene.wait(3).ready()
    start = scene.start()
    load, become = span(start, Phase.LOAD_ENGINE), span(start, Phase.BECOME_READY)
    assert load is not None
    assert become is not None
    assert load.source == "log"
    assert load.seconds == pytest.approx(40.0, abs=0.6)
    assert become.seconds == pytest.approx(5.0, abs=0.3)
    assert start.total_s == pytest.approx(
        sum(each.seconds for each in start.phases if each.phase is not Phase.ROUTE), abs=0.05
    )


def test_sub_phases_follow_one_another_or_lie_within() -> None:
    scene, lines = loading()
    scene.wait(42)
    hear(scene, lines)
    load = span(scene.start(), Phase.LOAD_ENGINE)
    assert load is not None
    parts = {part.part: (round(part.seconds), part.within) for part in load.parts}
    assert parts == {
        "process_boot": (10, ""),
        "config": (4, ""),
        "engine_spawn": (2, ""),
        "model_load": (6, ""),
        "weights_load": (5, "model_load"),
        "post_load": (0, "model_load"),
        "compile_total": (8, ""),
    }
    assert sum(part.seconds for part in load.parts if not part.within) <= load.seconds


def test_a_start_underway_waits_for_readiness_after_its_server_is_up() -> None:
    scene, lines = loading()
    scene.wait(44)
    hear(scene, lines)
    start = scene.start()
    assert [each.phase for each in start.phases][-1] is Phase.BECOME_READY
    assert start.phases[-1].ended_at is None
    assert start.outcome is Outcome.RUNNING


def test_half_a_log_moves_no_boundary() -> None:
    scene, lines = loading()
    scene.wait(25)
    hear(scene, lines[:5])
    scene.wait(20).ready()
    load = span(scene.start(), Phase.LOAD_ENGINE)
    assert load is not None
    assert load.source == "condition"
    assert "model_load" in {part.part for part in load.parts}


def test_a_log_without_stamps_moves_no_boundary() -> None:
    scene, lines = loading()
    scene.wait(42)
    hear(scene, [line.split(" ", 1)[1] for line in lines])
    assert span(scene.start(), Phase.BECOME_READY) is None


def test_a_crash_has_the_decisive_line() -> None:
    scene, lines = loading()
    scene.wait(20).crashed(restarts=0)
    hear(scene, [*lines[:3], *log_of(scene, (-1.0, OOM))])
    failure = scene.start().failure
    assert failure is not None
    assert (failure.class_, failure.reason) == ("crash", f"cuda_oom: {OOM}")


def test_another_run_does_not_forget_why_the_last_one_crashed() -> None:
    scene, lines = loading()
    scene.wait(20).crashed(restarts=0)
    hear(scene, [*lines[:3], *log_of(scene, (-1.0, OOM))])
    scene.wait(10).running(restarts=2)
    hear(
        scene, log_of(scene, (1.0, "INFO 11-30 09:10:00 [a.py:1] vLLM API server version 0")), run=2
    )
    failure = scene.start().failure
    assert failure is not None
    assert failure.reason == f"cuda_oom: {OOM}"


def test_the_log_of_an_earlier_run_says_nothing_of_this_one() -> None:
    scene, lines = loading()
    scene.wait(42)
    hear(scene, lines)
    scene.crashed(restarts=0)
    scene.wait(10).running(restarts=1)
    assert span(scene.start(), Phase.BECOME_READY) is None


def test_a_start_again_in_place_is_heard_too() -> None:
    scene, lines = loading()
    scene.wait(42)
    hear(scene, lines, done=True)
    scene.ready()
    scene.wait(60).crashed(restarts=0)
    scene.wait(10).running(restarts=1)
    again = log_of(scene, (8.0, "INFO:     Application startup complete."))
    scene.wait(9)
    hear(scene, again, run=1, attempt=1)
    start = scene.start(attempt=1)
    assert [each.phase for each in start.phases][-1] is Phase.BECOME_READY


def test_kept_facts_measure_the_same() -> None:
    scene, lines = loading()
    scene.wait(42)
    hear(scene, lines)
    scene.ready()
    scene.wait(60).crashed(restarts=0)
    scene.wait(10).running(restarts=1)
    hear(scene, log_of(scene, (1.0, OOM)), run=1, attempt=1)
    now = scene.now.timestamp()
    evidence = (
        scene.ledger._intake.places.groups[  # noqa: SLF001
            scene.ledger._intake.places.by_uid["pod-1"]  # noqa: SLF001
        ]
        .replicas["pod-1"]
        .evidence
    )
    back = evidence_of(facts_of(evidence))
    assert back == evidence
    assert measure(back, cluster="demo", now=now) == measure(evidence, cluster="demo", now=now)
    assert list(measure_attempts(back, cluster="demo", now=now)) == list(
        measure_attempts(evidence, cluster="demo", now=now)
    )


@pytest.mark.parametrize(
    ("known", "new", "kept"),
    [
        pytest.param(None, Heard(run=0, by=1.0), Heard(run=0, by=1.0), id="the first"),
        pytest.param(Heard(run=0, by=1.0), Heard(run=0, by=2.0), None, id="no news"),
        pytest.param(Heard(run=1, by=1.0), Heard(run=0, by=2.0), None, id="of an earlier run"),
        pytest.param(
            Heard(run=0, by=1.0, done=True), Heard(run=1, by=2.0), None, id="after the last"
        ),
        pytest.param(
            Heard(run=0, by=1.0, failure="cuda_oom", line="x"),
            Heard(run=1, by=2.0),
            Heard(
                run=1,
                by=2.0,
                failure="cuda_oom",
                line="x",
                runs=(Run(0, "cuda_oom", "x", None),),
            ),
            id="why the run before failed",
        ),
        pytest.param(
            Heard(run=0, by=1.0),
            Heard(run=0, by=2.0, witness=Witness(complete=True)),
            Heard(run=0, by=2.0, witness=Witness(complete=True)),
            id="more of the same run",
        ),
    ],
)
def test_what_is_kept_of_two_readings(known: Heard | None, new: Heard, kept: Heard | None) -> None:
    assert joined(known, new) == kept

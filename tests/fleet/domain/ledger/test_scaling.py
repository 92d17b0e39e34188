"""Scale events: numbers, source and cause."""

import pytest

from fleet.domain.ledger.delta import ScaleEvent
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.serving import HorizontalAutoscalerRecord
from tests.fleet.domain.scene import Scene, asleep, awake, standing, wake
from tests.fleet.domain.streams import named, recorded


def told(events: list[ScaleEvent]) -> list[tuple[int, int, str, str, str]]:
    """From, to, kind, source, cause."""
    return [(e.from_, e.to, e.kind.value, e.source, e.cause) for e in events]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        pytest.param(
            "01",
            [
                (0, 1, "from-zero", "deployment", "rollout"),
                (1, 0, "to-zero", "podautoscaler", "idle"),
                (0, 1, "from-zero", "podautoscaler", "demand"),
                (1, 0, "to-zero", "podautoscaler", "idle"),
                (0, 1, "from-zero", "podautoscaler", "demand"),
            ],
            id="a rollout and two wakes",
        ),
        pytest.param(
            "05",
            [
                (0, 1, "from-zero", "deployment", "rollout"),
                (1, 0, "to-zero", "podautoscaler", "idle"),
                (0, 1, "from-zero", "podautoscaler", "min-change"),
                (1, 0, "to-zero", "podautoscaler", "min-change"),
            ],
            id="a pin and its end",
        ),
        pytest.param(
            "11",
            [
                (0, 1, "from-zero", "deployment", "min-change"),
                (1, 2, "up", "deployment", "min-change"),
                (2, 0, "to-zero", "deployment", "min-change"),
            ],
            id="replicas of an LLMInferenceService edited",
        ),
        pytest.param(
            "21",
            [
                (0, 1, "from-zero", "deployment", "rollout"),
                (1, 0, "to-zero", "podautoscaler", "gave-up"),
            ],
            id="the autoscaler gives up: only a watch sees why",
        ),
    ],
)
def test_recorded(number: str, expected: list[tuple[int, int, str, str, str]]) -> None:
    events: list[ScaleEvent] = list(recorded(named(number)).all_of("scale_events"))
    assert told(events) == expected
    assert len({event.uid for event in events}) == len(events)


def events_of(scene: Scene) -> list[ScaleEvent]:
    """Those since the scene began, without its set-up."""
    return scene.said("scale_events")


def after_setup(scene: Scene) -> Scene:
    """Forget what the set-up said."""
    scene.deltas.clear()
    return scene


def test_up_and_down_under_load() -> None:
    scene = after_setup(awake())
    scene.scaler(3)
    scene.wait(60).scaler(1)
    assert told(events_of(scene)) == [
        (1, 3, "up", "podautoscaler", "demand"),
        (3, 1, "down", "podautoscaler", "idle"),
    ]


def test_a_knative_deployment_says_nothing_while_its_autoscaler_does() -> None:
    scene = after_setup(asleep())
    wake(scene, to=2)
    assert told(events_of(scene)) == [(0, 2, "from-zero", "podautoscaler", "demand")]


def test_without_autoscalers_the_deployment_tells() -> None:
    scene = Scene()
    scene.model()
    scene.revision()
    scene.deployment(0)
    scene.wait(60).deployment(1)
    assert told(events_of(scene)) == [(0, 1, "from-zero", "deployment", "demand")]


def test_a_stop_is_manual() -> None:
    scene = after_setup(standing(Mode.STANDARD))
    scene.model(stopped=True)
    scene.deployment(0)
    assert told(events_of(scene)) == [(1, 0, "to-zero", "deployment", "manual")]


def test_a_persons_tool_is_named() -> None:
    scene = after_setup(standing(Mode.STANDARD))
    scene.deployment(2, by="kubectl-scale")
    (event,) = events_of(scene)
    assert (event.cause, event.actor) == ("manual", "kubectl-scale")


@pytest.mark.parametrize(
    ("with_hpa", "to", "cause"),
    [(True, 2, "demand"), (True, 0, "idle"), (False, 2, "unknown")],
    ids=["an HPA asks for more", "an HPA asks for less", "nothing tells who asked"],
)
def test_standard_mode(with_hpa: bool, to: int, cause: str) -> None:
    scene = standing(Mode.STANDARD)
    if with_hpa:
        meta = scene.meta("hpa", owner_kind="InferenceService", owner_name="llama")
        scene.send(HorizontalAutoscalerRecord(meta=meta))
    after_setup(scene).deployment(to)
    (event,) = events_of(scene)
    assert event.cause == cause


def test_a_pin_the_other_way_is_no_cause() -> None:
    scene = awake(min_scale=1)
    after_setup(scene).scaler(1, min_scale=0)
    scene.wait(1).scaler(3, min_scale=0)
    assert events_of(scene)[-1].cause == "demand"


def test_a_list_after_a_gap_tells_what_it_shows() -> None:
    scene = after_setup(awake())
    scaler = scene.objects["pa-rev-1"]
    scene.scaler(1)
    scene.deltas.clear()
    scene.wait(30)
    newer = scene.meta("pa-rev-1")
    moved = type(scaler)(
        **{name: getattr(scaler, name) for name in scaler.__slots__}
        | {"meta": newer, "desired_scale": 4}
    )
    scene.lists(Resource.POD_AUTOSCALERS, [moved], since=20)
    assert told(events_of(scene)) == [(1, 4, "up", "podautoscaler", "demand")]


def test_models_not_taken_have_no_events() -> None:
    scene = Scene()
    scene.model("other")
    scene.deployment(1)
    assert events_of(scene) == []

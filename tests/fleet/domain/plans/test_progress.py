"""An action on its way: what was seen -> what is next."""

import pytest

from fleet.domain.plans.answers import completions_path
from fleet.domain.plans.progress import (
    DEAD_ZONE_S,
    FAILING_S,
    GIVE_UP_S,
    NOT_EFFECTIVE_S,
    Sight,
    Waited,
    after_accepted,
    after_scaling,
    after_served,
)

CRASH = ("crash", "exit code 1")
NO_NODE = ("unschedulable", "0/4 nodes are available")


def waited(since_s: float = 1.0, *, failing_s: float | None = None, asked: bool = False) -> Waited:
    return Waited(since_s=since_s, failing_s=failing_s, asked=asked, may_ask=True)


@pytest.mark.parametrize(
    ("least", "sight", "time", "expected"),
    [
        pytest.param(1, Sight(), waited(), ("wait", ""), id="nothing seen yet"),
        pytest.param(
            1, Sight(floor=1, wished=0), waited(), ("wait", ""), id="in force, nobody acts on it"
        ),
        pytest.param(
            1, Sight(floor=0, wished=1), waited(), ("wait", ""), id="a pod of somebody's request"
        ),
        pytest.param(
            1, Sight(floor=1, wished=1), waited(), ("scaling", "floor-in-force"), id="acted on"
        ),
        pytest.param(
            1, Sight(floor=2, wished=3), waited(), ("scaling", "floor-in-force"), id="even more"
        ),
        pytest.param(
            1, Sight(floor=1), waited(DEAD_ZONE_S), ("ask", "dead-zone"), id="the dead zone"
        ),
        pytest.param(
            1, Sight(floor=1), waited(DEAD_ZONE_S, asked=True), ("wait", ""), id="asked once only"
        ),
        pytest.param(
            1,
            Sight(floor=1),
            Waited(since_s=DEAD_ZONE_S),
            ("wait", ""),
            id="nobody may be asked there",
        ),
        pytest.param(
            1,
            Sight(floor=1),
            waited(NOT_EFFECTIVE_S, asked=True),
            ("failed", "accepted-not-effective"),
            id="accepted, not effective",
        ),
        pytest.param(
            1,
            Sight(floor=1, wished=1, new_revision="r2"),
            waited(),
            ("superseded", "revision-replaced"),
            id="a new revision took over first",
        ),
        pytest.param(0, Sight(floor=0), waited(), ("done", "floor-lowered"), id="lowered to zero"),
        pytest.param(0, Sight(floor=1), waited(), ("wait", ""), id="not lowered yet"),
    ],
)
def test_after_accepted(least: int, sight: Sight, time: Waited, expected: tuple[str, str]) -> None:
    move = after_accepted(least, sight, time)
    assert (move.next.value, move.code) == expected


@pytest.mark.parametrize(
    ("sight", "time", "expected"),
    [
        pytest.param(Sight(floor=2, ready=1), waited(), ("wait", ""), id="one of two"),
        pytest.param(Sight(floor=2, ready=2), waited(), ("ready", "replicas-ready"), id="both"),
        pytest.param(
            Sight(floor=0, ready=2), waited(), ("superseded", "floor-taken-back"), id="taken back"
        ),
        pytest.param(Sight(ready=0), waited(), ("wait", ""), id="out of sight proves nothing"),
        pytest.param(
            Sight(floor=2, failing=CRASH), waited(), ("note", "start-failing"), id="said once"
        ),
        pytest.param(
            Sight(floor=2, failing=CRASH), waited(failing_s=5), ("wait", ""), id="it may turn"
        ),
        pytest.param(
            Sight(floor=2, failing=CRASH),
            waited(failing_s=FAILING_S),
            ("failed", "start-failed"),
            id="it does not turn",
        ),
        pytest.param(
            Sight(floor=2, failing=NO_NODE),
            waited(failing_s=FAILING_S * 3),
            ("wait", ""),
            id="a node may be on its way",
        ),
        pytest.param(
            Sight(floor=2, failing=NO_NODE),
            waited(GIVE_UP_S, failing_s=FAILING_S * 3),
            ("failed", "not-ready-in-time"),
            id="not for ever",
        ),
        pytest.param(
            Sight(floor=2, ready=2, failing=CRASH),
            waited(GIVE_UP_S),
            ("ready", "replicas-ready"),
            id="enough are ready, whatever else fails",
        ),
    ],
)
def test_after_scaling(sight: Sight, time: Waited, expected: tuple[str, str]) -> None:
    move = after_scaling(2, sight, time)
    assert (move.next.value, move.code) == expected


@pytest.mark.parametrize(
    ("sight", "code"),
    [
        pytest.param(Sight(floor=1), "", id="it stands"),
        pytest.param(Sight(), "", id="out of sight"),
        pytest.param(Sight(floor=3), "", id="somebody raised it further"),
        pytest.param(Sight(floor=0), "floor-taken-back", id="taken back"),
        pytest.param(Sight(floor=1, new_revision="r2"), "revision-replaced", id="replaced"),
    ],
)
def test_after_served(sight: Sight, code: str) -> None:
    assert after_served(1, sight, waited()).code == code


@pytest.mark.parametrize(
    ("given", "path"),
    [
        pytest.param({}, "/v1/completions", id="plain vLLM"),
        pytest.param(
            {"huggingface": True}, "/openai/v1/completions", id="KServe's Hugging Face server"
        ),
        pytest.param(
            {"kind_is_llm": True}, "/chat/pilot/v1/completions", id="an LLM service by its path"
        ),
        pytest.param(
            {"kind_is_llm": True, "url_path": "/chat/pilot/"},
            "/chat/pilot/v1/completions",
            id="whose address names the path already",
        ),
    ],
)
def test_where_completions_are_asked_for(given: dict[str, object], path: str) -> None:
    asked = {"url_path": "", "kind_is_llm": False, "huggingface": False, **given}
    assert completions_path(namespace="chat", name="pilot", **asked) == path  # type: ignore[arg-type]

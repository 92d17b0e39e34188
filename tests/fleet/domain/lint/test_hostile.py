"""Whatever stands in a file, nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet.domain.lint.measured import Measured
from fleet.domain.lint.profiles import Profile, judge
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.table import lint
from fleet.domain.lint.text import yaml_of
from fleet.domain.lint.told import measured_by_model
from tests.fleet.domain.lint.objects import STARTUP, isvc, llm, revision, runtime, took

MEASURED = Measured(
    total=took(700),
    load=took(400),
    fetch=took(300),
    lag=took(20),
    compile=took(60),
    from_zero=2,
    sequences=3.0,
    by_hour=(1.0,) * 168,
    broken_answers=1,
    free_gpus=0,
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["0", "1e999", "9" * 400, "30m", "-1", "true", "InferenceService", "List"])
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=8) | st.sampled_from(["kind", "metadata", "spec", "items", "name"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)
WHOLE = [
    isvc(
        {"startupProbe": STARTUP, "livenessProbe": STARTUP, "env": [{"name": "A"}]},
        notes={"autoscaling.knative.dev/minScale": "1"},
        minReplicas=0,
        volumes=[{"name": "x", "emptyDir": {}}],
    ),
    isvc(model={"runtime": "kserve-vllmserver", "args": ["--x"]}, mode="Standard"),
    llm({"name": "main"}, replicas=1),
    revision(),
    runtime({"startupProbe": STARTUP}),
]


def everything(objects: Any) -> None:
    for found in settings_from_objects(objects):
        lint(found, MEASURED)
        for profile in Profile:
            judge(profile, found, MEASURED)


@given(ANYTHING)
@settings(max_examples=150, deadline=None)
def test_anything_at_all(value: Any) -> None:
    everything([value])
    measured_by_model([value])


def places(value: Any) -> list[tuple[Any, ...]]:
    """Paths of everything that lies in a value."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = [(key, *path) for key, item in inner for path in [(), *places(item)]]
    return found


def put(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with something else at a path."""
    if not path:
        return other
    copied = value.copy()
    copied[path[0]] = put(value[path[0]], path[1:], other)
    return copied


@pytest.mark.parametrize("at", range(len(WHOLE)))
def test_anything_in_any_place_of_a_whole_object(at: int) -> None:
    odd: list[Any] = [None, "x", 1e308, [None, {}], {"name": [1]}]
    for path in places(WHOLE[at]):
        for other in odd:
            everything([*WHOLE[:at], put(WHOLE[at], path, other), *WHOLE[at + 1 :]])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=3)
        ),
        max_leaves=15,
    )
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_written_as_yaml_is_read_the_same(value: Any) -> None:
    assert yaml.safe_load(yaml_of(value)) == value

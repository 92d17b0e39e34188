"""Comparisons as charts, and ghosts as bars."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.charts.compared_figures import (
    ATTRIBUTE_LABELS,
    MOST_GROUPS,
    attribute_text,
    curves_of,
    spread_by,
    time_figure,
)
from dashboard.charts.ghost_bar import ghost_bar
from fleet.domain.compare.ghost import ghost
from fleet.domain.compare.records import Attribute, Compared

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MODE = "cached-image"
START = Compared(
    id=0,
    model="demo-a/InferenceService/chat/m",
    model_uid="uid",
    cluster="demo-a",
    started_at=NOW,
    outcome="ready",
    trigger="scale-from-zero",
    start_mode=MODE,
    total_s=60.0,
    phases_s={"decide": 10.0, "load-engine": 50.0},
    revision="m-predictor-00001",
    revision_uid="one",
    image_digest="sha256:0123456789abcdef",
)


def starts(n: int, **changes: object) -> list[Compared]:
    """The newest first, an hour apart."""
    each = (replace(START, id=i, started_at=NOW - i * HOUR) for i in range(n))
    return [replace(start, **changes) for start in each]  # type: ignore[arg-type]


def test_each_attribute_has_words() -> None:
    assert set(ATTRIBUTE_LABELS) == set(Attribute)


@pytest.mark.parametrize(
    ("attribute", "value", "text"),
    [
        pytest.param(Attribute.NODE, "gpu-1", "gpu-1", id="a name"),
        pytest.param(Attribute.NODE, "", "not known", id="not known"),
        pytest.param(
            Attribute.IMAGE_DIGEST, "sha256:0123456789abcdef", "0123456789ab", id="digest"
        ),
    ],
)
def test_values_as_they_are_shown(attribute: Attribute, value: str, text: str) -> None:
    assert attribute_text(attribute, value) == text


def test_of_many_nodes_those_with_the_newest_starts_are_shown() -> None:
    many = [replace(start, node=f"gpu-{n}") for n, start in enumerate(starts(14))]
    figure = spread_by(many, Attribute.NODE, mode=MODE)
    assert [row[0] for row in figure.rows] == [f"gpu-{n}" for n in range(MOST_GROUPS)]
    assert figure.says == "Lengths of starts by node, cached image"


def test_a_curve_needs_twenty_starts_of_each() -> None:
    other = {"revision": "m-predictor-00002", "revision_uid": "two"}
    names = ["m-predictor-00001", "m-predictor-00002"]
    few, enough = starts(20) + starts(19, **other), starts(20) + starts(20, **other)
    assert curves_of(few, Attribute.REVISION, names, mode=MODE) is None
    found = curves_of(enough, Attribute.REVISION, names, mode=MODE)
    assert found is not None
    assert [trace["name"] for trace in found.traces] == ["00001", "00002"]


@pytest.mark.parametrize(
    ("model", "says"),
    [
        pytest.param(True, "image fedcba987654", id="on a model's own page"),
        pytest.param(
            False, "image fedcba987654 · demo-a/InferenceService/chat/m", id="among other models"
        ),
    ],
)
def test_marks_name_what_is_new(*, model: bool, says: str) -> None:
    newest = replace(START, id=99, image_digest="sha256:fedcba9876543210")
    known = [newest, *starts(5)[1:]]
    since = NOW - 10 * HOUR
    figure = time_figure(known, mode=MODE, since=since, until=NOW + HOUR, model=model)
    assert figure.traces[-1]["text"] == [says]


def test_a_ghost_lies_on_the_scale_of_its_bar() -> None:
    found = ghost(replace(START, id=99), starts(6))
    assert found is not None
    bar = ghost_bar(found, scale_s=120.0)
    assert [(s.phase, s.x, s.width) for s in bar.segments] == [
        ("decide", 0.0, 8.333),
        ("load-engine", 8.333, 41.667),
    ]
    assert (bar.total_x, bar.source) == (50.0, "median of 6 starts of this revision")
    assert bar.since == NOW - 5 * HOUR


def test_a_ghost_longer_than_the_scale_ends_with_it() -> None:
    found = ghost(replace(START, id=99), starts(6))
    assert found is not None
    bar = ghost_bar(found, scale_s=30.0)
    assert bar.segments[-1].x + bar.segments[-1].width == 100.0
    assert bar.total_x < 100.0

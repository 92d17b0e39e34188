"""What the product measures from a simulated cluster's watch messages is what happened there.

The two know nothing of each other: one reads the messages, the other kept the truth.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from simulator.world.calling import Callers
from simulator.world.catalogue import plans
from simulator.world.happenings import Happenings
from simulator.world.recording import record
from simulator.world.seeding import PAST_S, seed
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.truth import Start
from simulator.world.world import World
from tests.simulator.world.worlds import START

LIVE_S = 600.0
# Kubernetes writes whole seconds, cut: a span between two of its times is off by up to one.
TOLERANCE_S = 2.0
SPANS = (
    ("schedule", ("schedule", "provision-node"), "pod_created", "node_chosen"),
    ("fetch-model", ("fetch-model",), "fetch_started", "fetch_ended"),
    ("load", ("load-engine", "become-ready"), "container_started", "ready"),
)


def lived(number: int, path: Path) -> list[Start]:
    """The past and ten minutes of one demo cluster, recorded; its finished starts."""
    starts: list[Start] = []
    plan = plans(clusters=3, models=24, seed=3)[number]
    timeline = Timeline(START)
    world = World(plan, timeline, keep=starts.append)
    traffic = Traffic(Callers(world))
    with path.open("w") as out:
        record(world, out)
        seed(world)
        traffic.begin()
        timeline.run_for(PAST_S)
        Happenings(world, traffic).begin()
        timeline.run_for(LIVE_S)
    return starts


def measured(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    call_command("measure", str(path), "--json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line]
    return {row["replica_uid"]: row for row in rows}


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(0, id="Knative 1.21"),
        pytest.param(1, id="Knative 1.20"),
        pytest.param(2, id="Standard and LLMInferenceService"),
    ],
)
def test_every_start_is_measured_as_it_was(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stream.jsonl"
    starts = lived(number, path)
    rows = measured(path, capsys)
    assert len(starts) >= 6
    assert [_wrong(each, rows.get(each.pod_uid)) for each in starts] == [[] for _ in starts]


def _wrong(start: Start, row: dict[str, Any] | None) -> list[str]:
    """What the product says otherwise of a start."""
    if row is None:
        return [f"{start.pod}: not measured"]
    facts = {
        "trigger": start.trigger,
        "outcome": start.outcome,
        "start_mode": start.start_mode,
    }
    said = [
        f"{start.pod}: {field} {row[field]}, not {value}"
        for field, value in facts.items()
        if row[field] != value
    ]
    return said + _wrong_spans(start, row)


def _wrong_spans(start: Start, row: dict[str, Any]) -> list[str]:
    spans = [] if start.restarts else list(SPANS)
    found = {"total": row["total_s"]}
    true = {"total": _seconds(start, "demanded", "ready")}
    for name, phases, begin, end in spans:
        parts = [each["seconds"] for each in row["phases"] if each["phase"] in phases]
        found[name], true[name] = sum(parts), _seconds(start, begin, end)
    return [
        f"{start.pod}: {name} {found[name]:.1f} s, not {seconds:.1f} s"
        for name, seconds in true.items()
        if seconds is not None and abs(found[name] - seconds) > TOLERANCE_S
    ]


def _seconds(start: Start, begin: str, end: str) -> float | None:
    if begin not in start.marks or end not in start.marks:
        return None
    return (start.marks[end] - start.marks[begin]).total_seconds()

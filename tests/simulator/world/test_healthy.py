"""The world in which nothing ever fails."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from simulator.world.calling import Callers
from simulator.world.faulty import healthy_plans
from simulator.world.happenings import Happenings, Health
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.world import World

HOUR_S = 3600.0


@pytest.mark.parametrize(
    ("kind", "deaths"),
    [
        pytest.param(Health, False, id="health"),
        pytest.param(Happenings, True, id="an ordinary day"),
    ],
)
def test_servers_that_die(
    kind: type[Happenings], *, deaths: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: list[str] = []
    for name in ("crash", "stall", "drain"):
        monkeypatch.setattr(kind, name, lambda _, profile, name=name: died.append(name))
    world = World(healthy_plans(seed=3)[2], Timeline(datetime(2026, 11, 30, 9, tzinfo=UTC)))
    kind(world, Traffic(Callers(world))).begin()
    world.timeline.run_for(3 * HOUR_S)
    assert bool(died) is deaths

"""Lives through the days before now, as fast as it goes, and writes them down."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from simulator.past.deeds import Deeds
from simulator.past.logs import LogWriter
from simulator.past.rhythm import WeekOfCallers
from simulator.past.writing import PastFile
from simulator.world.traffic import Traffic
from simulator.world.world import World

# An idle model with a floor is looked at this often: nothing can become of it.
IDLE_TICK_S = 60.0


def live_through(
    world: World, traffic: Traffic, *, ordinary_from: datetime, until: datetime, path: Path
) -> None:
    """From the timeline's moment on, which is before `ordinary_from`, to `until`.

    The world is not seeded yet, or seeded at this very moment. From `ordinary_from` on callers
    come as they do live. What is written stands at `path` when this returns.
    """
    file = PastFile(world, path, until=until)
    logs = LogWriter(file)
    callers = WeekOfCallers(traffic, until=ordinary_from)
    with_patience(world, idle_tick_s=IDLE_TICK_S)
    callers.begin()
    Deeds(callers).begin()
    world.timeline.run_until(ordinary_from)
    with_patience(world, idle_tick_s=None)
    traffic.begin()
    world.timeline.run_until(until)
    file.end(close=logs.end)


def with_patience(world: World, *, idle_tick_s: float | None) -> None:
    """Leaves out looks and heartbeats that change nothing; None: as it is live."""
    world.nodes.quiet = idle_tick_s is not None
    if world.autoscaler is not None:
        world.autoscaler.idle_tick_s = idle_tick_s

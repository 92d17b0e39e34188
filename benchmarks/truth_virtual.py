"""Truth in virtual time: clusters of the demo's three kinds, hours of them, followed in process.

HOURS (4 unless said) of each cluster. One JSON line a figure; ends with 1 on a miss.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.agreement import compare, pairs_of, tell_worst
from benchmarks.virtual import Follower
from fleet.domain.coldstart.start import ColdStart
from fleet.domain.ledger.ledger import Ledger
from simulator.world.busy import busy_plans
from simulator.world.calling import Callers
from simulator.world.hands import Hands
from simulator.world.seeding import seed
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.truth import Start
from simulator.world.world import World, WorldPlan

HOURS = float(os.environ.get("HOURS", "4"))
CLUSTERS = os.environ.get("ONLY", "demo-a demo-b demo-c").split()
SEED = int(os.environ.get("SEED", "1"))
BEGINS = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """What happened in one cluster, and what was measured of it, as lines of truth and of the
    API."""

    cluster: str
    truths: list[Mapping[str, Any]]
    measured: list[Mapping[str, Any]]


def lived(plan: WorldPlan, *, hours: float) -> Lived:
    """One cluster from its first object on."""
    starts: list[Start] = []
    timeline = Timeline(BEGINS)
    world = World(plan, timeline, keep=starts.append)
    follower = Follower(world, Ledger(plan.settings.name))
    seed(world)
    Hands(world, Traffic(Callers(world))).begin(plan.models)
    follower.live(hours * 3600)
    follower.end()
    return Lived(
        cluster=plan.settings.name,
        truths=[start.as_json() for start in starts],
        measured=[plain(start) for start in follower.starts.values()],
    )


def plain(start: ColdStart) -> dict[str, Any]:
    """As much of the API's ColdStart as is compared."""
    return {
        "replica_uid": start.replica_uid,
        "attempt": start.attempt,
        "model": str(start.model),
        "trigger": start.trigger.value,
        "start_mode": start.start_mode.value,
        "outcome": start.outcome.value,
        "total_s": start.total_s,
        "phases": [
            {"phase": span.phase.value, "seconds": span.seconds, "source": span.source}
            for span in start.phases
        ],
    }


def main() -> int:
    """Live, compare, report."""
    ok = True
    for plan in busy_plans(seed=SEED):
        if plan.settings.name not in CLUSTERS:
            continue
        one = lived(plan, hours=HOURS)
        ok &= all(list(compare(one.truths, one.measured, note=f"{one.cluster} ")))
        tell_worst(pairs_of(one.truths, one.measured))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())

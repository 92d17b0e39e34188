"""Truth in virtual time: clusters of the demo's three kinds, hours of them, followed in process.

HOURS (3 unless said) of each cluster, from SEED. One JSON line a figure; ends with 1 on a miss.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import repeat
from typing import Any

from benchmarks.agreement import compare, pairs_of, tell_worst
from benchmarks.truth_eta import asked, compared, report_eta
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

HOURS = float(os.environ.get("HOURS", "3"))
SEED = int(os.environ.get("SEED", "1"))
BEGINS = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
STARTS_AT_LEAST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """What happened in one cluster, as lines of truth, and what was measured of it."""

    cluster: str
    truths: list[Mapping[str, Any]]
    starts: list[ColdStart]

    @property
    def measured(self) -> list[Mapping[str, Any]]:
        return [plain(start) for start in self.starts]


def lived(plan: WorldPlan, hours: float) -> Lived:
    """One cluster from its first object on."""
    starts: list[Start] = []
    world = World(plan, Timeline(BEGINS), keep=starts.append)
    follower = Follower(world, Ledger(plan.settings.name))
    seed(world)
    Hands(world, Traffic(Callers(world))).begin(plan.models)
    follower.live(hours * 3600)
    follower.end()
    return Lived(
        cluster=plan.settings.name,
        truths=[start.as_json() for start in starts],
        starts=list(follower.starts.values()),
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


def report(clusters: Sequence[Lived], *, at_least: int = STARTS_AT_LEAST) -> bool:
    """All clusters together, judged figure by figure."""
    truths = [truth for one in clusters for truth in one.truths]
    measured = [row for one in clusters for row in one.measured]
    ok = all(list(compare(truths, measured, at_least=at_least)))
    tell_worst(pairs_of(truths, measured))
    answers = [answer for one in clusters for answer in asked(compared(one.starts, one.cluster))]
    return report_eta(answers) and ok


def main() -> int:
    """Live, compare, report."""
    plans = busy_plans(seed=SEED)
    with ProcessPoolExecutor(max_workers=min(len(plans), os.cpu_count() or 1)) as pool:
        clusters = list(pool.map(lived, plans, repeat(HOURS)))
    return 0 if report(clusters) else 1


if __name__ == "__main__":
    sys.exit(main())

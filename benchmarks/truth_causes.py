"""Truth of causes: for each seeded fault what the product says of it, and how soon; and an hour of
models that nothing happens to.

In virtual time. A fault's model is looked at, as the product looks, every five seconds from the
first error that a caller got (or, where no caller gets one, from the fault's first trace in the
objects): the right cause has to be said first within a minute. One JSON line a fault, one for the
healthy hour; ends with 1 on a miss.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from benchmarks.common import print_line
from benchmarks.watched import Watched
from fleet.domain.diagnosis.records import Cause, Finding
from simulator.world.catalogue import SETTINGS
from simulator.world.cluster import Settings
from simulator.world.fault_schedule import FaultSchedule
from simulator.world.faults import FAULTS, Faults, Seeded
from simulator.world.faulty import faulty_plan, healthy_plans, table_of
from simulator.world.profiles import Profile
from simulator.world.world import WorldPlan

QUIET_S = 300.0
LASTS_S = 290.0
WITHIN = timedelta(seconds=60)
LOOK_EVERY_S = 5.0
# A fault that no caller feels shows in the objects after this: a deadline of 45 s, a scheduler.
SILENT = {"deadline": timedelta(seconds=50), "rollout": timedelta(seconds=5)}
# Knative 1.21, and Standard mode.
CLUSTERS = (SETTINGS[0], SETTINGS[2])
HEALTHY_LEAD_S, HEALTHY_S, HEALTHY_EVERY_S = 420.0, 3600.0, 600.0
NO_CAUSE = frozenset({Cause.NONE, Cause.INSUFFICIENT_EVIDENCE})
# What a start that is not late may well be doing; the product does not show it either.
UNDER_WAY = frozenset(
    {
        Cause.SCALE_FROM_ZERO,
        Cause.NODE_PROVISIONING,
        Cause.IMAGE_PULL_SLOW,
        Cause.MODEL_DOWNLOAD_SLOW,
        Cause.ENGINE_LOAD_SLOW,
    }
)


class Judged:
    """One fault while it is looked at. said: first causes in their order, repeats left out."""

    def __init__(self, how: str, profile: Profile, seeded: Seeded) -> None:
        self.how, self.profile, self.seeded = how, profile, seeded
        self.said: list[str] = []
        self.right_after_s: float | None = None

    @property
    def felt_at(self) -> datetime | None:
        if self.how in SILENT:
            return self.seeded.began_at + SILENT[self.how]
        return self.seeded.first_error_at

    def look(self, at: Watched) -> None:
        felt_at = self.felt_at
        if felt_at is None or at.now < felt_at or self.is_over(at.now):
            return
        found = at.look(self.profile)
        cause = found[0].cause.value
        if not self.said or self.said[-1] != cause:
            self.said.append(cause)
        if cause == self.seeded.cause and self.right_after_s is None:
            self.right_after_s = (at.now - felt_at).total_seconds()
        elif cause != self.seeded.cause:
            self.right_after_s = None

    def is_over(self, now: datetime) -> bool:
        return self.felt_at is not None and now > self.felt_at + WITHIN

    def report(self) -> bool:
        """Right within a minute, and not taken back within it."""
        ok = self.right_after_s is not None
        print_line(
            {
                "name": f"cause, {self.seeded.cluster}, {self.how}",
                "truth": self.seeded.cause,
                "said": self.said,
                "right_after_s": self.right_after_s,
                "ok": ok,
            }
        )
        return ok


def faults_of(settings: Settings) -> Iterator[Judged]:
    """All faults of one cluster, side by side."""
    at, table = Watched(faulty_plan(settings, seed=1)), table_of(settings)
    faults = Faults(at.callers, at.traffic)
    FaultSchedule(faults, table).begin(quiet_s=QUIET_S)
    with at.begin():
        at.live(QUIET_S)
        judged = [
            Judged(how, profile, faults.running[profile.key][0]) for how, profile in table.items()
        ]
        for _ in range(int(LASTS_S / LOOK_EVERY_S)):
            at.live(LOOK_EVERY_S)
            for each in judged:
                each.look(at)
    yield from judged


def healthy_hour(plan: WorldPlan) -> Counter[str]:
    """Causes that are said of models that nothing happens to, every ten minutes. A start that is
    under way is none."""
    at, said = Watched(plan), Counter[str]()
    at.traffic.begin()
    with at.begin():
        at.live(HEALTHY_LEAD_S)
        for _ in range(int(HEALTHY_S / HEALTHY_EVERY_S)):
            at.live(HEALTHY_EVERY_S)
            for profile in plan.models:
                said.update(_wrong(at, profile))
    return said


def _wrong(at: Watched, profile: Profile) -> Iterator[str]:
    found: Finding
    for found in at.look(profile):
        if found.cause not in NO_CAUSE and found.cause not in UNDER_WAY:
            yield f"{profile.name}: {found.cause.value} ({found.rule})"


def report_healthy(plans: list[WorldPlan]) -> bool:
    said = Counter[str]()
    for plan in plans:
        said += healthy_hour(plan)
    models = sum(len(plan.models) for plan in plans)
    line: dict[str, Any] = {"name": "healthy hour", "models": models, "findings": dict(said)}
    print_line(line | {"ok": not said})
    return not said


def main() -> int:
    """Faults, then health."""
    assert set(SILENT) == {how for how, fault in FAULTS.items() if fault.silent}
    results = [judged.report() for settings in CLUSTERS for judged in faults_of(settings)]
    print_line({"name": "causes", "faults": len(results), "right": sum(results)})
    healthy = report_healthy(healthy_plans(seed=1))
    return 0 if all(results) and healthy else 1


if __name__ == "__main__":
    sys.exit(main())

"""What beat enqueues, and how often. `expires` is one beat: work that was not taken in its time is
found by the next one."""

from typing import Any

SWEEP_S = 3.0
# An action on its way is looked at once a beat.
ACT_S = 1.0
# Windows are 30 s long; one that is whole is read within a beat.
SAMPLE_S = 5.0
# Whoever got into trouble is looked at within a beat and a few seconds.
DIAGNOSE_S = 2.0
ADVISE_S = 10.0
REFRESH_S = 60.0
COUNT_S = 60.0
# A week's report is due on Monday at 00:15 UTC; one that was missed is caught up.
REPORTS_S = 60.0
END_INCIDENTS_S = 60 * 60.0
PRUNE_S = 6 * 60 * 60.0


def every(seconds: float, task: str, *, queue: str) -> dict[str, Any]:
    """One entry of the schedule."""
    return {
        "task": task,
        "schedule": seconds,
        "options": {"queue": queue, "expires": seconds},
    }


SCHEDULE: dict[str, dict[str, Any]] = {
    "act": every(ACT_S, "workers.act.sweep", queue="act"),
    "sweep": every(SWEEP_S, "workers.chores.sweep", queue="chores"),
    "sample": every(SAMPLE_S, "workers.sample.sweep", queue="sample"),
    "diagnose": every(DIAGNOSE_S, "workers.diagnose.sweep", queue="sample"),
    "advise": every(ADVISE_S, "workers.diagnose.advise", queue="sample"),
    "refresh": every(REFRESH_S, "workers.chores.refresh", queue="chores"),
    "count-starts": every(COUNT_S, "workers.chores.count_starts", queue="chores"),
    "reports": every(REPORTS_S, "workers.chores.make_reports", queue="chores"),
    "end-incidents": every(END_INCIDENTS_S, "workers.chores.end_incidents", queue="chores"),
    "prune": every(PRUNE_S, "workers.chores.prune", queue="chores"),
}

"""How long a model page's comparisons take, pure: 500 starts, ten revisions, thirty nodes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from benchmarks.common import report
from fleet.domain.compare.eta import Progress
from fleet.domain.compare.flight import chosen, eta
from fleet.domain.compare.ghost import ghost
from fleet.domain.compare.next_step import next_steps
from fleet.domain.compare.over_time import over_time
from fleet.domain.compare.records import Attribute, Compared, usual_mode
from fleet.domain.compare.regression import regression
from fleet.domain.compare.slow_set import slow_set
from fleet.domain.compare.spread import spreads
from fleet.domain.compare.two_revisions import two_revisions

STARTS = 500
RUNS = 200
SINCE = datetime(2026, 9, 1, tzinfo=UTC)
MODE = "cached-image"
PAGE_MS = 40.0
ETA_MS = 5.0


def made(number: int, chance: random.Random) -> Compared:
    """Every 50th start is the first of a revision that loads a little longer."""
    revision = number // 50
    phases_s = {
        "decide": chance.lognormvariate(0.0, 0.2),
        "prepare": chance.lognormvariate(1.0, 0.2),
        "fetch-model": chance.lognormvariate(3.2, 0.3),
        "load-engine": (60.0 + 2.0 * revision) * chance.lognormvariate(0.0, 0.08),
        "become-ready": chance.uniform(0.0, 10.0),
    }
    return Compared(
        id=number,
        model="one/InferenceService/chat/llama",
        model_uid="llama",
        cluster="one",
        started_at=SINCE + timedelta(hours=4 * number),
        outcome="ready",
        trigger="scale-from-zero",
        start_mode=MODE,
        total_s=sum(phases_s.values()),
        phases_s=phases_s,
        revision=f"llama-{revision:05}",
        revision_uid=f"uid-{revision}",
        node=f"gpu-{chance.randrange(30)}",
        node_pool=f"pool-{chance.randrange(3)}",
        image_digest=f"sha256:{number // 100}",
    )


def page(starts: Sequence[Compared]) -> None:
    """All that the page compares, once."""
    mode = usual_mode(starts)
    ghost(starts[-1], starts)
    for attribute in (Attribute.REVISION, Attribute.NODE):
        spreads(starts, attribute, mode=mode)
    over_time(starts, mode=mode, since=SINCE, until=SINCE + timedelta(days=90))
    regression(starts, mode=mode)
    two_revisions(starts, before="uid-8", after="uid-9", mode=mode)
    slow_set(starts)
    next_steps(starts, mode=mode)


def flight(starts: Sequence[Compared]) -> None:
    """One start in flight, its comparable starts chosen among all."""
    now = Progress(elapsed_s=70.0, phase="load-engine", in_phase_s=40.0)
    eta(now, chosen(starts[-1], starts[:-1]))


def milliseconds(do: Callable[[], None]) -> list[float]:
    """Processor time of each run, the first ones left out."""
    values = []
    for _ in range(RUNS + 3):
        began = time.process_time()
        do()
        values.append((time.process_time() - began) * 1000.0)
    return values[3:]


def main() -> int:
    """Both figures."""
    chance = random.Random(1)
    starts = [made(number, chance) for number in range(STARTS)]
    of_page, of_flight = milliseconds(lambda: page(starts)), milliseconds(lambda: flight(starts))
    note = f"processor time, {STARTS} starts"
    oks = [
        report("compare: a model page", of_page, unit="ms", budget={"p95": PAGE_MS}, note=note),
        report("compare: one ETA", of_flight, unit="ms", budget={"p95": ETA_MS}, note=note),
    ]
    return 0 if all(oks) else 1


if __name__ == "__main__":
    raise SystemExit(main())

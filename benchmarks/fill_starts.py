"""`python -m benchmarks.fill_starts MODELS EACH`: a fleet as `benchmarks.fill` makes it, and starts
of 90 days for each of its models. Prints what `fill` prints. Made-up rows, for timing only."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from django.db.models import Model

from benchmarks.fill import NOW, PHASES, main
from fleet.models import ColdStart, Revision, ServedModel

DAYS = 90
ROWS_AT_ONCE = 2000
REVISIONS_EACH = 9
NODES = 12
MODES = ("cached-image", "cached-image", "cached-image", "cold", "cached-both")
OUTCOMES = ("ready",) * 18 + ("failed", "aborted")


def fill(models: int, each: int) -> dict[str, str]:
    """Fill; the newest starts are those of `benchmarks.fill`."""
    given = main(models)
    rows = ServedModel.objects.order_by("id").iterator()
    draws = random.Random(7)
    starts = (start for row in rows for start in _starts(row, each, draws))
    _create(ColdStart, starts)
    _create(Revision, (r for row in ServedModel.objects.order_by("id") for r in _revisions(row)))
    return given


def _create(model: type[Model], rows: Iterable[Any]) -> None:
    """Never all of them in memory."""
    left = iter(rows)
    while some := list(islice(left, ROWS_AT_ONCE)):
        model._default_manager.bulk_create(some)


def _starts(row: ServedModel, each: int, draws: random.Random) -> Iterator[ColdStart]:
    for nth in range(each):
        ago = timedelta(days=DAYS * (nth + draws.random()) / each, hours=6)
        began = NOW - ago
        revision = REVISIONS_EACH - nth * REVISIONS_EACH // each
        scale = draws.lognormvariate(0.0, 0.25) * (1.3 if revision > 6 else 1.0)
        phases = list(_phases(began.timestamp(), scale))
        total_s = round(sum(float(p["seconds"]) for p in phases), 3)
        outcome = draws.choice(OUTCOMES)
        ended = began + timedelta(seconds=total_s)
        yield ColdStart(
            cluster=row.cluster,
            kind=row.kind,
            namespace=row.namespace,
            name=row.name,
            model_uid=row.model_uid,
            replica_uid=f"{row.model_uid}-past-{nth}",
            replica=f"{row.name}-predictor-{revision:05d}-deployment-{nth}",
            revision=f"{row.name}-predictor-{revision:05d}",
            revision_uid=f"{row.model_uid}-rev-{revision}",
            node=f"gpu-{draws.randrange(NODES)}",
            trigger="scale-from-zero",
            start_mode=draws.choice(MODES),
            outcome=outcome,
            failure_class="crash" if outcome == "failed" else "",
            started_at=began,
            ready_at=ended if outcome == "ready" else None,
            ended_at=ended,
            total_s=total_s,
            phases=phases,
        )


def _phases(began: float, scale: float) -> Iterator[dict[str, Any]]:
    for phase, seconds in PHASES:
        spent = round(seconds * scale, 3)
        ended = began + spent
        yield {
            "phase": phase,
            "started_at": datetime.fromtimestamp(began, UTC).isoformat(),
            "ended_at": datetime.fromtimestamp(ended, UTC).isoformat(),
            "seconds": spent,
            "source": "event",
            "error_s": 1.0,
            "parts": [],
        }
        began = ended


def _revisions(row: ServedModel) -> Iterator[Revision]:
    for number in range(1, REVISIONS_EACH + 1):
        age = timedelta(days=DAYS * (REVISIONS_EACH - number + 1) / REVISIONS_EACH)
        yield Revision(
            cluster=row.cluster,
            kind=row.kind,
            namespace=row.namespace,
            name=row.name,
            model_uid=row.model_uid,
            uid=f"{row.model_uid}-rev-{number}",
            revision=f"{row.name}-predictor-{number:05d}",
            source="knative",
            number=number,
            image=f"vllm/vllm-openai:v0.{10 + number}.0",
            created_at=NOW - age,
        )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(fill(int(sys.argv[1]), int(sys.argv[2]))))

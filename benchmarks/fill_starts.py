"""`python -m benchmarks.fill_starts MODELS EACH`: a fleet as `benchmarks.fill` makes it, and starts
of 90 days for each of its models. Prints what `fill` prints. Made-up rows, for timing only."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from django.db import connection, transaction
from django.db.models import Model

from benchmarks.fill import NOW, PHASES, main
from fleet.models import ColdStart, Revision, ServedModel

DAYS = 90
ROWS_AT_ONCE = 2000
REVISIONS_EACH = 9
NODES = 12
# Models whose starts are made up; those of the others are copies.
DRAWN = 40
MODES = ("cached-image", "cached-image", "cached-image", "cold", "cached-both")
OUTCOMES = ("ready",) * 18 + ("failed", "aborted")


def fill(models: int, each: int) -> dict[str, str]:
    """Fill; the newest starts are those of `benchmarks.fill`."""
    given = main(models)
    rows = list(ServedModel.objects.order_by("id"))
    drawn, others = rows[:DRAWN], rows[DRAWN:]
    draws = random.Random(7)
    _create(ColdStart, (start for row in drawn for start in _starts(row, each, draws)))
    if connection.vendor == "sqlite":
        # Its two megabytes would be read and written again for each of the indexes.
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA cache_size = -1000000")
    with transaction.atomic():
        for number, row in enumerate(others):
            _copy(drawn[number % DRAWN], row)
    _create(Revision, (r for row in rows for r in _revisions(row)))
    return given


def _copy(drawn: ServedModel, row: ServedModel) -> None:
    """The starts of one model as another's, within the database: a million rows made in Python
    take too long."""
    names = [str(f.column) for f in ColdStart._meta.concrete_fields if not f.primary_key]
    own = {name: str(getattr(row, name)) for name in ("cluster", "namespace", "name", "model_uid")}
    values = ", ".join(_value(name, own) for name in names)
    params = [own.get(name, row.model_uid) for name in names if name in {*own, "replica_uid"}]
    sql = (
        f"INSERT INTO {ColdStart._meta.db_table} ({', '.join(names)}) SELECT {values} "  # noqa: S608
        f"FROM {ColdStart._meta.db_table} WHERE cluster = %s AND model_uid = %s "
        "AND replica_uid LIKE %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [*params, drawn.cluster, drawn.model_uid, "%-past-%"])


def _value(name: str, own: Mapping[str, str]) -> str:
    """How a column of the copy is made."""
    if name == "replica_uid":
        return "replica_uid || '-' || %s"
    return "%s" if name in own else name


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

"""The pages of starts with 1,000,000 of them stored (2,000 models, 90 days), on SQLite and on
PostgreSQL. STARTS_EACH: fewer for each model, for a first look."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmarks.bench_pages import timed_ms
from benchmarks.common import ENOUGH, report, report_absent
from benchmarks.web import Web, web
from tests.lanes.servers import postgres_server
from tests.lanes.tools import tool

MODELS = 2000
STARTS_EACH = int(os.environ.get("STARTS_EACH", "500"))
NAME = "model-00001"
MODEL = f"bench-1/InferenceService/team-1/{NAME}"


class Asked(NamedTuple):
    """A page, who asks for it, and what it may take."""

    name: str
    path: str
    headers: Mapping[str, str]
    budget: Mapping[str, float]


def main() -> bool:
    """All figures on both databases; whether they keep to their budgets."""
    with web(models=MODELS, starts_each=STARTS_EACH) as served:
        results = list(figures(served, "SQLite"))
    programs = tool("postgres")
    if programs is None:
        report_absent("pages of starts on PostgreSQL", because="no PostgreSQL server found")
        return all(results)
    with (
        postgres_server(programs) as url,
        web(models=MODELS, starts_each=STARTS_EACH, database_url=url) as served,
    ):
        return all([*results, *figures(served, "PostgreSQL")])


def figures(served: Web, database: str) -> Iterator[bool]:
    """One page after another, each asked for often enough."""
    bearer = {"Authorization": f"Bearer {served.token}"}
    cookie = {"Cookie": served.cookie}
    past = "range=90d"
    asked: tuple[Asked, ...] = (
        Asked("90-day model page", f"/models/{MODEL}/?{past}", cookie, {"p95": 200.0}),
        Asked("cold starts, 90 days of the fleet", f"/cold-starts/?{past}", cookie, {}),
        Asked("cold starts, 90 days of a model", f"/cold-starts/?{past}&q={NAME}", cookie, {}),
        Asked("API cold starts of a model", f"/api/v1/models/{MODEL}/cold-starts", bearer, {}),
    )
    note = f"{MODELS * STARTS_EACH} starts of {MODELS} models in {database}, rows made up"
    for each in asked:
        taken = timed_ms(f"{served.url}{each.path}", headers=each.headers, count=ENOUGH)
        name = f"{each.name} ({database})"
        yield report(name, taken, unit="ms", budget=each.budget, note=note)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)

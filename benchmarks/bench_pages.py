"""The API's page of models and the fleet page, with 5,000 models, asked over HTTP one at a time."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

import httpx

from benchmarks.common import ENOUGH, report
from benchmarks.web import web

MODELS = 5000
WARM_UP = 20


def timed_ms(url: str, *, headers: Mapping[str, str], count: int) -> list[float]:
    """Milliseconds from sending to the last byte, over one kept connection."""
    taken = []
    with httpx.Client(headers=dict(headers), timeout=30) as client:
        for number in range(WARM_UP + count):
            began = time.perf_counter()
            answer = client.get(url)
            spent_ms = (time.perf_counter() - began) * 1000
            answer.raise_for_status()
            if number >= WARM_UP:
                taken.append(spent_ms)
    return taken


def following_ms(url: str, *, headers: Mapping[str, str]) -> list[float]:
    """As `timed_ms`, for each page of the whole list, until there are enough."""
    taken: list[float] = []
    with httpx.Client(headers=dict(headers), timeout=30) as client:
        cursor = ""
        while len(taken) < ENOUGH or cursor:
            began = time.perf_counter()
            answer = client.get(url, params={"cursor": cursor} if cursor else {})
            taken.append((time.perf_counter() - began) * 1000)
            cursor = answer.raise_for_status().json()["next"] or ""
    return taken


def main() -> bool:
    """All figures; whether they keep to their budgets."""
    with web(models=MODELS) as served:
        bearer = {"Authorization": f"Bearer {served.token}"}
        cookie = {"Cookie": served.cookie}
        models = f"{served.url}/api/v1/models"
        note = f"{MODELS} models in SQLite, rows made up"
        results = [
            report(
                "API models page of 100 rows",
                timed_ms(models, headers=bearer, count=ENOUGH),
                unit="ms",
                budget={"p95": 60},
                note=note,
            ),
            report(
                "API models, every page of 100 rows by cursor",
                following_ms(models, headers=bearer),
                unit="ms",
                budget={"p95": 60},
                note=note,
            ),
            report(
                "API models sort=worst state=Failing, 100 rows",
                timed_ms(f"{models}?sort=worst&state=Failing", headers=bearer, count=ENOUGH),
                unit="ms",
                budget={"p95": 60},
                note=note,
            ),
            report(
                "fleet page",
                timed_ms(f"{served.url}/", headers=cookie, count=ENOUGH),
                unit="ms",
                budget={"p95": 150},
                note=note,
            ),
        ]
    return all(results)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)

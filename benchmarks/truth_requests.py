"""Truth of requests: what the product reads of each metric era, against what really happened.

In virtual time: one cluster an era, half an hour of busy models whose calls end in every way. Then
the product's own reader asks the cluster's Prometheus over HTTP, as it asks any other. One JSON
line for each figure of each model; ends with 1 on a miss.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.common import print_line
from benchmarks.owners import owners_of
from fleet.adapters.prometheus.client import PrometheusAccess
from fleet.adapters.prometheus.reader import PrometheusReader
from fleet.domain.requests.owners import windows_by_model
from fleet.domain.requests.records import Hop, Tally
from simulator.metering.meters import Meters
from simulator.metering.scraped import Scraped
from simulator.metering.truth import RequestTruth
from simulator.prometheus.scraping import EVERY_S, Scraper
from simulator.prometheus.server import PrometheusServer
from simulator.world.calling import Affliction, Callers
from simulator.world.catalogue import LLM_D, V33, cluster_plan, model
from simulator.world.cluster import Ingress, Settings
from simulator.world.passages import Fate
from simulator.world.profiles import Profile, Rhythm, Runtime
from simulator.world.seeding import seed
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.world import World

BEGINS = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
QUIET_S, BUSY_S, SETTLE_S = 300.0, 1500.0, 180.0
CALL_EVERY_S = 1.5
TIMES = 3
# A figure agrees that differs by no more than one of these. Source: the issue this proves.
SHARE, COUNT = 0.02, 2
AT_LEAST = 1000
# Callers of every ninth call wait no longer than this.
PATIENCE_S = 4.0
TURN_S = 90.0
WAYS: Sequence[Affliction | None] = (
    None,
    Affliction(status=500, share=0.2),
    Affliction(fate=Fate.REFUSED, share=0.3),
    Affliction(status=503, share=0.1),
    None,
    Affliction(fate=Fate.UNREACHABLE, share=0.2),
    Affliction(fate=Fate.NO_ENDPOINT, share=0.2),
    Affliction(slower_s=8.0, share=0.3),
    Affliction(fate=Fate.NO_CONNECTION, share=0.1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """patient: nobody leaves, as this era cannot tell who left from what failed."""

    era: str
    settings: Settings
    patient: bool = False


CASES = (
    Case(
        era="opentelemetry",
        settings=Settings(name="ot", knative=(1, 21), ingress=Ingress.ISTIO),
    ),
    Case(era="transition", settings=Settings(name="t", knative=(1, 20), ingress=Ingress.KOURIER)),
    Case(
        era="opencensus",
        settings=Settings(name="oc", knative=(1, 18), ingress=Ingress.KOURIER),
        patient=True,
    ),
    Case(
        era="none (Standard, LLM)",
        settings=Settings(name="standard", knative=None, ingress=Ingress.ENVOY_GATEWAY),
    ),
)


def models_of(settings: Settings) -> list[Profile]:
    """One that is always there, one past the activator, one that is woken; or of both kinds."""
    more: dict[str, Any] = {"eager": True, "probe_period_s": 5, "max_replicas": 2, "timeout_s": 20}
    if settings.knative is None:
        plain = {"min_replicas": 1, "autoscaler": "none"}
        llm = {"min_replicas": 1, "runtime": Runtime.LLMISVC, "image": LLM_D, "vllm": V33}
        return [
            model("plain", "chat", 2.0, Rhythm.NEVER, **more, **plain),
            model("llm", "chat", 2.0, Rhythm.NEVER, **more, **llm),
        ]
    return [
        model("warm", "chat", 2.0, Rhythm.NEVER, **more, min_replicas=1),
        model("direct", "rag", 2.0, Rhythm.NEVER, **more, min_replicas=1, burst_capacity=0),
        model("woken", "search", 2.0, Rhythm.NEVER, **more),
    ]


class Lived:
    """One cluster after its half hour."""

    def __init__(self, case: Case) -> None:
        self.case = case
        models = models_of(case.settings)
        self.world = World(cluster_plan(case.settings, models, seed=1), Timeline(BEGINS))
        self.callers = Callers(self.world)
        self.traffic = Traffic(self.callers)
        self.windows: list[Mapping[str, Any]] = []
        truth = RequestTruth(self.callers, self.windows.append)
        scraped = Scraped(Meters(self.callers))
        self.scraper = Scraper(scraped, self.world.timeline, past_every_s=EVERY_S)
        self.scraper.begin()
        seed(self.world, past_s=QUIET_S)
        self.world.timeline.run_for(QUIET_S)
        self.begins = self.world.timeline.now()
        for number, profile in enumerate(models):
            self._call(profile, number)
        self.world.timeline.run_for(BUSY_S + SETTLE_S)
        truth.flush(before=float("inf"))

    def _call(self, profile: Profile, turn: int) -> None:
        """One call and the next ones, as long as it is busy; ways of ending take their turns."""
        spent = (self.world.timeline.now() - self.begins).total_seconds()
        if spent > BUSY_S:
            self.callers.afflictions.clear()
            return
        way = WAYS[int(spent / TURN_S) % len(WAYS)]
        if way is None or (way.fate is Fate.UNREACHABLE and self._past(profile)):
            self.callers.afflictions.pop(profile.key, None)
        else:
            self.callers.afflictions[profile.key] = way
        leaves = turn % 9 == 5 and not self.case.patient
        patience = PATIENCE_S if leaves else None
        self.traffic.call(profile, times=TIMES, patience_s=patience)
        again = lambda: self._call(profile, turn + 1)  # noqa: E731
        self.world.timeline.after_real(CALL_EVERY_S, again)

    def _past(self, profile: Profile) -> bool:
        return self.world.plan.settings.knative is None or profile.burst_capacity == 0

    def truth(self) -> dict[str, Counter[tuple[str, int]]]:
        """By model: requests under ("requests", 0), errors by hop and code, who left."""
        found: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
        for window in self.windows:
            into = found[str(window["model"])]
            into["requests", 0] += window["requests"]
            into["client gone", 0] += window["client_gone"]
            for hop, codes in window["errors"].items():
                for code, count in codes.items():
                    into[hop, int(code)] += count
        return found


def measured(lived: Lived) -> dict[str, list[Tally]]:
    """What the product reads, by model."""
    until = _aligned(lived.world.timeline.now() - timedelta(seconds=30))
    with serving(lived.scraper) as url:
        reader = PrometheusReader(PrometheusAccess(url=url))
        facts = reader.look(now=lived.world.timeline.now())
        windows = reader.windows(facts, since=_aligned(lived.begins), until=until)
        reader.close()
    by_owner = windows_by_model(windows, owners_of(lived.world))
    found: dict[str, list[Tally]] = defaultdict(list)
    for owner, of_model in by_owner.items():
        found[owner.key.name] += [window.tally for window in of_model]
    return found


def _aligned(moment: datetime) -> datetime:
    return datetime.fromtimestamp(int(moment.timestamp()) // 30 * 30, UTC)


@contextmanager
def serving(scraper: Scraper) -> Iterator[str]:
    """The cluster's Prometheus over HTTP, on a loop in a thread of its own."""
    loop, server = asyncio.new_event_loop(), PrometheusServer(scraper)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    try:
        yield server.url
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def compare(case: Case, truth: Mapping[str, Counter[tuple[str, int]]], lived: Lived) -> bool:
    """All figures of all models, each as a line."""
    found, ok = measured(lived), True
    for name, wanted in sorted(truth.items()):
        tallies = found.get(name, [])
        got = summed(tallies)
        least = frozenset(hop for tally in tallies for hop in tally.at_least)
        enough = wanted["requests", 0] >= AT_LEAST
        figures = sorted(wanted.keys() | got.keys())
        wrong = [each for each in figures if not agrees(each, got[each], wanted[each], least)]
        ok = ok and enough and not wrong
        print_line(
            {
                "name": f"requests by hop, {case.era}, {name}",
                "truth": {_word(each): wanted[each] for each in figures},
                "measured": {_word(each): got[each] for each in figures},
                "at_least": sorted(least),
                "wrong": [_word(each) for each in wrong],
                "ok": enough and not wrong,
            }
        )
    return ok


def summed(tallies: Sequence[Tally]) -> Counter[tuple[str, int]]:
    got: Counter[tuple[str, int]] = Counter()
    for tally in tallies:
        got["requests", 0] += tally.requests or 0
        got["client gone", 0] += tally.client_gone or 0
        for (hop, code), count in tally.errors.items():
            got[str(hop), code] += count
    return got


def agrees(figure: tuple[str, int], got: int, wanted: int, least: frozenset[Hop]) -> bool:
    """A lower bound may be below the truth, never above it."""
    if figure[0] in least:
        return got <= wanted + COUNT
    return abs(got - wanted) <= max(SHARE * wanted, COUNT)


def _word(figure: tuple[str, int]) -> str:
    return f"{figure[0]} {figure[1]}" if figure[1] else figure[0]


def main() -> int:
    """Live, read, compare."""
    ok = True
    for case in CASES:
        lived = Lived(replace(case))
        ok = compare(case, lived.truth(), lived) and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())

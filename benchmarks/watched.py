"""One simulated cluster in virtual time that the product can ask over HTTP while it stands still:
objects and logs through its API server, counts through its Prometheus."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.owners import owners_of
from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.collect import KubernetesCollector
from fleet.adapters.prometheus.client import PrometheusAccess
from fleet.adapters.prometheus.reader import PrometheusReader
from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from fleet.domain.diagnosis.records import Finding
from fleet.domain.requests.owners import windows_by_model
from fleet.domain.requests.records import RequestWindow
from fleet.observe.bundles import LOOK_BACK, whole_bundle
from simulator.access.identities import Tokens
from simulator.api.server import ApiServer
from simulator.metering.meters import Meters
from simulator.metering.scraped import Scraped
from simulator.prometheus.scraping import EVERY_S, Scraper
from simulator.prometheus.server import PrometheusServer
from simulator.world.calling import Callers
from simulator.world.hooks import WorldLogs, WorldPods
from simulator.world.papers import identity
from simulator.world.profiles import Profile, Runtime
from simulator.world.seeding import seed
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.world import World, WorldPlan

BEGINS = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
TOKEN = "reads"
WINDOW_S = 30
# How long after its end a window is read, as the demo sets it.
LAG = timedelta(seconds=15)


class Watched:
    """Use begin() as a context; in between live() and look() take turns."""

    def __init__(self, plan: WorldPlan) -> None:
        self.world = World(plan, Timeline(BEGINS))
        self.callers = Callers(self.world)
        self.traffic = Traffic(self.callers)
        scraped = Scraped(Meters(self.callers))
        self.scraper = Scraper(scraped, self.world.timeline, past_every_s=EVERY_S)
        self.api = ApiServer(
            self.world.store,
            tokens=Tokens({TOKEN: identity("operator")}),
            name=plan.settings.name,
            logs=WorldLogs(self.world.kubelet),
            pods=WorldPods(self.callers, scraped),
        )
        self.prometheus = PrometheusServer(self.scraper)
        self._windows: dict[str, list[RequestWindow]] = defaultdict(list)
        self._read_to: datetime | None = None
        seed(self.world, past_s=300.0)
        self.scraper.begin()

    @property
    def now(self) -> datetime:
        return self.world.timeline.now()

    def live(self, seconds: float) -> None:
        self.world.timeline.run_for(seconds)

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Both servers listen, on a loop in a thread of its own."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()

        def wait(coroutine: Any) -> None:
            asyncio.run_coroutine_threadsafe(coroutine, loop).result(30)

        wait(self.api.start())
        wait(self.prometheus.start())
        access = Access(server=self.api.url, ca_pem=self.api.ca.decode(), token=lambda: TOKEN)
        self.collector = KubernetesCollector(access, clock=lambda: self.now)
        self.reader = PrometheusReader(PrometheusAccess(url=self.prometheus.url))
        try:
            yield
        finally:
            self.collector.close()
            self.reader.close()
            wait(self.prometheus.stop())
            wait(self.api.stop())
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)

    def look(self, profile: Profile) -> Sequence[Finding]:
        """What the product would say of a model now."""
        return diagnose(evidence_from_bundle(self.bundle(profile)))

    def bundle(self, profile: Profile) -> dict[str, Any]:
        llm = profile.runtime is Runtime.LLMISVC
        kind = "LLMInferenceService" if llm else "InferenceService"
        collected = self.collector.collect(
            kind=kind, namespace=profile.namespace, name=profile.name
        )
        windows = self._read().get(profile.name, [])
        return whole_bundle(collected, windows=windows, start_p95_s=None)

    def _read(self) -> dict[str, list[RequestWindow]]:
        """Windows of the last half hour, by model; what is new of them is read, once."""
        until = _aligned(self.now - LAG)
        since = max(self._read_to or until - LOOK_BACK, until - LOOK_BACK)
        if since < until:
            facts = self.reader.look(now=self.now)
            found = self.reader.windows(facts, since=since, until=until)
            for owner, windows in windows_by_model(found, owners_of(self.world)).items():
                self._windows[owner.key.name] += windows
            self._read_to = until
        for name, kept in self._windows.items():
            self._windows[name] = [each for each in kept if each.at >= until - LOOK_BACK]
        return self._windows


def _aligned(moment: datetime) -> datetime:
    return datetime.fromtimestamp(int(moment.timestamp()) // WINDOW_S * WINDOW_S, UTC)

"""Runs simulated clusters until told to stop: worlds, API servers, gateways, and their papers."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from simulator.access.identities import Tokens
from simulator.access.kubeconfig import Context
from simulator.api.server import ApiServer
from simulator.metering import truth as requests
from simulator.metering.meters import Meters
from simulator.metering.scraped import Scraped
from simulator.metering.server import MetricsPages
from simulator.past.living import live_through
from simulator.prometheus.scraping import KEPT_S, Scraper
from simulator.prometheus.server import PrometheusServer
from simulator.world.calling import Callers
from simulator.world.fault_schedule import FaultSchedule
from simulator.world.faults import Faults, Seeded
from simulator.world.faulty import table_of
from simulator.world.gateway import Gateway
from simulator.world.happenings import Happenings, Health
from simulator.world.hooks import WorldLogs, WorldPods
from simulator.world.kinds import FAULTY, HEALTHY, plans_of
from simulator.world.papers import USERS, Options, Papers, context_name, identity, write_papers
from simulator.world.seeding import past_seconds, seed
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.truth import Start, line
from simulator.world.world import World, WorldPlan

# Faults come this long after a faulty world went live; its past was healthy.
QUIET_S = 90.0
# From the first port on, those of metrics pages lie behind all others.
METRICS_PORTS = 60

# How long the first pods of a healthy world may take.
UP_S = 120.0


class Running:
    """One cluster that is up."""

    def __init__(self, plan: WorldPlan, options: Options, truth: TextIO) -> None:
        self.name = plan.settings.name
        self.options = options
        self.ordinary = timedelta(seconds=past_seconds(plan) / options.speed)
        began = datetime.now(UTC)
        self.timeline = Timeline(began - max(self.ordinary, options.history), options.speed)
        self.world = World(plan, self.timeline, keep=lambda each: _keep(truth, each))
        self.callers = Callers(self.world)
        self.scraped = Scraped(Meters(self.callers))
        lately = began - timedelta(seconds=KEPT_S)
        self.request_truth = requests.RequestTruth(self.callers, self._keep_window, lately)
        self.metrics = MetricsPages(self.scraped)
        self.scraper = Scraper(self.scraped, self.timeline)
        self.prometheus = PrometheusServer(self.scraper)
        self.tokens = {user: secrets.token_urlsafe(24) for user in USERS}
        holders = {self.tokens[user]: identity(user) for user in USERS}
        self.api = ApiServer(
            self.world.store,
            tokens=Tokens(holders),
            name=self.name,
            logs=WorldLogs(self.world.kubelet),
            pods=WorldPods(self.callers, self.scraped),
            kubernetes=plan.settings.kubernetes.removeprefix("v"),
        )
        self.gateway = Gateway(self.callers)
        self.traffic = Traffic(self.callers)
        self.faults = Faults(self.callers, self.traffic, self._keep_fault)

    def live_through_the_past(self) -> None:
        """From the first object to now, as fast as it goes."""
        whole_s = max(self.ordinary, self.options.history).total_seconds()
        self.timeline.after_real(whole_s - KEPT_S, self.scraper.begin)
        if self.past is not None:
            self._live_through_history(self.past)
        else:
            seed(self.world)
            self._let_callers_come()
        self.catch_up()

    def _let_callers_come(self) -> None:
        """At once: some find nobody. In a world where nothing fails, when everybody is up."""
        if self.options.world == HEALTHY:
            self.timeline.after_real(UP_S, self.traffic.begin)
        else:
            self.traffic.begin()

    @property
    def past(self) -> Path | None:
        """The file of its past, None if it has no more than the usual one."""
        if self.options.history <= self.ordinary:
            return None
        return self.options.pasts / f"{self.name}.jsonl.gz"

    def _live_through_history(self, path: Path) -> None:
        until = self.timeline.now() + self.options.history
        seed(self.world, past_s=self.options.history.total_seconds() * self.options.speed)
        live_through(
            self.world,
            self.traffic,
            ordinary_from=until - self.ordinary,
            until=until,
            path=path,
        )

    def catch_up(self) -> None:
        """To this very moment: living through the past took time too."""
        while (behind := datetime.now(UTC)) > self.timeline.now() + timedelta(milliseconds=50):
            self.timeline.run_until(behind)

    async def start(self, number: int, port_base: int) -> None:
        api_port, gateway_port = (
            (port_base + 2 * number, port_base + 2 * number + 1) if port_base else (0, 0)
        )
        self.timeline.go_live(asyncio.get_running_loop())
        await self.api.start(api_port)
        await self.gateway.start(gateway_port)
        first = port_base + METRICS_PORTS + 2 * number if port_base else 0
        await self.metrics.start(first)
        await self.prometheus.start(first + 1 if first else 0)
        self.write_scrape_configuration()
        if self.options.world == FAULTY:
            schedule = FaultSchedule(self.faults, table_of(self.world.plan.settings))
            schedule.begin(quiet_s=QUIET_S)
        elif self.options.world == HEALTHY:
            Health(self.world, self.traffic).begin()
        else:
            Happenings(self.world, self.traffic, self.faults).begin()

    async def stop(self) -> None:
        self.timeline.stop()
        await asyncio.gather(self.api.stop(), self.gateway.stop())
        await asyncio.gather(self.metrics.stop(), self.prometheus.stop())

    def _keep_fault(self, seeded: Seeded) -> None:
        with self.options.fault_truth.open("a") as file:
            file.write(json.dumps(seeded.as_json(), separators=(",", ":")) + "\n")

    def _keep_window(self, window: dict[str, Any]) -> None:
        with self.options.request_truth.open("a") as file:
            file.write(requests.line(window) + "\n")

    def papers(self) -> Papers:
        """What is written of it once it is up."""
        return Papers(self.name, self._contexts(), self.tokens, self._described())

    def write_scrape_configuration(self) -> None:
        """For a real Prometheus, where somebody wants one."""
        path = self.options.directory / f"prometheus-{self.name}.yml"
        path.write_text(self.metrics.configuration())

    def _contexts(self) -> list[Context]:
        return [
            Context(
                name=context_name(self.name, user),
                cluster=self.name,
                server=self.api.url,
                ca=self.api.ca,
                user=f"{self.name}-{user}",
                token=token,
            )
            for user, token in self.tokens.items()
        ]

    def _described(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "context": context_name(self.name, "operator"),
            "contexts": {user: context_name(self.name, user) for user in USERS},
            "api": self.api.url,
            "gateway": self.gateway.url,
            "metrics_pages": self.metrics.url,
            "prometheus": self.prometheus.url,
            "knative": self.world.plan.settings.knative,
            "kserve": self.world.plan.settings.kserve,
            "past": str(self.past) if self.past else None,
        }


async def run(options: Options) -> None:
    """Runs until SIGTERM or SIGINT; simulated.json is there for as long as all is up."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    options.directory.mkdir(parents=True, exist_ok=True)
    described = options.directory / "simulated.json"
    described.unlink(missing_ok=True)
    options.begin_truths()
    with (options.directory / "truth.jsonl").open("w") as truth:
        running = await start(options, truth)
        write_papers(options, [each.papers() for each in running])
        await stop.wait()
        described.unlink(missing_ok=True)
        await asyncio.gather(*(each.stop() for each in running))


async def start(options: Options, truth: TextIO) -> list[Running]:
    """All clusters, up and living."""
    running = [Running(plan, options, truth) for plan in plans_of(options)]
    for each in running:
        each.live_through_the_past()
    for number, each in enumerate(running):
        each.catch_up()
        await each.start(number, options.port_base)
    return running


def _keep(truth: TextIO, start: Start) -> None:
    truth.write(line(start) + "\n")
    truth.flush()

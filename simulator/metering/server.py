"""The metrics pages of one cluster on a loopback port, with service discovery for a Prometheus."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from simulator.access.address import LISTEN, NAME
from simulator.metering.scraped import Scraped
from simulator.metering.series import CONTENT_TYPE, text_of
from simulator.metering.targets import Target

KEPT = "kept"
DISCOVERY = "/targets"


class MetricsPages:
    """A page that nothing listens for is a 503: to a Prometheus it is down either way."""

    def __init__(self, scraped: Scraped) -> None:
        self.scraped = scraped
        self.port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://{NAME}:{self.port}"

    async def start(self, port: int = 0) -> None:
        app = web.Application()
        app.router.add_get(DISCOVERY, self._discovery)
        app.router.add_get("/{job}/{instance}/metrics", self._page)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, LISTEN, port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _discovery(self, request: web.Request) -> web.Response:
        """For http_sd_configs; ?kept=1: those whose own labels stand."""
        kept = request.query.get(KEPT) == "1"
        found = [
            self._described(each) for each in self.scraped.targets() if each.keeps_labels == kept
        ]
        return web.json_response(found)

    def _described(self, target: Target) -> dict[str, Any]:
        where = {"job": target.job, "instance": target.instance}
        return {
            "targets": [f"{NAME}:{self.port}"],
            "labels": {**target.labels, **where, "__metrics_path__": target.path},
        }

    async def _page(self, request: web.Request) -> web.Response:
        found = next((each for each in self.scraped.targets() if each.path == request.path), None)
        if found is None:
            return web.Response(status=404)
        if found.read is None:
            return web.Response(status=503)
        text = text_of(found.read())
        return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})

    def configuration(self, *, interval_s: int = 5) -> str:
        """A prometheus.yml that scrapes these pages; JSON is YAML."""
        jobs = [self._job("pilot", 0, keeps=False), self._job("kept", 1, keeps=True)]
        whole = {
            "global": {"scrape_interval": f"{interval_s}s", "scrape_timeout": "4s"},
            "scrape_configs": jobs,
        }
        return json.dumps(whole, indent=1)

    def _job(self, name: str, number: int, *, keeps: bool) -> dict[str, Any]:
        discovery = {"url": f"{self.url}{DISCOVERY}?{KEPT}={number}", "refresh_interval": "5s"}
        return {"job_name": name, "honor_labels": keeps, "http_sd_configs": [discovery]}

"""The HTTP API of one cluster's Prometheus, on a loopback port.

Source: prometheus/prometheus web/api/v1/api.go of 2.42; answers and errors as recorded.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from simulator.access.address import LISTEN, NAME
from simulator.prometheus.answers import instant, matrix
from simulator.prometheus.parameters import BadParameter, moment_ms, span_ms, steps_ms
from simulator.prometheus.scraping import Scraper
from simulator.promql.errors import ParseError, QueryError
from simulator.promql.evaluating import Evaluation
from simulator.promql.nodes import MATRIX
from simulator.promql.parsing import parsed, parsed_selector
from simulator.promql.series import Series, value_of

VERSION = "2.42.0"
TIMEOUT_S = 120.0
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
Ask = Callable[[Mapping[str, str], Sequence[str]], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a caller has to bring: one of these where they are set. tenant: of X-Scope-OrgID."""

    bearer: str = ""
    basic: tuple[str, str] | None = None
    tenant: str = ""

    def refusal(self, headers: Mapping[str, str]) -> str | None:
        """Why a call is not let in; None: it is."""
        given, wanted = headers.get("Authorization", ""), list[str]()
        if self.bearer:
            wanted.append(f"Bearer {self.bearer}")
        if self.basic is not None:
            wanted.append("Basic " + base64.b64encode(":".join(self.basic).encode()).decode())
        if wanted and not any(
            hmac.compare_digest(given.encode(), each.encode()) for each in wanted
        ):
            return "Unauthorized"
        if self.tenant and headers.get("X-Scope-OrgID") != self.tenant:
            return "no org id"
        return None


@dataclass(slots=True)
class PrometheusServer:
    """access: nobody is asked for anything by default."""

    scraper: Scraper
    access: Access = field(default_factory=Access)
    port: int = 0
    _runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://{NAME}:{self.port}"

    async def start(self, port: int = 0) -> None:
        app = web.Application(middlewares=[self._let_in])
        for path, ask in {
            "query": self.query,
            "query_range": self.query_range,
            "series": self.series,
            "labels": self.labels,
            "metadata": self.metadata,
            "status/buildinfo": self.build,
        }.items():
            for method in ("GET", "POST"):
                app.router.add_route(method, f"/api/v1/{path}", _answering(ask))
        app.router.add_get("/api/v1/label/{name}/values", self._label_values)
        app.router.add_get("/-/ready", _ready)
        app.router.add_route("*", "/{path:.*}", _no_such_path)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, LISTEN, port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _let_in(
        self, request: web.Request, handler: Callable[..., Any]
    ) -> web.StreamResponse:
        refusal = self.access.refusal(request.headers)
        if refusal is not None:
            return web.Response(status=401, text=f"{refusal}\n")
        response: web.StreamResponse = await handler(request)
        return response

    # The calls

    @property
    def now_ms(self) -> int:
        return int(self.scraper.timeline.now().timestamp() * 1000)

    def query(self, found: Mapping[str, str], _matches: Sequence[str]) -> Any:
        at_ms = moment_ms(found, "time", self.now_ms)
        evaluation = self._evaluation(found)
        tree = parsed(found.get("query", ""))
        if tree.type == MATRIX:
            raise QueryError("range vectors are not answered by this server")
        return instant(evaluation.at(tree, at_ms), at_ms)

    def query_range(self, found: Mapping[str, str], _matches: Sequence[str]) -> Any:
        moments, evaluation = steps_ms(found), self._evaluation(found)
        tree = parsed(found.get("query", ""))
        if tree.type == MATRIX:
            text = 'invalid expression type "range vector" for range query, must be Scalar or '
            raise BadParameter(f'invalid parameter "query": {text}instant Vector')
        return matrix(evaluation.steps(tree, moments))

    def _evaluation(self, found: Mapping[str, str]) -> Evaluation:
        limit_ms = span_ms(found, "timeout")
        limit_s = TIMEOUT_S if limit_ms is None else min(TIMEOUT_S, limit_ms / 1000)
        return Evaluation(self.scraper.history, time.monotonic() + limit_s)

    def series(self, found: Mapping[str, str], matches: Sequence[str]) -> Any:
        if not matches:
            raise BadParameter("no match[] parameter provided")
        return [dict(each.labels) for each in self._matching(found, matches)]

    def labels(self, found: Mapping[str, str], matches: Sequence[str]) -> Any:
        picked = self._matching(found, matches)
        return sorted({name for each in picked for name, _ in each.labels})

    def metadata(self, found: Mapping[str, str], _matches: Sequence[str]) -> Any:
        """By metric, as its pages say it."""
        made: dict[str, Any] = {}
        for target in self.scraper.scraped.targets():
            for page in target.read() if target.read is not None else ():
                for name, family in page.families.items():
                    made[name] = [{"type": family.kind, "help": "", "unit": ""}]
        wanted = found.get("metric", "")
        return {name: told for name, told in made.items() if wanted in ("", name)}

    def build(self, _found: Mapping[str, str], _matches: Sequence[str]) -> Any:
        return {
            "version": VERSION,
            "revision": "simulated",
            "branch": "simulated",
            "buildUser": "",
            "buildDate": "",
            "goVersion": "",
        }

    async def _label_values(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]

        def ask(found: Mapping[str, str], matches: Sequence[str]) -> Any:
            if not _LABEL.fullmatch(name):
                raise BadParameter(f'invalid label name: "{name}"')
            picked = self._matching(found, matches)
            return sorted({value_of(each.labels, name) for each in picked} - {""})

        return await _answer(ask, request)

    def _matching(self, found: Mapping[str, str], matches: Sequence[str]) -> list[Series]:
        """Series with a sample between start and end."""
        start, end = moment_ms(found, "start", 0), moment_ms(found, "end", self.now_ms)
        picked = list(self.scraper.history.all()) if not matches else list[Series]()
        for text in matches:
            try:
                picked += self.scraper.history.select(parsed_selector(text).matchers)
            except ParseError as error:
                raise _about_match(error) from None
        inside = (each for each in picked if each.between(start, end))
        return list({each.labels: each for each in inside}.values())


def _about_match(error: ParseError) -> BadParameter:
    text = str(error).replace('"query"', '"match[]"', 1)
    if "non-empty matcher" in text:
        reason = "match[] must contain at least one non-empty matcher"
        return BadParameter(f'invalid parameter "match[]": {reason}')
    return BadParameter(text)


async def _ready(_request: web.Request) -> web.Response:
    return web.Response(text="Prometheus Server is Ready.\n")


async def _no_such_path(_request: web.Request) -> web.Response:
    return web.Response(status=404, text="404 page not found\n")


def _answering(ask: Ask) -> Callable[[web.Request], Any]:
    async def answer(request: web.Request) -> web.Response:
        return await _answer(ask, request)

    return answer


async def _answer(ask: Ask, request: web.Request) -> web.Response:
    form = await request.post() if request.method == "POST" else {}
    found = {**request.query, **{name: str(text) for name, text in form.items()}}
    matches = [*request.query.getall("match[]", [])]
    if request.method == "POST":
        matches += [str(text) for name, text in form.items() if name == "match[]"]
    try:
        return web.json_response({"status": "success", "data": ask(found, matches)})
    except QueryError as error:
        body = {"status": "error", "errorType": error.kind, "error": str(error)}
        return web.Response(
            status=error.status, body=json.dumps(body).encode(), content_type="application/json"
        )

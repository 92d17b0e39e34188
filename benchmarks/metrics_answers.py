"""What a Prometheus would answer for many models, and a server that does, in a process of its own:
`python -m benchmarks.metrics_answers MODELS` prints its URL and serves until its input ends."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from fleet.adapters.prometheus.queries import Depth, Figure, queries_of
from fleet.domain.requests import eras
from fleet.domain.requests.eras import Counted, Program
from fleet.domain.requests.found import ENGINE_LAST
from fleet.domain.requests.moves import Role
from fleet.domain.requests.records import WINDOW_S, Era, MetricsFacts

# A busy fleet on its worst day: a tenth of the models answers each of these codes too.
BAD = ("500", "502", "503", "504")
BAD_EACH = 10
FACTS = MetricsFacts(
    source="prometheus",
    asked_at=datetime(2026, 11, 30, tzinfo=UTC),
    era=Era.OPENTELEMETRY,
    queue_proxy="relabelled",
    ingress=eras.ISTIO,
    vllm="vllm:",
    jobs={
        Role.ACTIVATOR: ("activator",),
        Role.TRIED: ("activator",),
        Role.QUEUE_PROXY: ("queue-proxy",),
        Role.ASKED: ("queue-proxy",),
        Role.APP: ("queue-proxy",),
        Role.ENGINE: ("vllm",),
        Program.INGRESS: ("istio",),
        Program.VLLM: ("vllm",),
        ENGINE_LAST: ("7680.0",),
    },
)


def rows_of(figure: Figure, models: int) -> Iterator[dict[str, str]]:
    """Labels of the series that come, for each model."""
    for number in range(models):
        labels = _identity(figure.program, number)
        if not isinstance(figure.means, Counted):
            yield labels | {"figure": str(figure.means)}
            continue
        codes = ("200", *BAD) if number % BAD_EACH == 0 else ("200",)
        for code in codes:
            port = {figure.means.port: "8012"} if figure.means.port else {}
            flags = {figure.means.error: "-"} if figure.means.role is Role.INGRESS else {}
            yield labels | {figure.means.code: code} | port | flags


def _identity(program: Program, number: int) -> dict[str, str]:
    namespace, revision = f"team-{number % 50}", f"model-{number:04}-predictor-00001"
    if program is Program.INGRESS:
        return {
            "destination_service_namespace": namespace,
            "destination_service_name": revision,
        }
    if program is Program.VLLM:
        return {"namespace": namespace, "pod": f"{revision}-deployment-77b4d9c67c-49rps"}
    return {"k8s_namespace_name": namespace, "kn_revision_name": revision}


def answer(figures: tuple[Figure, ...], models: int, moments: list[int]) -> bytes:
    """A matrix with a value for every series and moment."""
    result = [
        {
            "metric": labels,
            "values": [[at, _value(figure, at)] for at in moments],
        }
        for figure in figures
        for labels in rows_of(figure, models)
    ]
    body: dict[str, Any] = {"resultType": "matrix", "result": result}
    return json.dumps({"status": "success", "data": body}).encode()


def _value(figure: Figure, at: int) -> str:
    if figure.means is Depth.P95:
        return "3.7251"
    return str(at // WINDOW_S % 7 + 20)


def serve(models: int) -> None:
    """Answers are made once for each query and span, before anybody measures."""
    table = {query.promql: query.figures for query in queries_of(FACTS)}
    made: dict[tuple[str, str, str], bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # noqa: N802 - the server's own name
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            query, start, end = (form[key][0] for key in ("query", "start", "end"))
            if (query, start, end) not in made:
                moments = list(range(int(float(start)), int(float(end)) + 1, WINDOW_S))
                made[query, start, end] = answer(table[query], models, moments)
            body = made[query, start, end]
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(int(sys.argv[1]))

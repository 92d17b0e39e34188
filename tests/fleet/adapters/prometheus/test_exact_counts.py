"""What the exact count makes of counters that appear, fall, vanish and are not read for a while,
as a real Prometheus scrapes them: windows of a second in place of 30 s."""

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fleet.adapters.prometheus.client import PrometheusAccess, PrometheusClient
from fleet.adapters.prometheus.promql import exact

WINDOW_S = 1
# Scrapes that are surely more than a window.
LONG = 8
WITHIN_S = 20.0
OLD, YOUNG = 1_000_000.0, 0.0
CONFIG = """
global: {{scrape_interval: 200ms, scrape_timeout: 150ms}}
scrape_configs:
  - job_name: pages
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
    relabel_configs: [{{target_label: __metrics_path__, replacement: /one}}]
  - job_name: others
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
    relabel_configs: [{{target_label: __metrics_path__, replacement: /two}}]
"""


class Exporter:
    """Two pages; None = answers 500."""

    def __init__(self) -> None:
        self.pages: dict[str, dict[str, str] | None] = {"/one": {}, "/two": None}
        self.started = {"/one": OLD, "/two": OLD}
        self.reads: dict[str, int] = {"/one": 0, "/two": 0}

    def text(self, path: str) -> str | None:
        self.reads[path] += 1
        page = self.pages[path]
        if page is None:
            return None
        lines = [f'calls_total{{kind="{kind}"}} {value}' for kind, value in page.items()]
        return "\n".join([*lines, f"process_start_time_seconds {self.started[path]}", ""])


@pytest.fixture
def exporter() -> Iterator[tuple[Exporter, int]]:
    made = Exporter()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802 - the server's own name
            text = made.text(self.path)
            self.send_response(200 if text is not None else 500)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made, server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def read_again(exporter: Exporter, path: str, *, times: int = 2) -> None:
    """Once the page as it is now was surely scraped."""
    wanted, deadline = exporter.reads[path] + times, time.monotonic() + WITHIN_S
    while exporter.reads[path] < wanted:
        assert time.monotonic() < deadline, "it is not scraped"
        time.sleep(0.02)


def test_every_call_is_counted_once(
    exporter: tuple[Exporter, int], prometheus: Callable[[str], str]
) -> None:
    made, port = exporter
    url = prometheus(CONFIG.format(port=port))
    began = int(time.time())
    read_again(made, "/one", times=LONG)
    one = made.pages["/one"] = {"appears": "3", "grows": "1", "odd": "NaN", "dies": "2"}
    read_again(made, "/one")
    made.pages["/one"] = one | {"grows": "5", "odd": "+Inf", "dies": "9"}
    read_again(made, "/one")
    made.pages["/one"] = {"appears": "3", "grows": "7"}
    made.pages["/two"] = {"old": "1000"}
    read_again(made, "/one")
    read_again(made, "/two")
    made.pages["/one"] = None
    made.pages["/two"] = {"old": "1006"}
    read_again(made, "/one", times=LONG)
    made.pages["/one"] = {"appears": "4", "grows": "2"}
    read_again(made, "/one", times=LONG)
    assert counted(url, began) == {
        "appears": 3 + 1,
        "grows": 1 + 4 + 2 + 2,
        "dies": 2 + 7,
        "odd": 0,
        "old": 6,
    }


def counted(url: str, began: int) -> dict[str, int]:
    """Calls of each kind in all windows together, by the query."""
    client = PrometheusClient(PrometheusAccess(url=url))
    query = f"sum by (kind) ({exact('calls_total', '', window=f'{WINDOW_S}s')})"
    start, end = began // WINDOW_S * WINDOW_S, int(time.time()) // WINDOW_S * WINDOW_S
    rows = client.matrix(query, start=start, end=end, step_s=WINDOW_S, about="calls")
    client.close()
    found = {}
    for row in rows:
        values = [float(text) for _, text in row.points()]
        found[row.metric["kind"]] = round(
            sum(value for value in values if 0 < value < float("inf"))
        )
    return found

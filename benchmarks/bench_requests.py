"""Our processor time for one step of reading requests: 2,000 models' newest window from a
Prometheus, from the questions to the tallies. The server only serves answers made before."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from benchmarks.common import ENOUGH, load_now, print_line, report
from benchmarks.metrics_answers import FACTS
from fleet.adapters.prometheus.client import PrometheusAccess
from fleet.adapters.prometheus.queries import queries_of
from fleet.adapters.prometheus.reader import PrometheusReader
from fleet.domain.requests.records import WINDOW_S

MODELS = 2_000
RUNS = ENOUGH
MOST_QUERIES = 12
UNTIL = datetime(2026, 11, 30, 10, tzinfo=UTC)
STEP = timedelta(seconds=WINDOW_S)


@contextmanager
def server(models: int) -> Iterator[str]:
    """The answers' URL; the process ends with the block."""
    command = [sys.executable, "-m", "benchmarks.metrics_answers", str(models)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdin is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.stdin.close()
        child.wait(timeout=20)
        child.stdout.close()


def step_s(reader: PrometheusReader) -> float:
    """Processor time of one step, in s."""
    began = time.process_time()
    found = reader.windows(FACTS, since=UNTIL - STEP, until=UNTIL)
    spent = time.process_time() - began
    assert len(found) == MODELS
    return spent


def main() -> bool:
    """A step's processor time, and how many questions it asks."""
    asked = len(queries_of(FACTS))
    with server(MODELS) as url:
        reader = PrometheusReader(PrometheusAccess(url=url))
        step_s(reader)
        values = [step_s(reader) for _ in range(RUNS)]
        reader.close()
    note = f"{MODELS} models, a tenth of them with four kinds of 5xx at every hop"
    name = "requests: a step from a Prometheus, processor time"
    ok = report(name, values, unit="s", budget={"p95": 2.0}, note=note)
    line = {"name": "requests: questions a step", "n": 1, "max": asked, "unit": "queries"}
    fits = asked <= MOST_QUERIES
    print_line(line | {"budget": {"max": MOST_QUERIES}, "ok": fits, "load": load_now()})
    return ok and fits


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)

"""How fast a vLLM server's log is read: a start, then serving; and the worst that lines can be."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.common import report
from fleet.domain.enginelog.parser import EngineLog

MEGABYTE = 1_000_000
RUNS = 9
# The log of a starting server is read while it starts: this much a second and core.
LEAST_MB_S = 20.0

SAMPLES = Path("tests/fixtures/vllm_logs/samples.json")
_STAMP = "2026-11-20T09:00:{:02d}.{:06d}000Z "
_READY = "INFO:     Application startup complete."
_SERVING = (
    '(APIServer pid=1) INFO:     10.1.0.1:41204 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "(APIServer pid=1) INFO 11-20 09:02:06 [loggers.py:127] Engine 000: Avg prompt throughput: 2143"
    ".0 tokens/s, Avg generation throughput: 2904.1 tokens/s, Running: 256 reqs, Waiting: 0 reqs",
    '(APIServer pid=1) INFO:     10.1.0.1:41204 - "GET /health HTTP/1.1" 200 OK',
)
_TRACEBACK = (
    "(EngineCore_DP0 pid=68) ERROR 02-06 16:34:06 [core.py:936] Traceback (most recent call last):",
    '(EngineCore_DP0 pid=68) ERROR 02-06 16:34:06 [core.py:936]   File "/usr/lib/vllm/core.py", 36',
    "(EngineCore_DP0 pid=68) ERROR 02-06 16:34:06 [core.py:936]     self.executor.load(model)",
    "(EngineCore_DP0 pid=68) ERROR 02-06 16:34:06 [core.py:936] ValueError: something is amiss",
)


def lines_of(texts: Sequence[str], *, size: int) -> list[str]:
    """The texts again and again, stamped, until they are this many bytes."""
    lines: list[str] = []
    number = 0
    while size > 0:
        text = texts[number % len(texts)]
        line = _STAMP.format(number // 1000 % 60, number % 1000 * 1000) + text
        lines.append(line)
        size -= len(line) + 1
        number += 1
    return lines


def starts(*, size: int) -> list[list[str]]:
    """A start of each version that says everything over and over: no line is for nothing."""
    samples = [sample["lines"] for sample in json.loads(SAMPLES.read_text())["samples"]]
    logs = [[line for line in lines if not line.endswith(_READY)] for lines in samples]
    once = sum(len(line) + 1 for log in logs for line in log)
    return [log * (size // once) for log in logs]


def seconds_a_megabyte(logs: Sequence[Sequence[str]]) -> float:
    """Processor time of one reading, each log by a fresh parser."""
    size = sum(len(line) + 1 for log in logs for line in log)
    began = time.process_time()
    for lines in logs:
        log = EngineLog(started_at=1_763_629_200.0)
        log.feed_all(lines)
        log.witness()
    return (time.process_time() - began) / (size / MEGABYTE)


CASES: tuple[tuple[str, list[list[str]]], ...] = (
    ("starts of all versions", starts(size=4 * MEGABYTE)),
    ("serving", [[_READY, *lines_of(_SERVING, size=4 * MEGABYTE)]]),
    ("tracebacks", [lines_of(_TRACEBACK, size=4 * MEGABYTE)]),
    ("lines of 16 KiB", [lines_of(["error " * 2731], size=4 * MEGABYTE)]),
    ("longer lines without sense", [lines_of(["(a " * 300_000], size=4 * MEGABYTE)]),
)


def main() -> int:
    """Read each kind; every budget is the processor time that one megabyte may take. Neighbours on
    the machine only ever add to it, so the best of several readings is the reading's own."""
    oks = []
    for name, logs in CASES:
        values = [seconds_a_megabyte(logs) * 1000.0 for _ in range(RUNS)]
        budget = {"median": 1000.0 / LEAST_MB_S}
        note = (
            f"the best of {RUNS}: {1000.0 / min(values):.0f} MB/s and core; "
            f"at the median {1000.0 / median(values):.0f}"
        )
        oks.append(
            report(f"enginelog: {name}", [min(values)], unit="ms/MB", budget=budget, note=note)
        )
    return 0 if all(oks) else 1


if __name__ == "__main__":
    raise SystemExit(main())

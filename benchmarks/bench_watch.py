"""A watch with 300 changes a second for 60 s, at 5,000 pods: nothing lost, the follower's share of
a core, its memory. This process is the follower; the API server is another.

RATE and SECONDS change the load: `SECONDS=600 RATE=30` shows whether memory stays flat."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

from benchmarks.common import load_now, report

MODELS, PODS = 100, 5_000
RATE, SECONDS = float(os.environ.get("RATE", "300")), float(os.environ.get("SECONDS", "60"))
MEMORY_MB = 250.0
# Memory is counted from here on: caches are full by then.
SETTLED_S = 60.0
FLAT_MB = 10.0
PAGE_BYTES = resource.getpagesize()
LONGEST_LAG_S = 60.0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _own_database(Path(folder))
        # Django reads its settings when it is first imported.
        from benchmarks.follower import BenchFollower

        kubeconfig = Path(folder, "kubeconfig")
        command = [sys.executable, "-m", "benchmarks.change_server", str(MODELS), str(PODS)]
        with subprocess.Popen(
            [*command, str(kubeconfig)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdout.readline()
            measure(BenchFollower(kubeconfig), server.stdin, server.stdout)
            server.stdin.close()


def _own_database(folder: Path) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
    os.environ["PILOTLIGHT_STATE_DIR"] = str(folder)
    os.environ["PILOTLIGHT_LOG_LEVEL"] = "WARNING"
    os.environ["DATABASE_URL"] = f"sqlite:///{folder}/bench.sqlite3"
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], check=True)


def measure(follower: Any, orders: IO[str], answers: IO[str]) -> None:
    """Follow to the first step, then through the changes, then until the last one is written."""
    began = time.monotonic()
    follower.until_live()
    first_s = time.monotonic() - began
    load = load_now()
    made: list[int] = []
    ordered = threading.Thread(target=lambda: made.append(int(_order(orders, answers))))
    cpu, wall = _cpu_s(), time.monotonic()
    ordered.start()
    settled_mb: float | None = None
    while ordered.is_alive():
        follower.turn()
        if settled_mb is None and time.monotonic() - wall > SETTLED_S:
            settled_mb = _resident_mb()
    done = time.monotonic()
    while follower.behind(made[0]) and time.monotonic() < done + LONGEST_LAG_S:
        follower.turn()
    lag_s = time.monotonic() - done
    share = (_cpu_s() - cpu) / (time.monotonic() - wall)
    follower.end()
    report("watch: first step at 5,000 pods", [first_s], unit="s", budget={}, load=load)
    report("watch: all written after the last change", [lag_s], unit="s", budget={}, load=load)
    if settled_mb is not None and SECONDS > 2 * SETTLED_S:
        grown = _resident_mb() - settled_mb
        name = f"watch: memory grown in {SECONDS - SETTLED_S:.0f} s"
        report(name, [grown], unit="MB", budget={"max": FLAT_MB}, load=load)
    _report(share, lost=made[0] - follower.seen, follower=follower, load=load)


def _resident_mb() -> float:
    resident_pages = int(Path("/proc/self/statm").read_text().split()[1])
    return resident_pages * PAGE_BYTES / 2**20


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _order(orders: IO[str], answers: IO[str]) -> str:
    orders.write(f"{RATE} {SECONDS}\n")
    orders.flush()
    return answers.readline()


def _report(share: float, *, lost: int, follower: Any, load: str) -> None:
    wrong = follower.rows_that_differ()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report("watch: changes lost", [float(lost)], unit="changes", budget={"max": 0.0}, load=load)
    report("watch: rows that differ", [float(wrong)], unit="rows", budget={"max": 0.0}, load=load)
    report(
        f"watch: share of a core at {RATE:.0f} changes/s",
        [share],
        unit="cores",
        budget={"max": 1.0},
        load=load,
    )
    report("watch: memory", [peak_mb], unit="MB", budget={"max": MEMORY_MB}, load=load)
    report("watch: one turn", follower.turns_s, unit="s", budget={}, load=load)


if __name__ == "__main__":
    main()

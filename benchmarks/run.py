"""`python -m benchmarks.run [NAME …]`: every `bench_*.py` here (or those named), one after the
other, each in a process of its own. Ends with 1 when a figure misses its budget or none came."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 900


def names() -> list[str]:
    """All benchmarks: `bench_x.py` is called x."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def run(name: str) -> bool:
    """Run one, its lines passed on as they come; whether it ended well with every figure ok."""
    child = subprocess.Popen(
        [sys.executable, "-m", f"benchmarks.bench_{name}"],
        cwd=HERE.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    # As Ctrl-C does: the benchmark then ends what it started.
    limit = threading.Timer(LIMIT_S, child.send_signal, [signal.SIGINT])
    limit.start()
    lines = []
    for line in child.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    code = child.wait()
    limit.cancel()
    return code == 0 and bool(lines) and all(_kept(line) for line in lines)


def _kept(line: str) -> bool:
    """None (not taken, and said so) is no miss."""
    return json.loads(line).get("ok") is not False


def main(wanted: Sequence[str]) -> int:
    """The exit code."""
    unknown = set(wanted) - set(names())
    if unknown:
        sys.stderr.write(f"no benchmark {sorted(unknown)}; there are {', '.join(names())}\n")
        return 2
    results = [run(name) for name in wanted or names()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

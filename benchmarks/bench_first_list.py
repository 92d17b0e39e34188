"""The first list of 5,000 pods of 6 KB: the follower's against the official client's typed list.
Each in a process of its own, in turns, from one server."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import load_now, report
from benchmarks.pod_server import pod_server

PODS = 5_000
ROUNDS = 3
TIME_RATIO = 0.15
MEMORY_RATIO = 0.3


def one_list(which: str, kubeconfig: Path) -> dict[str, float]:
    """Seconds and megabytes of one list."""
    command = [sys.executable, "-m", "benchmarks.one_list", which, str(kubeconfig)]
    figures: dict[str, float] = json.loads(subprocess.check_output(command))
    assert figures["pods"] == PODS, figures
    return figures


def main() -> None:
    load = load_now()
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = Path(folder, "kubeconfig")
        with pod_server(PODS, kubeconfig):
            pairs = [
                (one_list("ours", kubeconfig), one_list("official", kubeconfig))
                for _ in range(ROUNDS)
            ]
    report(
        "first list: our seconds",
        [ours["seconds"] for ours, _ in pairs],
        unit="s",
        budget={},
        load=load,
    )
    report(
        "first list: time against the official typed list",
        [ours["seconds"] / official["seconds"] for ours, official in pairs],
        unit="ratio",
        budget={"median": TIME_RATIO},
        load=load,
    )
    report(
        "first list: memory against the official typed list",
        [ours["grown_mb"] / official["grown_mb"] for ours, official in pairs],
        unit="ratio",
        budget={"median": MEMORY_RATIO},
        load=load,
    )


if __name__ == "__main__":
    main()

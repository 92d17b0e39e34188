"""`python -m benchmarks.pod_server COUNT KUBECONFIG`: an API server with so many pods in a process
of its own, until its standard input ends. Says `ready` when it serves."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.pods import numbered, recorded
from simulator.api.hosted import HostedApi
from tests.hosted.loading import PODS


@contextlib.contextmanager
def pod_server(count: int, kubeconfig: Path) -> Iterator[None]:
    """It runs while the block does."""
    command = [sys.executable, "-m", "benchmarks.pod_server", str(count), str(kubeconfig)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.readline()
        yield
        child.stdin.close()
        child.wait(30)


def serve(count: int, kubeconfig: Path) -> None:
    """Until standard input ends."""
    pod = recorded()
    with HostedApi(name="bench") as api:
        for number in range(count):
            made = numbered(pod, number)
            api.call(lambda made=made: api.store.create(PODS, made, manager="bench"))  # type: ignore[misc]
        api.kubeconfig(kubeconfig)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]))

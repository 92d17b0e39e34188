"""`python -m benchmarks.one_list official|ours KUBECONFIG`: list all pods once; prints seconds and
the growth of resident memory as JSON. A process of its own, so that its peak is its own."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from kubernetes.client import CoreV1Api
from kubernetes.config import new_client_from_config

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.domain.records.keys import Resource

PAGE = 500


def official(kubeconfig: str) -> Callable[[], int]:
    """The official client's typed list, in pages of the same size."""
    client = new_client_from_config(config_file=kubeconfig)  # type: ignore[no-untyped-call]
    api = CoreV1Api(client)

    def read() -> int:
        pods: list[Any] = []
        mark: str | None = None
        while True:
            page: Any = api.list_pod_for_all_namespaces(limit=PAGE, _continue=mark)
            pods.extend(page.items)
            mark = page.metadata._continue
            if not mark:
                return len(pods)

    return read


def ours(kubeconfig: str) -> Callable[[], int]:
    """The follower's list."""
    reader = KubernetesReader(
        Access(context="bench", kubeconfig=kubeconfig), clock=lambda: datetime.now(UTC)
    )
    return lambda: len(reader.list(Resource.PODS).records)


def main(which: str, kubeconfig: str) -> None:
    read = {"official": official, "ours": ours}[which](kubeconfig)
    base = _peak_mb()
    began = time.perf_counter()
    pods = read()
    seconds = time.perf_counter() - began
    figures = {"pods": pods, "seconds": seconds, "grown_mb": _peak_mb() - base}
    sys.stdout.write(json.dumps(figures) + "\n")


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

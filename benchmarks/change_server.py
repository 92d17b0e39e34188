"""`python -m benchmarks.change_server MODELS PODS KUBECONFIG`: an API server with models and pods
in a process of its own. Each line `RATE SECONDS` on standard input makes it change pods that often
for so long; it answers with how many changes it made. Says `ready` when it serves."""

from __future__ import annotations

import asyncio
import copy
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.pods import NAMESPACE, numbered, recorded
from simulator.api.hosted import HostedApi
from tests.hosted.loading import MODELS, PODS, snapshot

LABEL = "serving.kserve.io/inferenceservice"
# Changes made between two looks at the clock.
TICK_S = 0.01


def model(number: int) -> dict[str, Any]:
    """The recorded InferenceService under another name."""
    made = copy.deepcopy(snapshot("loading")["serving.kserve.io/v1beta1/inferenceservices"][0])
    made["metadata"] = {"name": f"model-{number:03}", "namespace": NAMESPACE}
    return made


def fill(api: HostedApi, *, models: int, pods: int) -> None:
    """Models with as many pods each."""
    template = recorded()
    for number in range(models):
        api.store.create(MODELS, model(number), manager="bench")
    for number in range(pods):
        made = numbered(template, number)
        made["metadata"]["labels"][LABEL] = f"model-{number % models:03}"
        api.store.create(PODS, made, manager="bench")


def change(api: HostedApi, number: int, *, pods: int) -> None:
    """One pod becomes ready, or is no longer."""
    name = f"pod-{number % pods:05}"
    api.store.change(PODS, NAMESPACE, name, _flip, manager="bench", subresource="status")


def _flip(pod: dict[str, Any]) -> None:
    conditions = [c for c in pod["status"]["conditions"] if c["type"].endswith("Ready")]
    for condition in conditions:
        condition["status"] = "False" if condition["status"] == "True" else "True"
    for container in pod["status"]["containerStatuses"]:
        container["ready"] = conditions[0]["status"] == "True"


async def changes(api: HostedApi, *, rate: float, seconds: float, pods: int) -> int:
    """So many changes a second, evenly; how many were made."""
    began, made = time.monotonic(), 0
    while (spent := time.monotonic() - began) < seconds:
        while made < spent * rate:
            change(api, made, pods=pods)
            made += 1
        await asyncio.sleep(TICK_S)
    return made


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(models: int, pods: int, kubeconfig: Path) -> None:
    """Until standard input ends."""
    hosted = HostedApi(name="bench")
    fill(hosted, models=models, pods=pods)
    with hosted as api:
        api.kubeconfig(kubeconfig)
        say("ready")
        for line in sys.stdin:
            rate, seconds = map(float, line.split())
            done = asyncio.run_coroutine_threadsafe(
                changes(api, rate=rate, seconds=seconds, pods=pods), api._loop
            )
            say(str(done.result()))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))

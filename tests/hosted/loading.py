"""Recorded objects put into a hosted API server."""

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from simulator.api.hosted import HostedApi
from simulator.store.resources import ALL, Resource

SNAPSHOTS = Path(__file__).parents[1] / "fixtures" / "snapshots"
BY_PATH: Mapping[tuple[str, str], Resource] = {(r.group, r.plural): r for r in ALL}


def resource(plural: str, group: str = "") -> Resource:
    """The simulator's resource of that name."""
    return BY_PATH[group, plural]


PODS = resource("pods")
EVENTS = resource("events")
NODES = resource("nodes")
DEPLOYMENTS = resource("deployments", "apps")
MODELS = resource("inferenceservices", "serving.kserve.io")
LLM_MODELS = resource("llminferenceservices", "serving.kserve.io")


def snapshot(name: str) -> dict[str, list[dict[str, Any]]]:
    """A recorded snapshot: API path -> objects."""
    with gzip.open(SNAPSHOTS / f"{name}.json.gz") as file:
        whole: dict[str, list[dict[str, Any]]] = json.load(file)
    return whole


def load(api: HostedApi, name: str) -> None:
    """Create every object of the snapshot that the cluster serves, as it was recorded."""
    whole = snapshot(name)
    api.call(lambda: _create_all(api, whole))


def _create_all(api: HostedApi, whole: Mapping[str, list[dict[str, Any]]]) -> None:
    for path, objects in whole.items():
        for obj in objects:
            _create(api, path, obj)


def _create(api: HostedApi, path: str, obj: dict[str, Any]) -> None:
    group, _, rest = path.rpartition("/")[0].rpartition("/")
    known = BY_PATH.get((group, path.rpartition("/")[2]))
    if known in api.store.resources and known is not None and rest:
        api.store.create(known, obj, manager="recorded")


def change(
    api: HostedApi, of: Resource, obj: Mapping[str, Any], edit: Callable[[dict[str, Any]], None]
) -> None:
    """Edit one object on the server."""
    meta = obj["metadata"]
    api.call(
        lambda: api.store.change(of, meta.get("namespace"), meta["name"], edit, manager="test")
    )


def pod(
    name: str, *, namespace: str = "web", model: str = "demo", kilobytes: int = 0
) -> dict[str, Any]:
    """A made-up pod of an InferenceService, filled up to a size with an annotation."""
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"serving.kserve.io/inferenceservice": model, "component": "predictor"},
            "annotations": {"example.com/filling": "x" * 1024 * kilobytes},
        },
        "spec": {"containers": [{"name": "kserve-container", "image": "vllm/vllm-openai:v0.11.0"}]},
        "status": {"phase": "Pending"},
    }

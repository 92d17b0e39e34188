"""From a URL to the model behind it, as the cluster's ingress is told by its objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from simulator.store.resources import INFERENCESERVICES, LLMINFERENCESERVICES, ROUTES
from simulator.store.store import Store
from simulator.world.cluster import Settings

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """model: namespace and name. revision: set in Knative mode. labels: else those of the pods.

    path: as the server sees it.
    """

    model: Key
    path: str
    revision: Key | None = None
    labels: Mapping[str, str] | None = None


def find(store: Store, settings: Settings, host: str, path: str, *, share: float) -> Target | None:
    """None where the ingress knows no route. share: 0 to 1, which part of a split is meant."""
    name = host.partition(":")[0].lower()
    if settings.knative is not None:
        return _knative(store, settings, name, path, share=share)
    return _standard(store, name, path) or _llm(store, path)


def _knative(
    store: Store, settings: Settings, host: str, path: str, *, share: float
) -> Target | None:
    parts = host.removesuffix(f".{settings.domain}").split(".")
    if len(parts) != 2:
        return None
    service, namespace = parts
    route = store.get(ROUTES, namespace, service)
    if route is None:
        route = store.get(ROUTES, namespace, f"{service}-predictor")
    if route is None:
        return None
    revision = _picked(route.get("status", {}).get("traffic", ()), share)
    if revision is None:
        return None
    model = route["metadata"]["name"].removesuffix("-predictor")
    return Target(model=(namespace, model), path=path, revision=(namespace, revision))


def _picked(traffic: Sequence[Mapping[str, Any]], share: float) -> str | None:
    """The revision whose part of the percent the share falls into."""
    passed = 0.0
    for entry in traffic:
        passed += float(entry.get("percent", 0)) / 100
        if share < passed:
            return str(entry["revisionName"])
    return None


def _standard(store: Store, host: str, path: str) -> Target | None:
    for isvc in store.list(INFERENCESERVICES):
        status = isvc.get("status", {})
        urls = (status.get("url"), status.get("components", {}).get("predictor", {}).get("url"))
        if any(url and urlsplit(url).hostname == host for url in urls):
            meta = isvc["metadata"]
            labels = {"serving.kserve.io/inferenceservice": meta["name"]}
            return Target(model=(meta["namespace"], meta["name"]), path=path, labels=labels)
    return None


def _llm(store: Store, path: str) -> Target | None:
    """/{namespace}/{name}/v1/… or /publishers/{namespace}/models/{name}/v1/…"""
    parts = path.split("/")
    if len(parts) > 5 and parts[1] == "publishers" and parts[3] == "models":
        namespace, name, rest = parts[2], parts[4], "/" + "/".join(parts[5:])
    elif len(parts) > 3:
        namespace, name, rest = parts[1], parts[2], "/" + "/".join(parts[3:])
    else:
        return None
    found = store.get(LLMINFERENCESERVICES, namespace, name)
    if found is None or not found.get("status", {}).get("url"):
        return None
    return Target(model=(namespace, name), path=rest, labels={"app.kubernetes.io/name": name})

"""The autoscaler's page: gauges of every revision.

Source: knative/serving pkg/reconciler/autoscaling/kpa/metrics.go, pkg/autoscaler/scaling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.metering.eras import Era
from simulator.metering.knative import Identity
from simulator.metering.series import Labels, Page, labels
from simulator.store.resources import PODAUTOSCALERS, PODS
from simulator.world.knative import names
from simulator.world.knative.deciding import UTILISATION, Decider
from simulator.world.shapes import condition_status
from simulator.world.world import World

Key = tuple[str, str]
_SCOPE = {
    "otel_scope_name": "knative.dev/serving/pkg/autoscaler",
    "otel_scope_schema_url": "",
    "otel_scope_version": "",
}
# Each figure's name since 1.19, and up to 1.18.
NAMES = {
    "desired": ("kn_revision_pods_desired", "autoscaler_desired_pods"),
    "requested": ("kn_revision_pods_requested", "autoscaler_requested_pods"),
    "ready": ("kn_revision_pods_count", "autoscaler_actual_pods"),
    "not_ready": ("kn_revision_pods_not_ready_count", "autoscaler_not_ready_pods"),
    "pending": ("kn_revision_pods_pending_count", "autoscaler_pending_pods"),
    "terminating": ("kn_revision_pods_terminating_count", "autoscaler_terminating_pods"),
    "stable": ("kn_revision_concurrency_stable", "autoscaler_stable_request_concurrency"),
    "panic": ("kn_revision_panic_mode", "autoscaler_panic_mode"),
    "target": ("kn_revision_concurrency_target", "autoscaler_target_concurrency_per_pod"),
}


@dataclass(slots=True)
class PodCounts:
    """Pods of a revision by how far they are."""

    states: dict[Key, Counter[str]] = field(default_factory=dict)

    def add(self, pod: Mapping[str, Any]) -> None:
        name = pod["metadata"].get("labels", {}).get(names.REVISION)
        if name is not None:
            key = (pod["metadata"]["namespace"], name)
            self.states.setdefault(key, Counter())[_state(pod)] += 1


def _state(pod: Mapping[str, Any]) -> str:
    if "deletionTimestamp" in pod["metadata"]:
        return "terminating"
    if condition_status(pod, "Ready") == "True":
        return "ready"
    return "not_ready" if pod.get("status", {}).get("phase") == "Running" else "pending"


def autoscaler_page(world: World, era: Era) -> Page:
    """Nothing in the first moments of an autoscaler, as it knows no revision yet."""
    page, counts = Page(), PodCounts()
    for pod in world.store.list(PODS):
        counts.add(pod)
    deciders = world.autoscaler.deciders if world.autoscaler else {}
    for autoscaler in world.store.list(PODAUTOSCALERS):
        key = (autoscaler["metadata"]["namespace"], autoscaler["metadata"]["name"])
        decider = deciders.get(key)
        if decider is not None and decider.desired >= 0:
            about = _about(autoscaler, era)
            _tell(page, about, _figures(autoscaler, decider, counts.states.get(key)), era)
    return page


def _about(autoscaler: Mapping[str, Any], era: Era) -> Labels:
    meta = autoscaler["metadata"]
    service = meta["labels"].get(names.SERVICE, meta["name"])
    identity = Identity(namespace=meta["namespace"], service=service, revision=meta["name"])
    if era is Era.OPENCENSUS:
        return labels(
            {
                "configuration_name": service,
                "namespace_name": identity.namespace,
                "revision_name": identity.revision,
                "service_name": service,
            }
        )
    return labels(identity.labels | _SCOPE)


def _figures(
    autoscaler: Mapping[str, Any], decider: Decider, pods: Counter[str] | None
) -> dict[str, float]:
    found = pods or Counter()
    samples = decider.samples or (0.0,)
    return {
        "desired": decider.desired,
        "requested": max(0, autoscaler.get("status", {}).get("desiredScale", 0)),
        "ready": found["ready"],
        "not_ready": found["not_ready"],
        "pending": found["pending"],
        "terminating": found["terminating"],
        "stable": sum(samples) / len(samples),
        "panic": float(decider.ticks <= decider.panic_until),
        "target": decider.target * UTILISATION,
    }


def _tell(page: Page, about: Labels, figures: Mapping[str, float], era: Era) -> None:
    for figure, value in figures.items():
        page.gauge(NAMES[figure][era is Era.OPENCENSUS]).set(about, value)

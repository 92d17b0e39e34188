"""The pages of activator and queue-proxy up to 1.18.

Source: knative/serving pkg/metrics and pkg/queue/prometheus_stats_reporter.go of that time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.metering.eras import Era, Witness, class_of, row_of
from simulator.metering.knative import Identity
from simulator.metering.series import Page, labels
from simulator.world.passages import Passage

# Milliseconds. Source: knative/serving pkg/activator/handler/metrics.go of that time.
BOUNDS_MS = (
    *(5, 10, 20, 40, 60, 80, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900),
    *(1000, 2000, 5000, 10000, 20000, 50000, 100000),
)
MS = 1000.0


def _names(identity: Identity, *, pod: str, container: str) -> dict[str, str]:
    return {
        "configuration_name": identity.service,
        "container_name": container,
        "namespace_name": identity.namespace,
        "pod_name": pod,
        "revision_name": identity.revision,
        "service_name": identity.service,
    }


def _count(page: Page, prefix: str, about: dict[str, str], seen: Witness, passage: Passage) -> None:
    if not isinstance(seen, int):
        return
    key = labels(about | {"response_code": str(seen), "response_code_class": class_of(seen)})
    page.counter(f"{prefix}_request_count").add(key, passage.times)
    spent_ms = MS * (
        passage.seconds if prefix == "activator" else passage.seconds - passage.waited_s
    )
    page.histogram(f"{prefix}_request_latencies", BOUNDS_MS).observe(key, spent_ms, passage.times)


@dataclass(slots=True)
class OldActivatorCounts:
    """Counters of one activator. It counts nothing of a revision that it does not know."""

    pod: str
    page: Page = field(default_factory=Page)

    def count(self, passage: Passage, identity: Identity | None, _pod_ip: str) -> None:
        if identity is not None:
            row = row_of(passage, Era.OPENCENSUS)
            about = _names(identity, pod=self.pod, container="activator")
            _count(self.page, "activator", about, row.server_activator, passage)


@dataclass(slots=True)
class OldQueueProxyCounts:
    """Counters of one queue-proxy; its series name the revision by themselves."""

    pod: str
    identity: Identity
    page: Page = field(default_factory=Page)

    def count(self, passage: Passage) -> None:
        row = row_of(passage, Era.OPENCENSUS)
        about = _names(self.identity, pod=self.pod, container="queue-proxy")
        tagged = about | {"route_tag": "disabled"}
        _count(self.page, "revision", tagged, row.server_queue, passage)
        _count(self.page, "revision_app", about, row.invocation, passage)

    def set_depth(self, waiting: int) -> None:
        about = _names(self.identity, pod=self.pod, container="queue-proxy")
        self.page.gauge("revision_queue_depth").set(labels(about), float(waiting))

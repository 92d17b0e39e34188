"""What an endpoint picker counts of its pool.

Source: kubernetes-sigs/gateway-api-inference-extension pkg/epp/metrics/metrics.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.metering.series import Page, labels
from simulator.world.counters import CACHE_EACH
from simulator.world.passages import Fate, Passage

# Seconds. Source: the same, request_duration_seconds.
BOUNDS = (
    *(0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20),
    *(30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600),
)
# Source: the same, error codes of the picker.
ERRORS = {Fate.SHED: "ServiceUnavailable", Fate.LEFT: "ClientDisconnected"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """A pool as its picker sees it now."""

    ready: int
    running: int
    waiting: int


@dataclass(slots=True)
class PickerCounts:
    """Counters of one picker. model: the name that requests ask for."""

    pool: str
    model: str
    page: Page = field(default_factory=Page)

    def count(self, passage: Passage) -> None:
        about = {"model_name": self.model, "target_model_name": self.model, "priority": "0"}
        requests = self.page.counter("inference_objective_request_total")
        requests.add(labels(about), passage.times)
        error = ERRORS.get(passage.fate)
        if error is None and passage.status is not None and passage.status >= 500:
            error = "ModelServerError"
        if error:
            key = labels(about | {"error_code": error})
            errors = self.page.counter("inference_objective_request_error_total")
            errors.add(key, passage.times)
        else:
            spent = self.page.histogram("inference_objective_request_duration_seconds", BOUNDS)
            spent.observe(labels(about), passage.seconds, passage.times)

    def pages(self, state: PoolState) -> list[Page]:
        now, about = Page(), labels({"name": self.pool})
        pods = max(1, state.ready)
        running = labels({"model_name": self.model})
        now.gauge("inference_objective_running_requests").set(running, state.running)
        now.gauge("inference_pool_ready_pods").set(about, state.ready)
        now.gauge("inference_pool_average_queue_size").set(about, state.waiting / pods)
        cache = min(0.99, state.running * CACHE_EACH / pods)
        now.gauge("inference_pool_average_kv_cache_utilization").set(about, cache)
        return [now, self.page]

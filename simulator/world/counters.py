"""What the model servers count, and the metrics page that each of them gives.

Source: vLLM v1/metrics (names and base labels, by version), prometheus-fastapi-instrumentator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from simulator.metering.series import Page, labels
from simulator.world.answers import FIRST_TOKEN_S, Answer
from simulator.world.profiles import Profile, Runtime

# Seconds. Source: vLLM v1/metrics/buckets.py.
_LATENCY_S = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0),
    *(240.0, 480.0, 960.0, 1920.0, 7680.0),
)
_FIRST_TOKEN_S = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0),
    *(20.0, 40.0, 80.0, 160.0, 640.0, 2560.0),
)
PROMPT_TOKENS = 7
# The share of the cache that one request holds, and the most that is ever held.
CACHE_EACH = 0.02
CACHE_MOST = 0.99
# The cache's gauge has this name since 0.9.2. Source: vLLM v1/metrics/loggers.py.
RENAMED = (0, 9, 2)


@dataclass(slots=True)
class ServerCounts:
    """One server's counts since its start. waiting: requests that it does not work on yet."""

    profile: Profile
    started_at: datetime
    running: int = 0
    waiting: int = 0
    page: Page = field(default_factory=lambda: Page(decimal=True))

    @property
    def _about(self) -> dict[str, str]:
        about = {"model_name": self.profile.served_name}
        return about if self.profile.vllm < (0, 8, 0) else about | {"engine": "0"}

    def ended(self, made: Answer, *, path: str, times: int, aborted: bool) -> None:
        self.running = max(0, self.running - 1)
        if self.profile.runtime is not Runtime.HUGGINGFACESERVER and path.startswith("/v1"):
            status = "2xx" if aborted else f"{made.status // 100}xx"
            key = labels({"handler": path, "method": "POST", "status": status})
            self.page.counter("http_requests_total").add(key, times)
        if aborted:
            self._finished("abort", times)
        elif made.tokens:
            self._completed(made, times)
        elif made.status >= 500 and self.profile.vllm >= (0, 13, 0):
            self._finished("error", times)

    def _completed(self, made: Answer, times: int) -> None:
        about, page = labels(self._about), self.page
        self._finished("length", times)
        page.counter("vllm:generation_tokens_total").add(about, times * made.tokens)
        page.counter("vllm:prompt_tokens_total").add(about, times * PROMPT_TOKENS)
        self._observe("vllm:e2e_request_latency_seconds", _LATENCY_S, made.seconds, times)
        first = min(FIRST_TOKEN_S, made.seconds)
        self._observe("vllm:time_to_first_token_seconds", _FIRST_TOKEN_S, first, times)
        steps = "vllm:iteration_tokens_total"
        page.histogram(steps, (1, 8, 64, 512)).observe(about, 1, times * made.tokens)

    def _observe(self, name: str, bounds: Sequence[float], seconds: float, times: int) -> None:
        self.page.histogram(name, bounds).observe(labels(self._about), seconds, times)

    def _finished(self, reason: str, times: int) -> None:
        key = labels(self._about | {"finished_reason": reason})
        self.page.counter("vllm:request_success_total").add(key, times)

    def pages(self) -> list[Page]:
        """The gauges as they are now, and what was counted; nothing of vLLM in other servers."""
        now, about = Page(decimal=True), labels(self._about)
        now.gauge("process_start_time_seconds").set((), self.started_at.timestamp())
        if not self.profile.runtime.is_vllm:
            return [now]
        for reason in ("stop", "length", "abort"):
            key = labels(self._about | {"finished_reason": reason})
            self.page.counter("vllm:request_success_total").values.setdefault(key, 0.0)
        cache = "kv" if self.profile.vllm >= RENAMED else "gpu"
        held = min(CACHE_MOST, self.running * CACHE_EACH) if not self.waiting else CACHE_MOST
        now.gauge("vllm:num_requests_running").set(about, self.running)
        now.gauge("vllm:num_requests_waiting").set(about, self.waiting)
        now.gauge(f"vllm:{cache}_cache_usage_perc").set(about, held)
        return [now, self.page]

    def text(self) -> str:
        return "".join(page.text() for page in self.pages())


@dataclass(slots=True)
class Counters:
    """By pod uid, of the newest run of its server."""

    servers: dict[str, ServerCounts] = field(default_factory=dict)

    def of(self, pod_uid: str, profile: Profile, *, started_at: datetime) -> ServerCounts:
        """Those of a server; one that was started anew begins at nothing."""
        found = self.servers.get(pod_uid)
        if found is None or found.started_at < started_at:
            found = self.servers[pod_uid] = ServerCounts(profile, started_at)
        return found

    def forget(self, pod_uid: str) -> None:
        self.servers.pop(pod_uid, None)

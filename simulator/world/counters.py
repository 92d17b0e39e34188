"""What the model servers count, and the metrics page that each of them gives.

Source: vLLM v1/metrics (names and base labels).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.world.profiles import Profile


@dataclass(slots=True)
class ServerCounts:
    """One server's counts since its start."""

    started_at: float
    running: int = 0
    succeeded: int = 0
    generated_tokens: int = 0
    prompt_tokens: int = 0
    latency_sum_s: float = 0.0
    by_class: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Counters:
    """By pod uid."""

    servers: dict[str, ServerCounts] = field(default_factory=dict)

    def begun(self, pod_uid: str, *, now: float) -> None:
        self.servers.setdefault(pod_uid, ServerCounts(now)).running += 1

    def ended(self, pod_uid: str, *, status: int, tokens: int, seconds: float) -> None:
        counts = self.servers.get(pod_uid)
        if counts is None:
            return
        counts.running = max(0, counts.running - 1)
        key = f"{status // 100}xx"
        counts.by_class[key] = counts.by_class.get(key, 0) + 1
        if tokens:
            counts.succeeded += 1
            counts.generated_tokens += tokens
            counts.prompt_tokens += 7
            counts.latency_sum_s += seconds

    def forget(self, pod_uid: str) -> None:
        self.servers.pop(pod_uid, None)


def page(counts: ServerCounts, profile: Profile) -> str:
    labels = f'engine="0",model_name="{profile.served_name}"'
    values: Mapping[str, Any] = {
        "vllm:num_requests_running": ("gauge", counts.running),
        "vllm:num_requests_waiting": ("gauge", 0),
        "vllm:kv_cache_usage_perc": ("gauge", min(0.9, counts.running * 0.02)),
        "vllm:prompt_tokens_total": ("counter", counts.prompt_tokens),
        "vllm:generation_tokens_total": ("counter", counts.generated_tokens),
        "vllm:e2e_request_latency_seconds_sum": ("", counts.latency_sum_s),
        "vllm:e2e_request_latency_seconds_count": ("", counts.succeeded),
    }
    lines = []
    for name, (kind, value) in values.items():
        if kind:
            lines.append(f"# TYPE {name} {kind}")
        lines.append(f"{name}{{{labels}}} {float(value)}")
    lines.append("# TYPE vllm:request_success_total counter")
    lines.append(
        f'vllm:request_success_total{{{labels},finished_reason="length"}} {float(counts.succeeded)}'
    )
    lines.append("# TYPE http_requests_total counter")
    for status, count in sorted(counts.by_class.items()):
        where = 'handler="/v1/completions",method="POST"'
        lines.append(f'http_requests_total{{{where},status="{status}"}} {float(count)}')
    lines.append("# TYPE process_start_time_seconds gauge")
    lines.append(f"process_start_time_seconds {counts.started_at:.2f}")
    return "\n".join(lines) + "\n"

"""The kubelet's probes of one container while it is not ready yet. After that nobody asks again.

Source: kubernetes/kubernetes pkg/kubelet/prober (worker.go, prober.go).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

KINDS = {"startupProbe": "Startup", "readinessProbe": "Readiness", "livenessProbe": "Liveness"}


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe of a container, with the API server's defaults filled in."""

    kind: str
    path: str
    port: int
    delay_s: float
    period_s: float
    timeout_s: float
    failures: int

    @property
    def noun(self) -> str:
        return KINDS[self.kind]


def probe_of(container: Mapping[str, Any], kind: str) -> Probe | None:
    raw = container.get(kind)
    if raw is None:
        return None
    target = raw.get("httpGet") or raw.get("tcpSocket") or {}
    return Probe(
        kind=kind,
        path=str(target.get("path", "")) if "httpGet" in raw else "",
        port=int(target.get("port", 8080)),
        delay_s=float(raw.get("initialDelaySeconds", 0)),
        period_s=float(raw.get("periodSeconds", 10)),
        timeout_s=float(raw.get("timeoutSeconds", 1)),
        failures=int(raw.get("failureThreshold", 3)),
    )


def failure_text(probe: Probe, pod_ip: str) -> str:
    """What the kubelet says of a server that does not listen yet.

    queue-proxy listens from its first second and answers 503 for the server behind it.
    """
    if probe.port == 8012:
        return f"{probe.noun} probe failed: HTTP probe failed with statuscode: 503"
    refused = f"dial tcp {pod_ip}:{probe.port}: connect: connection refused"
    if not probe.path:
        return f"{probe.noun} probe failed: {refused}"
    return f'{probe.noun} probe failed: Get "http://{pod_ip}:{probe.port}{probe.path}": {refused}'


def late_text(probe: Probe, pod_ip: str) -> str:
    """What the kubelet says of a server that takes longer than the probe's timeout."""
    why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    return f'{probe.noun} probe failed: Get "http://{pod_ip}:{probe.port}{probe.path}": {why}'


@dataclass(slots=True)
class Worker:
    """Asks one container by one probe until it answers, or too often did not.

    later: calls after a stage, unless the run of the container is over by then.
    """

    probe: Probe
    answers: Callable[[], bool]
    later: Callable[[float, Callable[[], None]], None]
    failed: Callable[[Probe], None]
    passed: Callable[[Probe], None]
    gave_up: Callable[[Probe], None]
    misses: int = 0

    def begin(self) -> None:
        self.later(self.probe.delay_s, self._ask)

    def _ask(self) -> None:
        if self.answers():
            self.passed(self.probe)
            return
        self.misses += 1
        self.failed(self.probe)
        if self.probe.kind != "readinessProbe" and self.misses >= self.probe.failures:
            self.gave_up(self.probe)
            return
        self.later(self.probe.period_s, self._ask)

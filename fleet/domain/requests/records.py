"""What was counted of requests, whatever counted it: a Prometheus, or pages read one after the
other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

# Windows are aligned to the epoch.
WINDOW_S = 30


class Hop(StrEnum):
    """Where a 5xx was made, from the caller to the model."""

    INGRESS = "ingress"
    PICKER = "endpoint-picker"
    ACTIVATOR = "activator"
    QUEUE_PROXY = "queue-proxy"
    CONTAINER = "container"


class SubjectKind(StrEnum):
    """What a series speaks of: a Knative Revision, a Service of Kubernetes, a pod, or an
    InferencePool."""

    REVISION = "revision"
    SERVICE = "service"
    POD = "pod"
    POOL = "pool"


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """What a count belongs to, by the names that series carry."""

    namespace: str
    kind: SubjectKind
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What became of the requests of one model's revision in one window, or in several.

    requests: what callers sent, each once however many hops counted it; None = not measured.
    errors: 5xx that callers got, by who made it and its code; only counts above 0.
    told: hops that can be told apart here; a hop that is not in it is unknown, not 0.
    at_least: hops whose count is a lower bound: never above the truth.
    requests_at_least: `requests` is a lower bound.
    client_gone: callers that left before an answer; None = not measured. Never part of errors.
    broken: streams that ended unfinished after the first byte, by the model or by the caller
    (cannot be told); cut: streams that a time-out of the path cut. Neither is part of errors.
    in_flight, queued: the highest seen in the window; None = not measured.
    p95_s: None where the buckets do not hold it (too few, or past the last one).
    """

    requests: int | None = None
    errors: Mapping[tuple[Hop, int], int] = field(default_factory=dict)
    told: frozenset[Hop] = frozenset()
    at_least: frozenset[Hop] = frozenset()
    requests_at_least: bool = False
    client_gone: int | None = None
    broken: int | None = None
    cut: int | None = None
    in_flight: float | None = None
    queued: float | None = None
    p95_s: float | None = None

    @property
    def lost(self) -> int:
        """5xx that callers got."""
        return sum(self.errors.values())

    def by_hop(self) -> dict[Hop, int | None]:
        """5xx of each hop; None = cannot be told apart here."""
        found: dict[Hop, int | None] = {hop: 0 if hop in self.told else None for hop in Hop}
        for (hop, _), count in self.errors.items():
            found[hop] = (found[hop] or 0) + count
        return found

    def by_code(self) -> dict[int, int]:
        """5xx of each code."""
        found: dict[int, int] = {}
        for (_, code), count in self.errors.items():
            found[code] = found.get(code, 0) + count
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectWindow:
    """What a metrics reader found of one subject in the window that began at `at`."""

    subject: Subject
    at: datetime
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestWindow:
    """The same, once it is known whose it is: the model's revision ("" = the model as a whole)."""

    revision: str
    at: datetime
    tally: Tally


class Era(StrEnum):
    """How this Knative names its metrics. Source: knative/serving, 1.18 and older, 1.19.0 to
    1.20.0, newer."""

    OPENCENSUS = "opencensus"
    TRANSITION = "transition"
    OPENTELEMETRY = "opentelemetry"
    NONE = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to switch on, or to mend, so that more can be told; a code with parameters.

    rolls_pods: following it restarts every model pod.
    """

    code: str
    params: Mapping[str, object] = field(default_factory=dict)
    rolls_pods: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsFacts:
    """What a cluster's metrics can tell, found by asking.

    source: "prometheus" or "pages". version: of the server, "" where it does not say.
    queue_proxy: how its series name their revision: "relabelled", "target-info", "pod" (by pod
    name alone), "" = there are none. ingress: "istio", "kourier", "envoy-gateway", "nginx", "".
    vllm: prefix of its names, "vllm:" or "vllm_", "" = none. told: hops that can be told apart.
    jobs: for each role (activator, queue-proxy, autoscaler, ingress, picker, vllm) the matcher
    values that its queries need. advice: what to switch on.
    """

    source: str
    asked_at: datetime
    version: str = ""
    era: Era = Era.NONE
    queue_proxy: str = ""
    ingress: str = ""
    picker: str = ""
    vllm: str = ""
    kube_state: bool = False
    gpus: bool = False
    told: frozenset[Hop] = frozenset()
    jobs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    advice: tuple[Advice, ...] = ()

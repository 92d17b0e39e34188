"""What a diagnosis is made of: one model's objects, events, log lines and samples, typed.

The same shape for a file, an upload and a live model: `reading.bundle.evidence_from_bundle` makes
it from raw JSON, whatever that is. Missing means "not collected", never "absent in the cluster".
All times are aware, UTC. Memory is in bytes, durations in seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


class ModelKind(StrEnum):
    """What owns the pods; PLAIN is a Deployment or another stack, without a KServe object."""

    ISVC = "InferenceService"
    LLM = "LLMInferenceService"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """at: of the last change of status, None if not told."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An object with conditions: InferenceService, Revision, PodAutoscaler, Deployment.

    spec and status are as the API returned them, for the few fields that a rule asks for.
    """

    kind: str = ""
    name: str = ""
    namespace: str = ""
    created_at: datetime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    spec: Mapping[str, Any] = field(default_factory=dict)
    status: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """How a piece of evidence names it."""
        return f"{self.kind}/{self.namespace}/{self.name}"

    def condition(self, type_: str) -> Condition | None:
        """The condition of this type, None if it is not there."""
        return next((each for each in self.conditions if each.type == type_), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A probe as it is configured; absent numbers are the kubelet's defaults.

    kind: httpGet, tcpSocket, grpc, exec. port: a number or a name, "" if none.
    """

    kind: str = ""
    path: str = ""
    port: str = ""
    scheme: str = "HTTP"
    delay_s: float = 0.0
    period_s: float = 10.0
    timeout_s: float = 1.0
    failures: int = 3

    @property
    def budget_s(self) -> float:
        """How long a container may fail it before the kubelet acts."""
        return self.delay_s + self.failures * self.period_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a container's process ended. reason: Completed, Error, OOMKilled, …"""

    exit_code: int | None = None
    reason: str = ""
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def ran_s(self) -> float | None:
        """How long it ran, None if not told."""
        if self.started_at is None or self.finished_at is None:
            return None
        return max((self.finished_at - self.started_at).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container's spec and status together. has_status: whether a status was seen at all.

    waiting, waiting_says: reason and message of the waiting state, "" if it does not wait.
    running_since: None if it does not run. ended: it is terminated now; last: the run before.
    gpus: extended resources with a vendor's prefix. env: names to values, bounded.
    """

    name: str
    init: bool = False
    sidecar: bool = False
    image: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    ports: tuple[int, ...] = ()
    limits: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, str] = field(default_factory=dict)
    startup: Probe | None = None
    readiness: Probe | None = None
    liveness: Probe | None = None
    has_spec: bool = False
    has_status: bool = False
    prestop: bool = False
    ready: bool = False
    restarts: int = 0
    waiting: str = ""
    waiting_says: str = ""
    running_since: datetime | None = None
    ended: Ending | None = None
    last: Ending | None = None

    @property
    def latest_ending(self) -> Ending | None:
        """The last end of a run that is known."""
        return self.ended or self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """One pod. claims: names of its PersistentVolumeClaims. selector: of nodes."""

    name: str
    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owner: str = ""
    created_at: datetime | None = None
    deleted_at: datetime | None = None
    node: str = ""
    ip: str = ""
    phase: str = ""
    reason: str = ""
    message: str = ""
    grace_s: float | None = None
    selector: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    containers: tuple[Container, ...] = ()

    @property
    def ref(self) -> str:
        """How a piece of evidence names it."""
        return f"Pod/{self.namespace}/{self.name}"

    def condition(self, type_: str) -> Condition | None:
        """The condition of this type, None if it is not there."""
        return next((each for each in self.conditions if each.type == type_), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSeen:
    """An Event, whichever of the three ways its times are told. count: at least 1.

    container: of `fieldPath`, "" if it is about the whole object.
    """

    reason: str
    message: str
    type: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    container: str = ""
    source: str = ""
    count: int = 1
    first_at: datetime | None = None
    last_at: datetime | None = None

    @property
    def ref(self) -> str:
        """How a piece of evidence names it."""
        return f"Event/{self.reason}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line of a log. container: the log's name without "(previous)". number: from 1."""

    container: str
    text: str
    number: int
    previous: bool = False
    at: datetime | None = None

    @property
    def ref(self) -> str:
        """How a piece of evidence names it."""
        name = f"{self.container} (previous)" if self.previous else self.container
        return f"log/{name}:{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sample of a series."""

    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    at: datetime | None = None

    @property
    def ref(self) -> str:
        """How a piece of evidence names it."""
        labels = ",".join(f"{key}={value}" for key, value in sorted(self.labels.items())[:8])
        return f"metric/{self.name}{{{labels}}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that is known of one model at one moment.

    observed_at: the moment of the snapshot, else the newest time in it; NO_TIME if there is none.
    moment_told: whether the first; if not, everything may be older than it looks.
    config: facts that a collector read elsewhere (limits in `*_s`, weights, flags), as given.
    """

    kind: ModelKind = ModelKind.PLAIN
    model: Thing = field(default_factory=Thing)
    revision: Thing = field(default_factory=Thing)
    autoscaler: Thing = field(default_factory=Thing)
    deployment: Thing = field(default_factory=Thing)
    pods: tuple[Pod, ...] = ()
    events: tuple[EventSeen, ...] = ()
    lines: tuple[LogLine, ...] = ()
    samples: tuple[Sample, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)
    observed_at: datetime = NO_TIME
    moment_told: bool = True

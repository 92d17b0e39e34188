"""A cold start as a value. The words and the shape are those of docs/api.md and of `manage.py
measure`."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from fleet.domain.coldstart.heard import Part
from fleet.domain.records.keys import ModelKey


class Phase(StrEnum):
    """In the order that a replica passes them. Those up to UNEXPLAINED add up to `total_s`; the
    last two come after."""

    DECIDE = "decide"
    SCHEDULE = "schedule"
    PROVISION_NODE = "provision-node"
    PREPARE = "prepare"
    FETCH_MODEL = "fetch-model"
    PULL_IMAGE = "pull-image"
    LOAD_ENGINE = "load-engine"
    BECOME_READY = "become-ready"
    UNEXPLAINED = "unexplained"
    ROUTE = "route"
    FIRST_ANSWER = "first-answer"


class Trigger(StrEnum):
    """Why the start happened. A first revision's start is a rollout."""

    SCALE_FROM_ZERO = "scale-from-zero"
    SCALE_UP = "scale-up"
    ROLLOUT = "rollout"
    RESTART = "restart"
    RESCHEDULE = "reschedule"
    MANUAL = "manual"
    UNKNOWN = "unknown"


class StartMode(StrEnum):
    """What was there already. Starts of different modes are never averaged together, save in the
    fleet row's overall p50/p95."""

    COLD = "cold"
    CACHED_IMAGE = "cached-image"
    CACHED_WEIGHTS = "cached-weights"
    CACHED_BOTH = "cached-both"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """failed: an error or a deadline ended it, or stands in its way now. aborted: deleted without
    an error. partial: only its middle was seen."""

    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"
    ABORTED = "aborted"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """class_: a word of a closed set (image-pull, crash, out-of-memory, unschedulable,
    fetch-model, liveness-kill, deadline, …)."""

    class_: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseSpan:
    """A named, non-overlapping span. ended_at is None while it runs (`seconds` then runs to the
    clock's argument).

    source: log, event, container, condition, object, watch, request (our own). error_s: how far off
    the length may be, None if it cannot be told. parts: what the server's log tells of it.
    """

    phase: Phase
    started_at: datetime
    ended_at: datetime | None
    seconds: float
    source: str
    error_s: float | None = None
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdStart:
    """One replica's attempt to go from demanded to first good answer.

    replica_uid + attempt is its identity: attempt 0 is the pod's first start, n its nth start
    after having been ready.
    total_s: demand to Ready, or to the end (or the clock) of an unfinished start; None when the
    beginning was not seen.
    first_answer_at: None when not known, never guessed.
    image: of the model's container, as declared; image_digest: "sha256:…" of what ran.
    engine_version: of vLLM, by its log, else by a tag that is a plain version.
    weights_from: storage-initializer, modelcar, local-cache, pvc, download (by the server itself),
    baked. image_pull: full or cached; image_bytes: as the kubelet told. progress_deadline_s: after
    that long without progress a rollout is declared failed. "" and None: not known.
    log: what the server's log tells of the start (docs/vllm-log.md); None where none was read.
    """

    model: ModelKey
    model_uid: str
    revision: str
    revision_uid: str
    replica: str
    replica_uid: str
    attempt: int = 0
    role: str = "both"
    node: str | None = None
    restarts: int = 0
    trigger: Trigger = Trigger.UNKNOWN
    start_mode: StartMode = StartMode.UNKNOWN
    outcome: Outcome = Outcome.RUNNING
    failure: Failure | None = None
    started_at: datetime
    ready_at: datetime | None = None
    ended_at: datetime | None = None
    ended_in_phase: Phase | None = None
    first_answer_at: datetime | None = None
    total_s: float | None = None
    total_to_first_answer_s: float | None = None
    unexplained_s: float = 0.0
    clamped: bool = False
    phases: tuple[PhaseSpan, ...] = ()
    image: str = ""
    image_digest: str = ""
    engine_version: str = ""
    gpus: int | None = None
    node_pool: str = ""
    weights_from: str = ""
    progress_deadline_s: float | None = None
    image_pull: str = ""
    image_bytes: int | None = None
    log: dict[str, Any] | None = field(default=None, hash=False)

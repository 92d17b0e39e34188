"""All that is kept of one replica: what was seen, folded, small enough to outlive the objects."""

from dataclasses import dataclass, field, fields
from typing import Any

from fleet.domain.coldstart.heard import Heard, heard_of, heard_plain
from fleet.domain.coldstart.sight import Sight, clock_ahead_s

VERSION = 1
ATTEMPTS_AT_MOST = 20
MEMBERS_AT_MOST = 64


@dataclass(slots=True)
class Attempt:
    """One start again, in place, of a replica that had been ready: its model container ended.

    class_, reason: what ended the run before. restarts: of the container when the attempt began.
    """

    began: Sight
    restarts: int = 0
    class_: str = "crash"
    reason: str = ""
    restarted: Sight | None = None
    ready: Sight | None = None
    heard: Heard | None = None


@dataclass(slots=True)
class Evidence:
    """What was seen of one replica. None = not seen; moments as in `sight`.

    created: creationTimestamp (API server's clock, cut). added: the first message that showed it.
    first: "watch" (seen being born), "list" (there at the first look), "gap" (born while nobody
    watched). looked: our clock at the last message about the pod itself.
    demand, trigger, origin: why and since when the replica was wanted, by `trigger.demand_of`;
    fixed: that answer will not change any more.
    scheduled, unschedulable, node_coming: the scheduler's answers, and a node on its way;
    node_born: creationTimestamp of a node that was made while it waited.
    fetch_*: the storage-initializer, from its first run to its good end. model_pull_*: an OCI image
    that holds the model, model_init: the first container that ran from it. held_back: a native
    sidecar runs between the weights and the model's container. pull_*: the model server's image.
    main_started: first run of the model's container; *_event: the same by Events, which give the
    first run also after restarts. main_waited: it was seen running and not answering.
    trouble: class, reason of what stands in the way now. error: the last error before ready.
    deadline: the rollout was declared failed. disrupted: why the cluster took the pod away.
    plane_ahead_s: by how much the API server's clock ran ahead of ours at the pod's birth.
    lag_low, lag_high, lags: least, most and number of (receipt - stamp) of kubelet Events, in s.
    resource_version: of the last look at the pod.
    unseen_end: it was gone after a gap.
    heard: what the server's log said of the first start, None where it is not read.
    group, group_size: of a LeaderWorkerSet, "" and 0 where there is none or nothing tells.
    members: its worker pods by uid; complete: all of them were ready with their leader, and what
    becomes of them later is no part of the start.
    image, image_id: of the model's container, as the pod declares it and as the node runs it;
    declared_image: as the Revision declares it, before its tag was resolved; image_bytes: by the
    Pulled Event. pool: of the node. deadline_s: how long the rollout may take.
    """

    uid: str
    name: str = ""
    namespace: str = ""
    model_kind: str = ""
    model: str = ""
    model_uid: str = ""
    revision: str = ""
    revision_uid: str = ""
    owner_uid: str = ""
    role: str = "both"
    node: str = ""
    gpus: int = 0
    weights_from: str = ""
    image: str = ""
    image_id: str = ""
    declared_image: str = ""
    image_bytes: int | None = None
    pool: str = ""
    deadline_s: float | None = None
    main: str = ""
    created: float = 0.0
    added: Sight | None = None
    first: str = "watch"
    looked: float = 0.0
    demand: Sight | None = None
    trigger: str = "unknown"
    origin: str = ""
    fixed: bool = False
    scheduled: Sight | None = None
    scheduled_event: Sight | None = None
    unschedulable: Sight | None = None
    unschedulable_why: str = ""
    node_coming: Sight | None = None
    node_born: float | None = None
    fetch_started: Sight | None = None
    fetch_event: Sight | None = None
    fetch_ended: Sight | None = None
    model_pull_started: Sight | None = None
    model_pulled: Sight | None = None
    model_cached: bool | None = None
    model_init: Sight | None = None
    held_back: bool = False
    pull_started: Sight | None = None
    pulled: Sight | None = None
    cached: bool | None = None
    main_started: Sight | None = None
    main_event: Sight | None = None
    main_waited: bool = False
    serving: Sight | None = None
    heard: Heard | None = None
    ready: Sight | None = None
    ready_now: bool = False
    routed: Sight | None = None
    restarts: int = 0
    init_restarts: int = 0
    trouble: tuple[str, str] | None = None
    error: tuple[str, str] | None = None
    deadline: Sight | None = None
    disrupted: str = ""
    deleted: Sight | None = None
    gone: Sight | None = None
    unseen_end: bool = False
    plane_ahead_s: float = 0.0
    resource_version: str = ""
    lag_low: float | None = None
    lag_high: float | None = None
    lags: int = 0
    attempts: list[Attempt] = field(default_factory=list)
    group: str = ""
    group_size: int = 0
    complete: bool = False
    members: dict[str, "Evidence"] = field(default_factory=dict)

    def pods(self) -> tuple["Evidence", ...]:
        """The pods that become ready as one: the leader goes first."""
        return (self, *self.members.values())

    def workers_heard(self) -> tuple[Heard, ...]:
        """What the logs of failed workers say."""
        return tuple(pod.heard for pod in self.members.values() if pod.heard is not None)

    @property
    def members_missing(self) -> bool:
        """Whether the group has pods that were not seen yet."""
        return len(self.members) + 1 < min(self.group_size, MEMBERS_AT_MOST + 1)

    @property
    def waits_for_members(self) -> bool:
        """Whether a group is not whole yet: a leader alone does not serve."""
        if self.complete:
            return False
        return self.members_missing or any(pod.ready is None for pod in self.members.values())

    @property
    def ahead_s(self) -> float:
        """By how much the node's clock runs ahead of ours (negative: behind)."""
        if self.lag_low is None or self.lag_high is None:
            return 0.0
        return clock_ahead_s(self.lag_low, self.lag_high, self.lags)

    @property
    def ended(self) -> Sight | None:
        """When the replica stopped being one: asked to go, else gone."""
        return self.deleted or self.gone


_SIGHTS = frozenset(
    item.name
    for item in (*fields(Evidence), *fields(Attempt))
    if item.type in {Sight, Sight | None}
)
_PAIRS = frozenset({"trouble", "error"})


def facts_of(evidence: Evidence) -> dict[str, object]:
    """Plain JSON values: only what differs from an empty replica."""
    return {"version": VERSION} | _different(evidence)


_EMPTY = Evidence(uid="")
_NAMES = tuple(item.name for item in fields(Evidence))


def _different(evidence: Evidence) -> dict[str, object]:
    values = ((name, getattr(evidence, name)) for name in _NAMES)
    return {name: _plain(value) for name, value in values if value != getattr(_EMPTY, name)}


def _plain(value: Any) -> Any:
    """Sights and pairs as lists, attempts and members as dicts."""
    if isinstance(value, Heard):
        return heard_plain(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Evidence):
        return _different(value)
    if isinstance(value, Attempt):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    return value


def evidence_of(facts: dict[str, object]) -> Evidence:
    """Back from plain values. Keys that are not known are dropped; facts of another version raise
    ValueError, facts without a uid KeyError."""
    if facts.get("version") != VERSION:
        raise ValueError(f"facts of version {facts.get('version')!r}, not {VERSION}")
    return _evidence_of({"uid": facts["uid"], **facts})


def _evidence_of(facts: dict[str, Any]) -> Evidence:
    return Evidence(**{key: _read(key, value) for key, value in facts.items() if key in _NAMES})


def _read(key: str, value: Any) -> Any:
    if key in _SIGHTS and value is not None:
        return Sight(*value)
    if key in _PAIRS and value is not None:
        return (value[0], value[1])
    if key == "heard" and value is not None:
        return heard_of(value)
    if key == "attempts":
        return [Attempt(**_parts(item)) for item in value]
    if key == "members":
        return {uid: _evidence_of({"uid": uid, **item}) for uid, item in value.items()}
    return value


def _parts(item: dict[str, Any]) -> dict[str, Any]:
    return {key: _read(key, value) for key, value in item.items()}

"""A made-up cluster for tests: objects as short calls, each sent to a ledger as a watch would."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from fleet.domain.coldstart.start import ColdStart
from fleet.domain.ledger.delta import Delta, ModelStatus
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.records.change import Change, ChangeType, Listed, Record
from fleet.domain.records.common import Condition, Meta
from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Mode, ModelKind, Resource
from fleet.domain.records.serving import (
    AutoscalerRecord,
    Container,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RevisionRecord,
    RuntimeRecord,
    TrafficTarget,
)
from fleet.domain.records.workload import (
    ContainerRun,
    ContainerState,
    NamespaceRecord,
    NodeRecord,
    PodRecord,
    WorkloadRecord,
)

START = datetime(2026, 11, 30, 9, 0, 0, 100_000, tzinfo=UTC)
VLLM = "docker.io/vllm/vllm-openai:v0.11.0"
MAIN = Container(name="kserve-container", image=VLLM, engine="vllm-module", gpus=1)
KIND = ModelKind.INFERENCE_SERVICE
_RESOURCES: dict[type, Resource] = {
    RevisionRecord: Resource.REVISIONS,
    AutoscalerRecord: Resource.POD_AUTOSCALERS,
    HorizontalAutoscalerRecord: Resource.HORIZONTAL_POD_AUTOSCALERS,
    PodRecord: Resource.PODS,
    EventRecord: Resource.EVENTS,
    NodeRecord: Resource.NODES,
    NamespaceRecord: Resource.NAMESPACES,
    RuntimeRecord: Resource.CLUSTER_SERVING_RUNTIMES,
}
_WORKLOADS = {
    "Deployment": Resource.DEPLOYMENTS,
    "ReplicaSet": Resource.REPLICA_SETS,
    "LeaderWorkerSet": Resource.LEADER_WORKER_SETS,
}


def resource_of(record: Record) -> Resource:
    """The resource that a record is listed under."""
    if isinstance(record, ModelRecord):
        is_llm = record.kind == ModelKind.LLM_INFERENCE_SERVICE
        return Resource.LLM_INFERENCE_SERVICES if is_llm else Resource.INFERENCE_SERVICES
    if isinstance(record, WorkloadRecord):
        return _WORKLOADS[record.kind]
    return _RESOURCES[type(record)]


@dataclass
class Scene:
    """Sends objects at its clock, which `wait` moves; settles after each; keeps what was said."""

    mode: Mode = Mode.KNATIVE
    ledger: Ledger = field(default_factory=lambda: Ledger("demo"))
    now: datetime = START
    version: int = 0
    objects: dict[str, Record] = field(default_factory=dict)
    deltas: list[Delta] = field(default_factory=list)

    def wait(self, seconds: float) -> "Scene":
        """Let time pass."""
        self.now += timedelta(seconds=seconds)
        return self

    def meta(self, uid: str, **changes: Any) -> Meta:
        """Metadata with the next resourceVersion; created when first asked for."""
        self.version += 1
        old = self.objects.get(uid)
        base = (
            old.meta
            if old is not None
            else Meta(
                uid=uid, name=uid, namespace="chat", created_at=self.now.replace(microsecond=0)
            )
        )
        return replace(base, resource_version=str(self.version), **changes)

    def send(self, record: Record, *, how: ChangeType | None = None) -> None:
        """One watch message, settled at once."""
        known = record.meta.uid in self.objects
        type_ = how or (ChangeType.MODIFIED if known else ChangeType.ADDED)
        self.objects[record.meta.uid] = record
        self.ledger.apply(
            Change(resource=resource_of(record), type=type_, record=record, received_at=self.now)
        )
        self.settle()

    def settle(self) -> Delta:
        """What differs now."""
        self.deltas.append(self.ledger.settle(now=self.now))
        return self.deltas[-1]

    def lists(self, resource: Resource, records: Sequence[Record], *, since: float | None) -> None:
        """A whole list; since: how many seconds ago the gap began, None for a first look."""
        began = None if since is None else self.now - timedelta(seconds=since)
        self.ledger.apply(
            Listed(
                resource=resource,
                records=tuple(records),
                received_at=self.now,
                unseen_since=began,
            )
        )
        self.objects |= {record.meta.uid: record for record in records}
        self.settle()

    def gone(self, uid: str) -> None:
        """DELETED with the last state."""
        last = self.objects[uid]
        self.send(replace(last, meta=self.meta(uid)), how=ChangeType.DELETED)
        del self.objects[uid]

    def model(self, name: str = "llama", *, generation: int = 1, **fields: Any) -> ModelRecord:
        """An InferenceService or LLMInferenceService."""
        kind = ModelKind.LLM_INFERENCE_SERVICE if self.mode is Mode.LLM else KIND
        main = replace(MAIN, name="main") if self.mode is Mode.LLM else MAIN
        record = ModelRecord(
            meta=self.meta(f"model-{name}", name=name, generation=generation),
            kind=kind,
            mode=self.mode,
            containers=(main,),
            **fields,
        )
        self.send(record)
        return record

    def revision(self, uid: str = "rev-1", **fields: Any) -> None:
        """A Knative Revision of llama."""
        self.send(RevisionRecord(meta=self.meta(uid), model="llama", containers=(MAIN,), **fields))

    def scaler(self, desired: int | None, *, of: str = "rev-1", **fields: Any) -> None:
        """The PodAutoscaler of a revision."""
        meta = self.meta(f"pa-{of}", name=of, owner_kind="Revision", owner_name=of, owner_uid=of)
        self.send(
            AutoscalerRecord(meta=meta, revision=of, model="llama", desired_scale=desired, **fields)
        )

    def deployment(self, replicas: int, *, of: str = "rev-1", by: str = "", **fields: Any) -> None:
        """A Deployment: of a Revision in Knative mode, else of the model itself."""
        uid = f"dep-{of}"
        knative = self.mode is Mode.KNATIVE
        owner = ("Revision", of, of) if knative else (self.kind, "llama", "model-llama")
        meta = self.meta(
            uid, owner_kind=owner[0], owner_name=owner[1], owner_uid=owner[2], changed_by=by
        )
        self.send(
            WorkloadRecord(
                meta=meta,
                kind="Deployment",
                model_kind=self.kind,
                model="llama",
                revision=of if knative else "",
                revision_uid=of if knative else "",
                replicas=replicas,
                **fields,
            )
        )

    def replicaset(self, replicas: int, *, of: str = "rev-1", n: int = 1, **fields: Any) -> None:
        """A ReplicaSet of that Deployment."""
        uid = f"rs-{of}-{n}"
        meta = self.meta(
            uid, owner_kind="Deployment", owner_name=f"dep-{of}", owner_uid=f"dep-{of}"
        )
        self.send(
            WorkloadRecord(
                meta=meta,
                kind="ReplicaSet",
                model_kind=self.kind,
                model="llama",
                replicas=replicas,
                **{"revision_number": str(n)} | fields,
            )
        )

    @property
    def kind(self) -> str:
        """The kind of model in this mode."""
        return ModelKind.LLM_INFERENCE_SERVICE if self.mode is Mode.LLM else KIND

    def pod(self, uid: str = "pod-1", *, of: str = "rev-1", n: int = 1, **fields: Any) -> PodRecord:
        """A pod of a ReplicaSet. Fields are PodRecord's; what is left out stays as it was."""
        old = self.objects.get(uid)
        if isinstance(old, PodRecord):
            changes = fields.pop("meta", {})
            record = replace(old, meta=self.meta(uid, **changes), **fields)
        else:
            record = self._new_pod(uid, of, n, fields)
        self.send(record)
        return record

    def _new_pod(self, uid: str, of: str, n: int, fields: dict[str, Any]) -> PodRecord:
        knative = self.mode is Mode.KNATIVE
        owner = f"rs-{of}-{n}"
        meta = self.meta(uid, owner_kind="ReplicaSet", owner_name=owner, owner_uid=owner)
        main = replace(MAIN, name="main") if self.mode is Mode.LLM else MAIN
        parts: dict[str, Any] = {
            "model_kind": self.kind,
            "model": "llama",
            "component": "workload" if self.mode is Mode.LLM else "predictor",
            "revision": of if knative else "",
            "revision_uid": of if knative else "",
            "declared": (main,),
            "phase": "Pending",
            "gpus": 1,
        }
        return PodRecord(meta=meta, **(parts | fields))

    def scheduled(self, uid: str = "pod-1", *, node: str = "gpu-1") -> None:
        """The pod has a node."""
        self.pod(uid, node=node, conditions=(self.is_("PodScheduled", "True"),))

    def running(self, uid: str = "pod-1", **state: Any) -> None:
        """Its model container runs since now, not ready."""
        since = self.now.replace(microsecond=0)
        parts = {"running_since": since, "started": False, **state}
        self.pod(uid, phase="Running", containers=(ContainerState(name=self.main, **parts),))

    def ready(self, uid: str = "pod-1", **state: Any) -> None:
        """The pod is ready."""
        old = self.objects[uid]
        assert isinstance(old, PodRecord)
        mine = next(c for c in old.containers if c.name == self.main)
        mine = replace(mine, ready=True, started=True, **state)
        self.pod(uid, containers=(mine,), conditions=(self.is_("Ready", "True"),))

    def crashed(self, uid: str = "pod-1", *, restarts: int, code: int = 1, why: str = "") -> None:
        """Its model container waits to be restarted."""
        run = ContainerRun(
            exit_code=code,
            reason=why or "Error",
            started_at=self.now.replace(microsecond=0) - timedelta(seconds=4),
            finished_at=self.now.replace(microsecond=0),
        )
        state = ContainerState(
            name=self.main, restarts=restarts, waiting_reason="CrashLoopBackOff", last=run
        )
        self.pod(uid, containers=(state,), conditions=(self.is_("Ready", "False"),))

    def terminating(self, uid: str = "pod-1", **fields: Any) -> None:
        """Deletion was asked for."""
        asked = self.now.replace(microsecond=0)
        self.pod(uid, meta={"deleted_at": asked}, **fields)

    @property
    def main(self) -> str:
        """Name of the model's container."""
        return "main" if self.mode is Mode.LLM else "kserve-container"

    def is_(self, type_: str, status: str, reason: str = "", message: str = "") -> Condition:
        """A condition that turned now."""
        stamp = self.now.replace(microsecond=0)
        return Condition(
            type=type_, status=status, reason=reason, message=message, changed_at=stamp
        )

    def event(self, reason: str, message: str, *, pod: str = "pod-1", **fields: Any) -> EventRecord:
        """An Event about a pod; the same reason, container and message repeat the same Event."""
        uid = f"ev-{pod}-{reason}-{fields.get('container', '')}-{message}"
        old = self.objects.get(uid)
        stamp = self.now.replace(microsecond=0)
        first = old.first_at if isinstance(old, EventRecord) else stamp
        count = old.count + 1 if isinstance(old, EventRecord) else 1
        record = EventRecord(
            meta=self.meta(uid),
            reason=reason,
            message=message,
            object_kind="Pod",
            object_name=pod,
            object_uid=pod,
            **{
                "component": "kubelet",
                "first_at": first,
                "last_at": stamp,
                "count": count,
            }
            | fields,
        )
        self.send(record)
        return record

    def all_starts(self) -> dict[tuple[str, int], ColdStart]:
        """The newest of every start said, also of those that only the clock moves."""
        self.deltas.append(self.ledger.settle_all(now=self.now))
        return {(s.replica_uid, s.attempt): s for delta in self.deltas for s in delta.starts}

    def start(self, uid: str = "pod-1", attempt: int = 0) -> ColdStart:
        """One start as of now."""
        return self.all_starts()[uid, attempt]

    def status(self) -> ModelStatus:
        """The newest status of the model."""
        self.deltas.append(self.ledger.settle_running(now=self.now))
        return [status for delta in self.deltas for status in delta.models][-1]

    def said(self, part: str) -> list[Any]:
        """Every row of one part so far."""
        return [row for delta in self.deltas for row in getattr(delta, part)]


def asleep(*, min_scale: int = 0) -> Scene:
    """A Knative model that was rolled out long ago and sleeps."""
    scene = Scene()
    _first_rollout(scene, min_scale=min_scale)
    scene.wait(60).scaler(0, min_scale=min_scale)
    scene.deployment(0, ready_replicas=0)
    scene.replicaset(0)
    scene.terminating("pod-0")
    scene.wait(2).gone("pod-0")
    return scene.wait(600)


def _first_rollout(scene: Scene, *, min_scale: int = 0) -> None:
    scene.model(min_replicas=min_scale)
    scene.wait(0.2).revision(min_scale=min_scale)
    scene.wait(0.2).deployment(1)
    scene.replicaset(1)
    scene.pod("pod-0")
    scene.wait(1).scheduled("pod-0")
    scene.wait(3).running("pod-0")
    scene.wait(20).ready("pod-0")
    scene.deployment(1, ready_replicas=1)
    scene.replicaset(1, ready_replicas=1)
    scene.scaler(1, min_scale=min_scale, conditions=(scene.is_("SKSReady", "True"),))
    traffic = (TrafficTarget(revision="rev-1", percent=100, latest=True),)
    scene.wait(2).model(
        min_replicas=min_scale, traffic=traffic, conditions=(scene.is_("IngressReady", "True"),)
    )


def awake(*, min_scale: int = 0) -> Scene:
    """A Knative model with one replica that serves."""
    scene = Scene()
    _first_rollout(scene, min_scale=min_scale)
    return scene.wait(600)


def wake(scene: Scene, uid: str = "pod-1", *, to: int = 1) -> None:
    """A request wakes a sleeping model: Deployment, ReplicaSet, PodAutoscaler, pod."""
    scene.deployment(to)
    scene.wait(0.02).replicaset(to)
    scene.wait(0.02).scaler(to)
    scene.wait(0.03).pod(uid)


def standing(mode: Mode, *, replicas: int = 1, min_replicas: int | None = None) -> Scene:
    """A Standard or LLM model whose replicas serve since long."""
    scene = Scene(mode)
    scene.model(min_replicas=min_replicas, replicas=replicas if mode is Mode.LLM else None)
    scene.wait(0.2).deployment(replicas)
    scene.replicaset(replicas)
    for n in range(replicas):
        scene.pod(f"pod-0{n}")
        scene.wait(1).scheduled(f"pod-0{n}")
        scene.wait(2).running(f"pod-0{n}")
        scene.wait(10).ready(f"pod-0{n}")
    scene.deployment(replicas, ready_replicas=replicas)
    scene.replicaset(replicas, ready_replicas=replicas)
    return scene.wait(600)

"""Deployments, ReplicaSets, LeaderWorkerSets, pods, nodes: what runs."""

from dataclasses import dataclass
from datetime import datetime

from fleet.domain.records.common import Condition, Meta, Moved
from fleet.domain.records.serving import Container


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRecord:
    """A Deployment, ReplicaSet or LeaderWorkerSet.

    model_kind, model: from labels; "" where it belongs to no model. role: both, decode or prefill.
    revision, revision_uid: Knative labels. revision_number: annotation
    deployment.kubernetes.io/revision.
    template_autoscaling: whether the pod template repeats autoscaling.knative.dev annotations: on
    a Knative Deployment this tells
    Knative <= 1.20 (True) from >= 1.21 (False). Source: knative/serving
    pkg/reconciler/revision/resources/meta.go.
    """

    meta: Meta
    kind: str
    model_kind: str = ""
    model: str = ""
    role: str = "both"
    revision: str = ""
    revision_uid: str = ""
    revision_number: str = ""
    replicas: int | None = None
    ready_replicas: int = 0
    updated_replicas: int = 0
    observed_generation: int = 0
    progress_deadline_s: float | None = None
    template_autoscaling: bool = False
    containers: tuple[Container, ...] = ()
    conditions: tuple[Condition, ...] = ()
    version_label: str = ""
    component: str = ""
    moves: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRun:
    """One run of a container that has ended."""

    exit_code: int
    reason: str = ""
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerState:
    """A container's status. `sidecar`: a native sidecar (an init container with restartPolicy
    Always).

    running_since: start of the present run. ended: the present state if terminated. last: the run
    before, if kept.
    """

    name: str
    image: str = ""
    image_id: str = ""
    init: bool = False
    sidecar: bool = False
    ready: bool = False
    started: bool | None = None
    restarts: int = 0
    waiting_reason: str = ""
    waiting_message: str = ""
    running_since: datetime | None = None
    ended: ContainerRun | None = None
    last: ContainerRun | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRecord:
    """One pod. model_kind, model: from labels, "" where it belongs to no model. role: both,
    decode, prefill.

    group: LeaderWorkerSet name and group index ("name/0"), "" where it is in none; group_size: pods
    of the group, 0 where nothing tells; leader: whether it is the group's leader.
    component: predictor, transformer, workload, router-scheduler … : only predictor and workload
    pods are replicas.
    node_ready_hint: nominatedNodeName is not kept; a node is known once bound.
    """

    meta: Meta
    model_kind: str = ""
    model: str = ""
    component: str = ""
    role: str = "both"
    revision: str = ""
    revision_uid: str = ""
    group: str = ""
    group_size: int = 0
    leader: bool = True
    node: str = ""
    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    declared: tuple[Container, ...] = ()
    containers: tuple[ContainerState, ...] = ()
    gpus: int = 0
    gpu_resource: str = ""
    weights_from: str = ""
    progress_deadline_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRecord:
    """A node: GPUs by resource name, and the images it says it holds (may be cut by the kubelet
    at 50). taints: key, value, effect."""

    meta: Meta
    ready: bool = False
    unschedulable: bool = False
    gpus: tuple[tuple[str, int], ...] = ()
    pool: str = ""
    images: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    taints: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceRecord:
    """A namespace: only the labels that name team and environment."""

    meta: Meta
    labels: tuple[tuple[str, str], ...] = ()

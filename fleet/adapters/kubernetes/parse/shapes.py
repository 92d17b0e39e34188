"""The parts of the API's JSON that we read, typed. Unknown fields are skipped by the decoder.

Field names are the API's own. `None` is accepted wherever Go writes null for an empty value.
Environment values, secrets and bodies of managedFields are not declared here, so never decoded.
"""

# ruff: noqa: N815 - the API's own names

from datetime import datetime

import msgspec
from msgspec import Struct

Texts = dict[str, str] | None


class Owner(Struct):
    """One ownerReference."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None


class ManagedEntry(Struct):
    """Who wrote, when, to which subresource; what was written is skipped."""

    manager: str = ""
    time: datetime | None = None
    subresource: str = ""


class ObjectMeta(Struct):
    """metadata of any object."""

    name: str
    uid: str
    creationTimestamp: datetime
    namespace: str = ""
    resourceVersion: str = ""
    generation: int = 0
    deletionTimestamp: datetime | None = None
    deletionGracePeriodSeconds: int | None = None
    labels: Texts = None
    annotations: Texts = None
    ownerReferences: list[Owner] | None = None
    managedFields: list[ManagedEntry] | None = None


class RawCondition(Struct):
    """A condition of any status."""

    type: str = ""
    status: str = ""
    reason: str | None = None
    message: str | None = None
    lastTransitionTime: datetime | None = None


class Port(Struct):
    """A container's port."""

    containerPort: int | None = None


class Resources(Struct):
    """Quantities come as text or as numbers."""

    limits: dict[str, str | int | float] | None = None


class Mount(Struct):
    """A volume in a container."""

    name: str = ""
    mountPath: str = ""


class RawContainer(Struct):
    """A container of a pod, a template, a runtime or a model."""

    name: str = ""
    image: str | None = None
    command: list[str] | None = None
    args: list[str] | None = None
    ports: list[Port] | None = None
    resources: Resources | None = None
    restartPolicy: str | None = None
    startupProbe: msgspec.Raw = msgspec.Raw()
    volumeMounts: list[Mount] | None = None


class Claim(Struct):
    """A volume's claim."""

    claimName: str = ""


class Volume(Struct):
    """Only what tells where weights come from."""

    name: str = ""
    persistentVolumeClaim: Claim | None = None
    image: msgspec.Raw = msgspec.Raw()
    hostPath: msgspec.Raw = msgspec.Raw()
    ephemeral: msgspec.Raw = msgspec.Raw()
    nfs: msgspec.Raw = msgspec.Raw()
    csi: msgspec.Raw = msgspec.Raw()


class PodSpec(Struct):
    """spec of a pod or of a template."""

    nodeName: str | None = None
    containers: list[RawContainer] | None = None
    initContainers: list[RawContainer] | None = None
    volumes: list[Volume] | None = None


class TemplateMeta(Struct):
    """metadata of a template: no uid, no times."""

    labels: Texts = None
    annotations: Texts = None


class Template(Struct):
    """A pod template."""

    metadata: TemplateMeta | None = None
    spec: PodSpec | None = None


class Waiting(Struct):
    """A container that waits."""

    reason: str | None = None
    message: str | None = None


class Running(Struct):
    """A container that runs."""

    startedAt: datetime | None = None


class Terminated(Struct):
    """A container that ended."""

    exitCode: int = 0
    reason: str | None = None
    message: str | None = None
    startedAt: datetime | None = None
    finishedAt: datetime | None = None


class RunState(Struct):
    """One of the three, or none."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


class RawContainerStatus(Struct):
    """A container's status."""

    name: str = ""
    image: str = ""
    imageID: str = ""
    ready: bool = False
    started: bool | None = None
    restartCount: int = 0
    state: RunState = msgspec.field(default_factory=RunState)
    lastState: RunState = msgspec.field(default_factory=RunState)


class PodStatus(Struct):
    """status of a pod."""

    phase: str = ""
    reason: str | None = None
    message: str | None = None
    conditions: list[RawCondition] | None = None
    containerStatuses: list[RawContainerStatus] | None = None
    initContainerStatuses: list[RawContainerStatus] | None = None


class RawPod(Struct):
    """v1 Pod."""

    metadata: ObjectMeta
    spec: PodSpec = msgspec.field(default_factory=PodSpec)
    status: PodStatus = msgspec.field(default_factory=PodStatus)


class Involved(Struct):
    """What an Event speaks of."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    fieldPath: str = ""


class Source(Struct):
    """Old form of an Event's reporter."""

    component: str = ""


class Series(Struct):
    """Repeats of an Event, new form."""

    count: int = 1
    lastObservedTime: datetime | None = None


class RawEvent(Struct):
    """v1 Event, or events.k8s.io/v1: one store, two spellings."""

    metadata: ObjectMeta
    reason: str | None = None
    message: str | None = None
    note: str | None = None
    type: str | None = None
    involvedObject: Involved | None = None
    regarding: Involved | None = None
    source: Source | None = None
    deprecatedSource: Source | None = None
    reportingComponent: str | None = None
    reportingController: str | None = None
    count: int | None = None
    deprecatedCount: int | None = None
    series: Series | None = None
    firstTimestamp: datetime | None = None
    deprecatedFirstTimestamp: datetime | None = None
    lastTimestamp: datetime | None = None
    deprecatedLastTimestamp: datetime | None = None
    eventTime: datetime | None = None


class Taint(Struct):
    """What keeps pods that do not tolerate it off a node."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeSpec(Struct):
    """spec of a node."""

    unschedulable: bool = False
    taints: list[Taint] | None = None


class NodeImage(Struct):
    """An image that a node holds."""

    names: list[str] | None = None


class NodeStatus(Struct):
    """status of a node."""

    allocatable: dict[str, str | int | float] | None = None
    conditions: list[RawCondition] | None = None
    images: list[NodeImage] | None = None


class RawNode(Struct):
    """v1 Node."""

    metadata: ObjectMeta
    spec: NodeSpec = msgspec.field(default_factory=NodeSpec)
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)


class RawNamespace(Struct):
    """v1 Namespace."""

    metadata: ObjectMeta

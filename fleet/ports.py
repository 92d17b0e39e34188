"""What the use cases need from outside, as Protocols. Adapters keep them; `wiring` brings the two
together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from fleet.domain.records.change import Change, Listed, Record
from fleet.domain.records.keys import Resource
from fleet.domain.requests.records import MetricsFacts, SubjectWindow


class Clock(Protocol):
    """Now, in UTC with its zone."""

    def __call__(self) -> datetime: ...


class StopFlag(Protocol):
    """A threading.Event will do: set when the worker shuts down or the task's deadline is over."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What the cluster serves of one resource: the newest version that we read, and the rights we
    hold on it."""

    resource: Resource
    api_version: str
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """What a test of the connection found. Versions are None where nothing tells."""

    kubernetes: str | None
    kserve: str | None
    knative: str | None
    served: tuple[Served, ...]
    missing: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """The watch is in step up to this resourceVersion (also sent for a heartbeat: version "" = an
    open watch, nothing new)."""

    resource: Resource
    resource_version: str
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """An object that could not be read: which, and what was wrong. The stream goes on."""

    resource: Resource
    name: str
    problem: str
    received_at: datetime


Message = Change | Listed | Bookmark | Odd


@dataclass(frozen=True, slots=True, kw_only=True)
class PastBegin:
    """Whose past a recording is: from when, until when. simulated: it never happened."""

    cluster: str
    since: datetime
    until: datetime
    simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEnd:
    """The recording is whole, up to this resourceVersion of its cluster.

    goes_on: what happened since is told as well, up to now: another end follows. It is read when
    the next message is asked for.
    """

    resource_version: str
    at: datetime
    goes_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLog:
    """What the running (or last) run of a pod's container had written at `received_at`: whole
    lines with the kubelet's stamp."""

    uid: str
    container: str
    lines: tuple[str, ...]
    received_at: datetime


PastMessage = Change | Listed | SaidLog | PastEnd


class PastReader(Protocol):
    """Reads a recorded past once, in order; raises only fleet.errors.

    skipped: how many messages could not be read; problems: the first of them, for people.
    """

    @property
    def skipped(self) -> int: ...

    @property
    def problems(self) -> Sequence[str]: ...

    def begin(self) -> PastBegin: ...

    def messages(self) -> Iterator[PastMessage]: ...


class ClusterReader(Protocol):
    """Reads one cluster. Every call has a time-out; raises only fleet.errors.

    model_kind: narrows a list or a watch to what belongs to this kind of model, "" = all.
    watch: an open watch is told by a Bookmark without a version, then come the messages.
    """

    def look(self, *, namespaces: Sequence[str] = ()) -> ClusterFacts: ...

    def list(self, resource: Resource, *, namespace: str = "", model_kind: str = "") -> Listed: ...

    def watch(
        self,
        resource: Resource,
        *,
        since: str,
        namespace: str = "",
        model_kind: str = "",
        timeout_s: float,
        stop: StopFlag,
    ) -> Iterator[Message]: ...

    def get(self, resource: Resource, *, namespace: str, name: str) -> Record: ...

    def pulse(self) -> None:
        """Ask for the smallest thing there is: proves that the server answers us now."""

    def close(self) -> None:
        """End every open watch at once, also those that other threads are blocked on."""


class LogReader(Protocol):
    """Reads logs of containers. Every call has a time-out; raises only fleet.errors."""

    def lines(
        self,
        *,
        namespace: str,
        pod: str,
        container: str,
        since: float | None,
        previous: bool,
        at_most: int,
    ) -> Sequence[str]:
        """Whole lines, each with the kubelet's stamp, oldest first, `at_most` bytes of them.

        since: seconds since the epoch, cut to whole ones; None = from the container's start.
        previous: of the run before this one.
        """

    def close(self) -> None:
        """Drop what is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A merge patch of one object. `object` is apiVersion/Kind/namespace/name; uid and
    resource_version guard it when given."""

    object: str
    body: Mapping[str, Any]
    uid: str = ""
    resource_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchResult:
    """The object after the patch (or as it would be), as the API returned it, without
    managedFields; warnings from headers."""

    raw: Mapping[str, Any]
    resource_version: str
    warnings: tuple[str, ...] = ()


class ClusterWriter(Protocol):
    """Reads objects raw just before a write, and writes. Field manager `pilot-light`. Raises only
    fleet.errors."""

    def read(self, object_: str) -> Mapping[str, Any]: ...

    def patch(self, patch: Patch, *, dry_run: bool) -> PatchResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model's own route answered. status None = no HTTP answer (`error` says why).

    ttft_s: request sent to first token of a stream; total_s: to the end. body_excerpt: bounded,
    for telling hops apart.
    """

    status: int | None
    error: str = ""
    ttft_s: float | None = None
    total_s: float | None = None
    body_excerpt: str = ""
    content_type: str = ""


class ModelCaller(Protocol):
    """Sends a real OpenAI request through a model's own route, to allowed hosts only."""

    def allows(self, url: str) -> bool:
        """Whether a request for this address may be sent at all; looks nothing up."""

    def complete(
        self,
        *,
        url: str,
        path: str,
        model: str,
        tokens: int,
        timeout_s: float,
        api_key: str | None,
    ) -> Answer:
        """A streamed completion of `tokens` tokens; raises nothing: every outcome is an Answer."""


class MetricsReader(Protocol):
    """Asks one cluster's metrics, for all models at once. Every call has a time-out; raises only
    fleet.errors."""

    def look(self, *, now: datetime) -> MetricsFacts:
        """What these metrics can tell, found by asking; it changes seldom."""

    def windows(
        self, facts: MetricsFacts, *, since: datetime, until: datetime
    ) -> Sequence[SubjectWindow] | None:
        """The whole windows of [since, until), both aligned; at most an hour at once. None = it
        cannot tell yet: a reader of pages gives the newest window alone, once it has read twice."""

    def close(self) -> None:
        """Drop what is open."""


class ObjectCollector(Protocol):
    """Reads all that belongs to one model as the API returns it, for a diagnosis. Every call has
    a time-out; raises only fleet.errors."""

    def collect(self, *, kind: str, namespace: str, name: str) -> Mapping[str, Any]:
        """The bundle of one model (docs/diagnosis.md): objects without managedFields and values
        of variables, events, last lines of logs; what may not be read is left out and named under
        "missing"."""

    def close(self) -> None:
        """Drop what is open."""


class Announcer(Protocol):
    """Rings the bell: what changed, as keys of models; the bare name of a cluster = its own row.
    Never raises: a lost bell costs seconds."""

    def changed(self, *, cluster: str, keys: Sequence[str]) -> None: ...

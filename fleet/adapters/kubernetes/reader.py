"""The ClusterReader of a Kubernetes API server."""

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

import msgspec

from fleet.adapters.kubernetes import lists, look, versions
from fleet.adapters.kubernetes.client import Access, Client
from fleet.adapters.kubernetes.discovery import served_versions
from fleet.adapters.kubernetes.parse import parse_object
from fleet.adapters.kubernetes.parse.deep import decode
from fleet.adapters.kubernetes.resources import PLACES, path_of
from fleet.adapters.kubernetes.sockets import OpenStreams
from fleet.adapters.kubernetes.watch import Line, lines
from fleet.domain.records.change import Change, ChangeType, Listed, OddItem, Record
from fleet.domain.records.keys import Resource
from fleet.errors import UnexpectedShape
from fleet.ports import Bookmark, ClusterFacts, Message, Odd, StopFlag

PROBLEM_CHARS = 300
# Bookmarks come about every minute; Events have none, theirs last as long as the watch was asked.
SILENCE_S = 150.0
GRACE_S = 15.0
# Lists at once: each holds a page of some megabytes.
LISTS_AT_ONCE = 3


class Identity(msgspec.Struct):
    """Who an object is, when nothing else of it can be read."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resourceVersion: str = ""  # noqa: N815 - the API's own name


class Identified(msgspec.Struct):
    """Any object."""

    metadata: Identity


_identified = msgspec.json.Decoder(Identified)


class KubernetesReader:
    """Reads one cluster from many threads. clock: our own, in UTC."""

    def __init__(self, access: Access, *, clock: Callable[[], datetime]) -> None:
        self._client = Client(access)
        self._clock = clock
        self._streams = OpenStreams()
        self._lists = threading.Semaphore(LISTS_AT_ONCE)
        self._discovery = threading.Lock()
        self._served: dict[Resource, str] = {}

    def look(self, *, namespaces: Sequence[str] = ()) -> ClusterFacts:
        """What is served, what we may read, which versions run."""
        with self._discovery:
            self._served = served_versions(self._client)
        return look.facts(self._client, self._served, namespaces=namespaces)

    def list(self, resource: Resource, *, namespace: str = "", model_kind: str = "") -> Listed:
        """The whole list, page by page; an object that cannot be read is told as odd."""
        path, query = self._where(resource, namespace, model_kind)
        with self._lists:
            return lists.from_the_start(
                lambda: self._listed(resource, path, query, namespace, model_kind=model_kind)
            )

    def watch(
        self,
        resource: Resource,
        *,
        since: str,
        namespace: str = "",
        model_kind: str = "",
        timeout_s: float,
        stop: StopFlag,
    ) -> Iterator[Message]:
        """Messages until the server ends the stream, `stop` is set or the stream breaks."""
        path, query = self._where(resource, namespace, model_kind)
        query |= {
            "watch": "1",
            "resourceVersion": since,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, int(timeout_s))),
        }
        silence_s = timeout_s if resource is Resource.EVENTS else min(timeout_s, SILENCE_S)
        response = self._client.open(path, query=query, read_s=silence_s + GRACE_S)
        with self._streams.held(response):
            yield Bookmark(resource=resource, resource_version="", received_at=self._clock())
            for line in lines(f"watch {path}", response):
                if stop.is_set():
                    return
                message = self._message(resource, line)
                if message is not None:
                    yield message

    def get(self, resource: Resource, *, namespace: str, name: str) -> Record:
        """One object, read now."""
        place = PLACES[resource]
        path = path_of(place, version=self._version(resource), namespace=namespace, name=name)
        return parse_object(resource, self._client.get(path))

    def pulse(self) -> None:
        """The server's version: open to every account, and touches nothing else."""
        versions.kubernetes_version(self._client)

    def close(self) -> None:
        """End every watch; the reader is done."""
        self._streams.end()
        self._client.close()

    def _where(
        self, resource: Resource, namespace: str, model_kind: str
    ) -> tuple[str, dict[str, str]]:
        place = PLACES[resource]
        asked = {"labelSelector": place.selector(model_kind), "fieldSelector": place.fields}
        path = path_of(place, version=self._version(resource), namespace=namespace)
        return path, {key: value for key, value in asked.items() if value}

    def _version(self, resource: Resource) -> str:
        """The version to read: found once, where more than one is possible."""
        versions_ = PLACES[resource].versions
        if len(versions_) == 1:
            return versions_[0]
        with self._discovery:
            if not self._served:
                self._served = served_versions(self._client)
            return self._served.get(resource, versions_[0])

    def _listed(
        self,
        resource: Resource,
        path: str,
        query: dict[str, str],
        namespace: str,
        *,
        model_kind: str,
    ) -> Listed:
        records: list[Record] = []
        odd: list[OddItem] = []
        resource_version = ""
        for page in lists.pages(self._client, path, query):
            resource_version = page.resource_version
            for raw in page.items:
                found = read_object(resource, raw)
                (odd if isinstance(found, OddItem) else records).append(found)  # type: ignore[arg-type]
        return Listed(
            resource=resource,
            records=tuple(records),
            received_at=self._clock(),
            resource_version=resource_version,
            namespace=namespace,
            model_kind=model_kind,
            odd=tuple(odd),
        )

    def _message(self, resource: Resource, line: Line) -> Message | None:
        """A line as a message; None for a type that we do not know."""
        now = self._clock()
        if line.type == "BOOKMARK":
            version = identity_of(line.object).resourceVersion
            return Bookmark(resource=resource, resource_version=version, received_at=now)
        if line.type not in set(ChangeType):
            return None
        found = read_object(resource, line.object)
        if isinstance(found, OddItem):
            return Odd(resource=resource, name=found.name, problem=found.problem, received_at=now)
        return Change(resource=resource, type=ChangeType(line.type), record=found, received_at=now)


def read_object(resource: Resource, raw: msgspec.Raw) -> Record | OddItem:
    """The record, or what is wrong with it."""
    try:
        return parse_object(resource, raw)
    except (UnexpectedShape, msgspec.MsgspecError, ValueError) as error:
        who = identity_of(raw)
        name = f"{who.namespace}/{who.name}" if who.namespace else who.name
        return OddItem(uid=who.uid, name=name[:320], problem=str(error)[:PROBLEM_CHARS])


def identity_of(raw: msgspec.Raw) -> Identity:
    """Name and uid of any object; empty where not even they can be read."""
    try:
        return decode(_identified, raw).metadata
    except msgspec.MsgspecError:
        return Identity()

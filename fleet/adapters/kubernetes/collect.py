"""The ObjectCollector of a Kubernetes API server: all that belongs to one model, as a bundle
(docs/diagnosis.md), with the reader's rights.

What may not be read, or not in time, is left out and named under "missing". A 404 there is an
answer, not a lack: a cluster without Knative has no Revisions.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, TypeVar

import msgspec

from fleet.adapters.kubernetes import belongings as of
from fleet.adapters.kubernetes.bare import bare, bare_settings, told
from fleet.adapters.kubernetes.belongings import Part, Raw
from fleet.adapters.kubernetes.client import JSON, Access, Client, decoded
from fleet.domain.records.keys import ModelKind
from fleet.errors import ClusterRefused, ClusterUnreachable, FleetError, NotThere

BUDGET_S = 15.0
READ_S = 8.0
NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}")
GATEWAY = "/apis/gateway.networking.k8s.io/v1"
RUNTIMES = "/apis/serving.kserve.io/v1alpha1"
LEAST_READ_S = 0.5
SIZE_AT_MOST = 2 * 1024 * 1024
LIST_AT_MOST = 200
EVENTS_AT_ONCE = 500
EVENTS_AT_MOST = 400
NODE_EVENTS_AT_MOST = 100
LOG_LINES = 200
LOG_BYTES = 64 * 1024
LOGS_OF_PODS = 3
LOGS = "pods/log"
# Settings of controllers change seldom and are the same for every model.
SETTINGS_FOR_S = 300.0
NOT_IN_TIME, TOO_LARGE, FORBIDDEN, FAILED = "not-in-time", "too-large", "forbidden", "failed"

T = TypeVar("T")
Bundle = dict[str, Any]
_object = msgspec.json.Decoder(dict[str, Any])


class KubernetesCollector:
    """Collects from one cluster; may be used from many threads."""

    def __init__(
        self, access: Access, *, clock: Callable[[], datetime], budget_s: float = BUDGET_S
    ) -> None:
        self._client = Client(access)
        self._clock = clock
        self._budget_s = budget_s
        self._lock = threading.Lock()
        self._settings: list[Raw] = []
        self._lacking: list[dict[str, str]] = []
        self._settings_until = 0.0

    def collect(self, *, kind: str, namespace: str, name: str) -> Mapping[str, Any]:
        """The bundle. Raises NotThere when there is no such model, and what keeps the model's own
        object from being read."""
        asking = Asking(self._client, until=time.monotonic() + self._budget_s)
        gathered = Gathering(asking, kind=kind, namespace=namespace, name=name)
        bundle = gathered.bundle()
        bundle["configmaps"], lacking = self._cluster_settings(asking)
        bundle["config"] = {"observed_at": self._clock().isoformat()}
        bundle["missing"] = [*asking.missing, *lacking]
        return within_size(bundle)

    def close(self) -> None:
        """Drop idle connections."""
        self._client.close()

    def _cluster_settings(self, asking: "Asking") -> tuple[list[Raw], list[dict[str, str]]]:
        """Read once in a while for all models."""
        with self._lock:
            if time.monotonic() > self._settings_until:
                before = len(asking.missing)
                self._settings = list(_settings(asking))
                self._lacking = asking.missing[before:]
                del asking.missing[before:]
                self._settings_until = time.monotonic() + SETTINGS_FOR_S
            return list(self._settings), list(self._lacking)


class Asking:
    """Reads of one collection. What did not work stands in `missing`: what, why (forbidden,
    not-in-time, failed) and the cluster's words."""

    def __init__(self, client: Client, *, until: float) -> None:
        self._client = client
        self._until = until
        self.missing: list[dict[str, str]] = []

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Bundle:
        """One object or list; raises fleet.errors."""
        found: Bundle = decoded(f"GET {path}", self._raw(path, query, accept=JSON), _object)
        return found

    def look(self, what: str, path: str, query: Mapping[str, str] | None = None) -> Bundle:
        """The same, {} without it: noted as missing unless the cluster has no such thing."""
        return self._optional(what, lambda: self.get(path, query)) or {}

    def items(self, what: str, path: str, query: Mapping[str, str]) -> tuple[list[Raw], bool]:
        """The first page of a list, and whether there are more."""
        found = self.look(what, path, query)
        raw = found.get("items")
        kept = [item for item in raw if isinstance(item, Mapping)] if isinstance(raw, list) else []
        return kept, bool(of.within(found, "metadata").get("continue"))

    def log(self, what: str, path: str, query: Mapping[str, str]) -> bytes:
        """A container that has not begun has no log: 400, and that is no lack."""

        def read() -> bytes:
            try:
                return self._raw(path, query, accept="*/*")
            except ClusterRefused as error:
                if error.status != 400:
                    raise
                return b""

        return self._optional(what, read) or b""

    def _raw(self, path: str, query: Mapping[str, str] | None, *, accept: str) -> bytes:
        left = self._left_s()
        if left < LEAST_READ_S:
            raise ClusterUnreachable(f"GET {path}: the time for this model is over")
        read_s = min(READ_S, left)
        return self._client.get(path, query=query, accept=accept, read_s=read_s, whole_s=left)

    def _left_s(self) -> float:
        return self._until - time.monotonic()

    def _optional(self, what: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except NotThere:
            return None
        except FleetError as error:
            why = self._why(error)
            if not self.lacks(what, why):
                self.missing.append({"what": what, "why": why, "text": str(error)[:300]})
            return None

    def lacks(self, what: str, why: str) -> bool:
        return any(each["what"] == what and each["why"] == why for each in self.missing)

    def _why(self, error: FleetError) -> str:
        if self._left_s() < LEAST_READ_S:
            return NOT_IN_TIME
        refused = isinstance(error, ClusterRefused) and error.status in (401, 403)
        return FORBIDDEN if refused else FAILED


class Gathering:
    """One model's objects, events and logs."""

    def __init__(self, asking: Asking, *, kind: str, namespace: str, name: str) -> None:
        self._ask = asking
        self._kind = kind
        self._namespace = namespace
        self._name = name
        self._within = f"namespaces/{namespace}"

    def bundle(self) -> Bundle:
        """The model first: without it there is nothing to say."""
        model = self._model()
        lists = {part.key: self._list(part) for part in of.PARTS[self._kind]}
        chosen = _chosen(lists)
        events = self._events([model, *chain.from_iterable(chosen.values())])
        events += self._node_events(of.nodes_of(chosen.get("pods", []), events))
        bundle: Bundle = {self._kind.lower(): bare(model)}
        bundle |= {key: [bare(each) for each in items] for key, items in chosen.items()}
        bundle |= _singles(bundle)
        bundle["servingruntime"] = bare(self._runtime(model))
        bundle["namespace"] = bare(self._ask.look("namespaces", f"/api/v1/{self._within}"))
        bundle["httproutes"] = [bare(each) for each in self._routes(lists)]
        bundle["events"] = [bare(each) for each in events]
        bundle["logs"] = dict(self._logs(chosen.get("pods", [])))
        return bundle

    def _model(self) -> Bundle:
        """Of the newest version that is served."""
        paths = [f"{each.format(self._within)}/{self._name}" for each in of.MODELS[self._kind]]
        for path in paths[:-1]:
            try:
                return self._ask.get(path)
            except NotThere:
                continue
        return self._ask.get(paths[-1])

    def _list(self, part: Part) -> list[Raw]:
        path = f"{part.base}/{self._within}/{part.plural}"
        query = {
            "labelSelector": of.selector_of(self._kind, self._name),
            "limit": str(LIST_AT_MOST),
        }
        items, _ = self._ask.items(part.plural, path, query)
        return [{"apiVersion": part.api_version, "kind": part.kind, **item} for item in items]

    def _runtime(self, model: Raw) -> Bundle:
        """The runtime that the model names; its template says what the model does not."""
        status = of.within(model, "status")
        asked = of.within(model, "spec", "predictor", "model").get("runtime")
        namespaced = status.get("servingRuntimeName") or asked
        whole = status.get("clusterServingRuntimeName") or asked
        found = self._named(f"{RUNTIMES}/{self._within}/servingruntimes", namespaced)
        return found or self._named(f"{RUNTIMES}/clusterservingruntimes", whole)

    def _routes(self, lists: Mapping[str, list[Raw]]) -> list[Raw]:
        """Of a model without Knative the gateway's, which bear its names. Source: kserve/kserve
        pkg/controller/v1beta1/inferenceservice/reconcilers/ingress."""
        if self._kind != ModelKind.INFERENCE_SERVICE or lists.get("knativeservices"):
            return []
        names = (self._name, f"{self._name}-predictor")
        path = f"{GATEWAY}/{self._within}/httproutes"
        found = [self._ask.look("httproutes", f"{path}/{name}") for name in names]
        return [each for each in found if each]

    def _named(self, path: str, name: object) -> Bundle:
        """The model's author chose the name: anything but a name is not asked for."""
        named = isinstance(name, str) and NAME.fullmatch(name)
        return self._ask.look("servingruntime", f"{path}/{name}") if named else {}

    def _events(self, objects: Sequence[Raw]) -> list[Raw]:
        """Of the model and of all that is made of it, the latest last."""
        path = f"/api/v1/{self._within}/events"
        items, more = self._ask.items("events", path, {"limit": str(EVENTS_AT_ONCE)})
        if more:
            items += self._events_by_name(path, objects)
        names = {of.name_of(each) for each in objects}
        mine = {str(of.within(e, "metadata").get("uid")): e for e in items if _about(e, names)}
        return sorted(mine.values(), key=_last_at)[-EVENTS_AT_MOST:]

    def _events_by_name(self, path: str, objects: Sequence[Raw]) -> Iterator[Raw]:
        """A busy namespace has more events than one page: ask for those of each object."""
        for name in [of.name_of(each) for each in objects][: of.PODS_AT_MOST]:
            query = {"fieldSelector": f"involvedObject.name={name}", "limit": str(LIST_AT_MOST)}
            yield from self._ask.items("events", path, query)[0]

    def _node_events(self, nodes: Sequence[str]) -> list[Raw]:
        """A node that is emptied or unwell says so of itself. Events of nodes lie in `default`."""
        path = "/api/v1/namespaces/default/events"
        found: list[Raw] = []
        for node in nodes:
            about = f"involvedObject.kind=Node,involvedObject.name={node}"
            query = {"fieldSelector": about, "limit": str(LIST_AT_MOST)}
            found += self._ask.items("events of nodes", path, query)[0]
        return sorted(found, key=_last_at)[-NODE_EVENTS_AT_MOST:]

    def _logs(self, pods: Sequence[Raw]) -> Iterator[tuple[str, list[str]]]:
        """Of pods that do not serve, else of the newest one. The worst pod's logs bear the names of
        its containers alone, those of others the pod's name too."""
        failing = [pod for pod in pods if not of.is_ready(pod)]
        for number, pod in enumerate((failing or list(pods[:1]))[:LOGS_OF_PODS]):
            for container in of.containers(pod):
                called = container if number == 0 else f"{container} ({of.name_of(pod)})"
                yield from self._log(pod, container, called)

    def _log(self, pod: Raw, container: str, called: str) -> Iterator[tuple[str, list[str]]]:
        if self._ask.lacks(LOGS, FORBIDDEN):
            return
        runs = (False, True) if of.restarts(pod, container) else (False,)
        for previous in runs:
            lines = self._lines(of.name_of(pod), container, previous=previous)
            if lines:
                yield f"{called} (previous)" if previous else called, lines

    def _lines(self, pod: str, container: str, *, previous: bool) -> list[str]:
        path = f"/api/v1/{self._within}/pods/{pod}/log"
        query = {"container": container, "tailLines": str(LOG_LINES), "limitBytes": str(LOG_BYTES)}
        query |= {"previous": "true"} if previous else {}
        body = self._ask.log(LOGS, path, query)
        return [told(line) for line in body.decode(errors="replace").splitlines()]


def _chosen(lists: Mapping[str, list[Raw]]) -> dict[str, list[Raw]]:
    """Of each list what matters now."""
    revisions = of.chosen_revisions(lists.get("revisions", []), lists.get("knativeservices", []))
    chosen = {key: of.of_revisions(items, revisions) for key, items in lists.items()}
    chosen["pods"] = of.worst_pods(lists.get("pods", []))
    chosen["replicasets"] = of.living(lists.get("replicasets", []))
    return chosen | ({"revisions": revisions} if "revisions" in lists else {})


def _singles(bundle: Bundle) -> Bundle:
    """The newest of each kind also stands alone: that is the form of a bundle by hand."""
    kinds = {
        "revision": "revisions",
        "podautoscaler": "podautoscalers",
        "deployment": "deployments",
    }
    return {one: bundle[many][0] for one, many in kinds.items() if bundle.get(many)}


def _about(event: Raw, names: set[str]) -> bool:
    """Whether it speaks of one of them, or of a pod that one of them made and that is gone."""
    about = str(of.within(event, "involvedObject").get("name", ""))
    if about in names:
        return True
    made_by = of.within(event, "involvedObject").get("kind") == "Pod"
    return made_by and (about.rpartition("-")[0] in names)


def _last_at(event: Raw) -> str:
    series = of.within(event, "series").get("lastObservedTime")
    return str(series or event.get("lastTimestamp") or event.get("eventTime") or "")


def _settings(asking: Asking) -> Iterator[Raw]:
    """ConfigMaps of controllers that may be read."""
    for namespaces, name in of.SETTINGS:
        for namespace in namespaces:
            path = f"/api/v1/namespaces/{namespace}/configmaps/{name}"
            found = asking.look(f"configmaps/{name}", path)
            if found:
                yield bare_settings({"apiVersion": "v1", "kind": "ConfigMap", **found})
                break


def within_size(bundle: Bundle) -> Bundle:
    """The bundle without its bulkiest parts, when it is too large to be kept."""
    for key, few in (("logs", {}), ("replicasets", []), ("events", []), ("pods", [])):
        if len(msgspec.json.encode(bundle)) <= SIZE_AT_MOST:
            break
        bundle[key] = few
        bundle["missing"].append({"what": key, "why": TOO_LARGE, "text": ""})
    return bundle

"""Why a pod was made, for the truth that is kept outside the cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from simulator.store.resources import PODS, REPLICASETS
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster
from simulator.world.demand import Activator
from simulator.world.knative import names
from simulator.world.shapes import condition_status, moment_of, owner_name, owner_uid

# Later than this after the first call was held, it was another decision that asked for the pod.
AT_ONCE = timedelta(seconds=2)


class Causes:
    """Notes trigger and the moment of the demand for each pod of a model."""

    def __init__(self, cluster: Cluster, activator: Activator | None) -> None:
        self.cluster = cluster
        self.activator = activator
        self._was_ready: set[str] = set()
        self._lost: dict[str, datetime] = {}
        self._grown: dict[str, datetime] = {}
        cluster.on(PODS, self._pod_changed)
        cluster.on(REPLICASETS, self._set_changed)

    def _set_changed(self, event: StoreEvent) -> None:
        uid = event.object["metadata"]["uid"]
        before = int(event.previous["spec"]["replicas"]) if event.previous else 0
        if int(event.object["spec"]["replicas"]) > before:
            self._grown[uid] = self.cluster.now()
        if event.type == "DELETED":
            self._was_ready.discard(uid)
            self._grown.pop(uid, None)
            self._lost.pop(uid, None)

    def _pod_changed(self, event: StoreEvent) -> None:
        owner = owner_uid(event.object)
        if owner is None:
            return
        if event.type == "ADDED":
            pod = event.object
            self.cluster.timeline.after(0.0, lambda: self._explain(pod, owner))
        elif condition_status(event.object, "Ready") == "True":
            self._was_ready.add(owner)
        if _begins_to_go(event) and self._still_wanted(event.object):
            self._lost[owner] = self.cluster.now()

    def _still_wanted(self, pod: dict[str, Any]) -> bool:
        name = owner_name(pod, "ReplicaSet")
        if name is None:
            return False
        found = self.cluster.store.get(REPLICASETS, pod["metadata"]["namespace"], name)
        if found is None:
            return False
        living = [
            each
            for each in self.cluster.store.list(PODS, pod["metadata"]["namespace"])
            if owner_uid(each) == found["metadata"]["uid"]
            and "deletionTimestamp" not in each["metadata"]
        ]
        return len(living) < int(found["spec"]["replicas"])

    def _explain(self, pod: dict[str, Any], owner: str) -> None:
        start = self.cluster.truth.of(pod["metadata"]["uid"])
        if start is None:
            return
        start.trigger, demanded = self._cause(pod, owner)
        start.marks["demanded"] = demanded

    def _cause(self, pod: dict[str, Any], owner: str) -> tuple[str, datetime]:
        now = self.cluster.now()
        created = moment_of(pod["metadata"]["creationTimestamp"])
        lost = self._lost.pop(owner, None)
        if lost is not None and (now - lost).total_seconds() < 2:
            return "reschedule", lost
        wished = self._grown.get(owner, created)
        if owner not in self._was_ready:
            return ("scale-from-zero" if self._began_empty(pod, wished) else "rollout"), wished
        held = self._held_since(pod)
        if held is not None:
            return "scale-from-zero", held if wished - held < AT_ONCE else wished
        siblings = [
            each
            for each in self.cluster.store.list(PODS, pod["metadata"]["namespace"])
            if owner_uid(each) == owner and condition_status(each, "Ready") == "True"
        ]
        if siblings:
            return "scale-up", wished
        knative = names.REVISION in pod["metadata"].get("labels", {})
        return ("manual" if knative else "scale-from-zero"), wished

    def _began_empty(self, pod: dict[str, Any], wished: datetime) -> bool:
        """Whether the ReplicaSet was there before anybody wanted a pod of it."""
        name = owner_name(pod, "ReplicaSet")
        found = self.cluster.store.get(REPLICASETS, pod["metadata"]["namespace"], str(name))
        if found is None:
            return False
        return wished - moment_of(found["metadata"]["creationTimestamp"]) > AT_ONCE

    def _held_since(self, pod: dict[str, Any]) -> datetime | None:
        revision = pod["metadata"].get("labels", {}).get(names.REVISION)
        if self.activator is None or revision is None:
            return None
        since = self.activator.waiting_since((pod["metadata"]["namespace"], revision))
        return datetime.fromtimestamp(since, UTC) if since is not None else None


def _begins_to_go(event: StoreEvent) -> bool:
    if event.previous is None or event.type != "MODIFIED":
        return False
    before, after = event.previous["metadata"], event.object["metadata"]
    return "deletionTimestamp" in after and "deletionTimestamp" not in before

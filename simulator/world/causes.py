"""Why a pod was made, for the truth that is kept outside the cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from simulator.store.resources import PODS, REPLICASETS
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster
from simulator.world.demand import Activator
from simulator.world.knative import names
from simulator.world.replicasets import model_of
from simulator.world.shapes import condition_status, moment_of, owner_name, owner_uid

# Later than this after the first call was held, it was another decision that asked for the pod.
AT_ONCE = timedelta(seconds=2)
# What a hand asked for is done within this.
BY_HAND_WITHIN = timedelta(seconds=20)

Key = tuple[str, str]


class Causes:
    """Notes trigger and the moment of the demand for each pod of a model."""

    def __init__(self, cluster: Cluster, activator: Activator | None) -> None:
        self.cluster = cluster
        self.activator = activator
        self._was_ready: set[str] = set()
        self._lost: dict[str, datetime] = {}
        self._grown: dict[str, tuple[datetime, int]] = {}
        self._first_ready: dict[str, datetime] = {}
        self._hands: dict[Key, datetime] = {}
        self._sizes: dict[Key, datetime] = {}
        cluster.on(PODS, self._pod_changed)
        cluster.on(REPLICASETS, self._set_changed)

    def by_hand(self, key: Key) -> None:
        """A person raises the floor of this Revision now, or scales this Deployment."""
        self._hands[key] = self.cluster.now()

    def resized(self, key: Key) -> None:
        """A person changes the size of this model now; controllers follow, without a rollout."""
        self._sizes[key] = self.cluster.now()

    def _set_changed(self, event: StoreEvent) -> None:
        uid = event.object["metadata"]["uid"]
        before = int(event.previous["spec"]["replicas"]) if event.previous else 0
        if int(event.object["spec"]["replicas"]) > before:
            self._grown[uid] = (self.cluster.now(), before)
        if event.type == "DELETED":
            self._was_ready.discard(uid)
            for known in (self._grown, self._lost):
                known.pop(uid, None)

    def _pod_changed(self, event: StoreEvent) -> None:
        owner = owner_uid(event.object)
        if owner is None:
            return
        uid = event.object["metadata"]["uid"]
        if event.type == "ADDED":
            pod = event.object
            self.cluster.timeline.after(0.0, lambda: self._explain(pod, owner))
        elif event.type == "DELETED":
            self._first_ready.pop(uid, None)
        elif condition_status(event.object, "Ready") == "True":
            self._was_ready.add(owner)
            self._first_ready.setdefault(uid, self.cluster.now())
        if _begins_to_go(event) and self._still_wanted(event.object):
            self._lost[owner] = self.cluster.now()

    def _still_wanted(self, pod: dict[str, Any]) -> bool:
        name = owner_name(pod, "ReplicaSet")
        if name is None:
            return False
        found = self.cluster.store.get(REPLICASETS, pod["metadata"]["namespace"], name)
        if found is None or "deletionTimestamp" in found["metadata"]:
            return False
        return len(self._siblings(pod)) < int(found["spec"]["replicas"])

    def _siblings(self, pod: dict[str, Any]) -> list[dict[str, Any]]:
        """Pods of the same owner that are to stay."""
        owner = owner_uid(pod)
        return [
            each
            for each in self.cluster.store.list(PODS, pod["metadata"]["namespace"])
            if owner_uid(each) == owner and "deletionTimestamp" not in each["metadata"]
        ]

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
        wished, before = self._grown.get(owner, (created, 0))
        by_hand = _lately(self._hands.get(_workload_key(pod)), wished)
        if by_hand is not None:
            return "manual", by_hand
        resized = _lately(self._sizes.get(_model_key(pod)), wished)
        if owner not in self._was_ready and not (resized and before):
            empty = self._began_empty(pod, wished)
            return ("scale-from-zero" if empty else "rollout"), (
                resized or wished
            ) if empty else wished
        if before and resized is not None:
            return "scale-up", resized
        if self._served_before(pod, wished):
            return "scale-up", wished
        held = self._held_since(pod)
        if held is not None:
            return "scale-from-zero", held if wished - held < AT_ONCE else wished
        knative = names.REVISION in pod["metadata"].get("labels", {})
        return ("manual" if knative else "scale-from-zero"), resized or wished

    def _served_before(self, pod: dict[str, Any], wished: datetime) -> bool:
        """A replica beside it was ready when this one was asked for. As long as none is, all that
        is asked for belongs to the wake."""
        ready = (
            self._first_ready.get(each["metadata"]["uid"])
            for each in self._siblings(pod)
            if condition_status(each, "Ready") == "True"
        )
        return any(moment is not None and moment <= wished for moment in ready)

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


def _lately(asked: datetime | None, wished: datetime) -> datetime | None:
    """What was asked for, if the wish may follow from it."""
    if asked is None or not timedelta(0) <= wished - asked < BY_HAND_WITHIN:
        return None
    return asked


def _model_key(pod: dict[str, Any]) -> Key:
    return pod["metadata"]["namespace"], str(model_of(pod))


def _workload_key(pod: dict[str, Any]) -> Key:
    """Of the Revision, or of the Deployment of an InferenceService."""
    labels = pod["metadata"].get("labels", {})
    app = str(labels.get("app", "")).removeprefix("isvc.")
    return pod["metadata"]["namespace"], labels.get(names.REVISION, app)

"""Why a pod was made, for the truth that is kept outside the cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import (
    DEPLOYMENTS,
    INFERENCESERVICES,
    LEADERWORKERSETS,
    LLMINFERENCESERVICES,
    PODS,
    REPLICASETS,
)
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster
from simulator.world.demand import Activator
from simulator.world.knative import names
from simulator.world.leaderworkersets import NAME as GROUP_SET
from simulator.world.leaderworkersets import WORKER as WORKER_INDEX
from simulator.world.replicasets import model_of
from simulator.world.shapes import condition_status, moment_of, owner_name, owner_uid

# Later than this after the first call was held, it was another decision that asked for the pod.
AT_ONCE = timedelta(seconds=2)
# What a hand asked for is done within this.
BY_HAND_WITHIN = timedelta(seconds=20)

# A pod that stands in for a lost one comes as soon as that is gone, in a group of pods.
REPLACED_WITHIN = timedelta(seconds=120)

Key = tuple[str, str]


class Causes:
    """Notes trigger and the moment of the demand for each pod of a model.

    A set is what pods are made by: a ReplicaSet or a LeaderWorkerSet. As long as nothing of it was
    ready since it left zero, or was made, all that is asked for belongs to that wake or rollout.
    """

    def __init__(self, cluster: Cluster, activator: Activator | None) -> None:
        self.cluster = cluster
        self.activator = activator
        self._born_empty: set[str] = set()
        self._ever_ready: set[str] = set()
        self._ready_since: dict[str, datetime] = {}
        self._lost: dict[str, datetime] = {}
        self._grown: dict[str, tuple[datetime, int]] = {}
        self._asked_for: dict[str, datetime] = {}
        self._left_zero: dict[str, datetime] = {}
        self._hands: dict[Key, datetime] = {}
        self._sizes: dict[Key, datetime] = {}
        cluster.on(PODS, self._pod_changed)
        cluster.on(LLMINFERENCESERVICES, self._model_changed)
        if cluster.settings.knative is None:
            cluster.on(INFERENCESERVICES, self._model_changed)
        cluster.on(DEPLOYMENTS, self._deployment_changed)
        cluster.on(REPLICASETS, self._set_changed)
        cluster.on(LEADERWORKERSETS, self._set_changed)

    def by_hand(self, key: Key) -> None:
        """A person raises the floor of this Revision now, or scales this Deployment."""
        self._hands[key] = self.cluster.now()

    def _set_changed(self, event: StoreEvent) -> None:
        meta, now = event.object["metadata"], self.cluster.now()
        uid = meta["uid"]
        before = int(event.previous["spec"]["replicas"]) if event.previous else 0
        if int(event.object["spec"]["replicas"]) > before:
            self._grown[uid] = (now, before)
            if not before:
                self._ready_since.pop(uid, None)
                if now - moment_of(meta["creationTimestamp"]) > AT_ONCE:
                    self._born_empty.add(uid)
        if event.type == "DELETED":
            for known in (self._grown, self._lost, self._ready_since):
                known.pop(uid, None)
            self._ever_ready.discard(uid)
            self._born_empty.discard(uid)

    def _model_changed(self, event: StoreEvent) -> None:
        """The size that a model asks for by itself; its controllers follow, without a rollout."""
        meta = event.object["metadata"]
        if event.previous is not None and _sizes_of(event.previous) != _sizes_of(event.object):
            self._sizes[(meta["namespace"], meta["name"])] = self.cluster.now()

    def _deployment_changed(self, event: StoreEvent) -> None:
        uid = event.object["metadata"]["uid"]
        before = int(event.previous["spec"]["replicas"]) if event.previous else 0
        if int(event.object["spec"]["replicas"]) > before:
            self._asked_for[uid] = self.cluster.now()
            if event.previous is not None and not before:
                self._left_zero[uid] = self.cluster.now()
        if event.type == "DELETED":
            self._asked_for.pop(uid, None)
            self._left_zero.pop(uid, None)

    def _pod_changed(self, event: StoreEvent) -> None:
        made_by = self._set_of(event.object)
        if made_by is None:
            return
        uid = made_by["metadata"]["uid"]
        if event.type == "ADDED":
            pod = event.object
            self.cluster.timeline.after(0.0, lambda: self._explain(pod, uid))
        elif event.type == "MODIFIED" and condition_status(event.object, "Ready") == "True":
            self._ever_ready.add(uid)
            self._ready_since.setdefault(uid, self.cluster.now())
        if _begins_to_go(event) and self._still_wanted(event.object, made_by):
            self._lost[uid] = self.cluster.now()

    def _set_of(self, pod: JsonObject) -> JsonObject | None:
        namespace = pod["metadata"]["namespace"]
        group = pod["metadata"].get("labels", {}).get(GROUP_SET)
        if group is not None:
            return self.cluster.store.get(LEADERWORKERSETS, namespace, group)
        name = owner_name(pod, "ReplicaSet")
        return self.cluster.store.get(REPLICASETS, namespace, name) if name else None

    def _still_wanted(self, pod: JsonObject, made_by: JsonObject) -> bool:
        """Fewer stay than are asked for; of a group one pod is as good as all."""
        if "deletionTimestamp" in made_by["metadata"]:
            return False
        owner = owner_uid(pod)
        staying = [
            each
            for each in self.cluster.store.list(PODS, pod["metadata"]["namespace"])
            if owner_uid(each) == owner and "deletionTimestamp" not in each["metadata"]
        ]
        is_worker = pod["metadata"].get("labels", {}).get(WORKER_INDEX, "0") != "0"
        return is_worker or len(staying) < int(made_by["spec"]["replicas"])

    def _explain(self, pod: JsonObject, made_by: str) -> None:
        start = self.cluster.truth.of(pod["metadata"]["uid"])
        if start is None:
            return
        start.trigger, demanded = self._cause(pod, made_by)
        start.marks["demanded"] = demanded

    def _cause(self, pod: JsonObject, made_by: str) -> tuple[str, datetime]:
        now = self.cluster.now()
        created = moment_of(pod["metadata"]["creationTimestamp"])
        wished, before = self._grown.get(made_by, (created, 0))
        lost = self._lost.pop(made_by, None)
        if lost is not None and lost >= wished and now - lost < REPLACED_WITHIN:
            return "reschedule", lost
        held = self._held_since(pod)
        by_hand = _lately(self._hands.get(_workload_key(pod)), wished)
        if by_hand is not None and held is None:
            return "manual", by_hand
        resized = _lately(self._sizes.get(_model_key(pod)), wished)
        woken = made_by in self._born_empty or self._has_left_zero(pod, wished)
        if made_by not in self._ever_ready and not woken:
            return "rollout", (resized or wished) if before else wished
        if self._is_step(pod, wished):
            return "rollout", wished
        since = self._ready_since.get(made_by)
        if since is not None and since <= wished:
            return "scale-up", resized or wished
        if held is not None:
            return "scale-from-zero", held if wished - held < AT_ONCE else wished
        knative = names.REVISION in pod["metadata"].get("labels", {})
        return ("manual" if knative else "scale-from-zero"), resized or wished

    def _has_left_zero(self, pod: JsonObject, wished: datetime) -> bool:
        """The Deployment, which was there before, was asked for its first replica just now."""
        made_by = self._set_of(pod)
        above = owner_uid(made_by) if made_by is not None else None
        left = self._left_zero.get(above or "")
        return left is not None and timedelta(0) <= wished - left < AT_ONCE

    def _is_step(self, pod: JsonObject, wished: datetime) -> bool:
        """A ReplicaSet that grows while its Deployment does not takes another one's place."""
        made_by = self._set_of(pod)
        above = owner_uid(made_by) if made_by is not None else None
        asked = self._asked_for.get(above or "")
        return asked is not None and wished - asked > AT_ONCE

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


def _sizes_of(model: JsonObject) -> tuple[Any, ...]:
    spec = model["spec"]
    return (
        spec.get("replicas"),
        spec.get("prefill", {}).get("replicas"),
        spec.get("predictor", {}).get("minReplicas"),
    )


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

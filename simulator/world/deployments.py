"""The Deployment controller: scales ReplicaSets, rolls templates, tells how far it is.

Source: kubernetes/kubernetes pkg/controller/deployment; texts, order and omitted zeros as seen on
1.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import DEPLOYMENTS, REPLICASETS
from simulator.world.cluster import Cluster, Controller
from simulator.world.deployment_progress import (
    counts_of,
    has_progressed,
    is_complete,
    write_condition,
)
from simulator.world.recorder import Source
from simulator.world.rollout import Bounds, Wish, bounds_of, next_sizes
from simulator.world.shapes import (
    condition,
    moment_of,
    owner,
    owner_name,
    owner_uid,
    template_hash,
    without_empty,
)

MANAGER = "kube-controller-manager"
SOURCE = Source("deployment-controller")
REVISION = "deployment.kubernetes.io/revision"


class Deployments(Controller):
    latency_s = 0.012

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(DEPLOYMENTS)
        self.follow(REPLICASETS, lambda rs: owner_name(rs, "Deployment"))

    def reconcile(self, namespace: str, name: str) -> None:
        deployment = self.cluster.store.get(DEPLOYMENTS, namespace, name)
        if deployment is None or "deletionTimestamp" in deployment["metadata"]:
            return
        sets = self._sets(deployment)
        current = self._current(deployment, sets)
        if current is None:
            self._create_set(deployment, sets)
            return
        self._keep_revision(deployment, current)
        self._scale(deployment, current, [each for each in sets if each is not current])
        self._drop_old(deployment, sets, current)
        self._tell(deployment, self._sets(deployment), current)

    def _sets(self, deployment: Mapping[str, Any]) -> list[JsonObject]:
        uid, namespace = deployment["metadata"]["uid"], deployment["metadata"]["namespace"]
        found = self.cluster.store.list(REPLICASETS, namespace)
        return [each for each in found if owner_uid(each) == uid]

    def _current(
        self, deployment: Mapping[str, Any], sets: Sequence[JsonObject]
    ) -> JsonObject | None:
        name = set_name(deployment)
        return next((each for each in sets if each["metadata"]["name"] == name), None)

    def _create_set(self, deployment: JsonObject, sets: Sequence[JsonObject]) -> None:
        bounds = bounds_of(deployment)
        held = sum(int(each["spec"]["replicas"]) for each in sets)
        size = min(bounds.replicas, max(0, bounds.most - held))
        number = 1 + max(
            (int(each["metadata"]["annotations"][REVISION]) for each in sets), default=0
        )
        new = _new_set(deployment, size, number=number)
        created = self.cluster.ensure(REPLICASETS, new, manager=MANAGER)
        if created is None:
            return
        self._progress(deployment, created, "NewReplicaSetCreated", number=number)
        if size:
            self._say_scaled(deployment, created, 0, size)

    def _progress(
        self, deployment: JsonObject, created: JsonObject, reason: str, *, number: int
    ) -> None:
        def edit(obj: JsonObject) -> None:
            obj["metadata"].setdefault("annotations", {})[REVISION] = str(number)
            text = f'Created new replica set "{created["metadata"]["name"]}"'
            self._condition(obj.setdefault("status", {}), "Progressing", "True", reason, text)

        self.cluster.change(DEPLOYMENTS, _key(deployment), edit, manager=MANAGER)

    def _keep_revision(self, deployment: JsonObject, current: JsonObject) -> None:
        number = current["metadata"]["annotations"][REVISION]
        if deployment["metadata"].get("annotations", {}).get(REVISION) == number:
            return

        def edit(obj: JsonObject) -> None:
            obj["metadata"].setdefault("annotations", {})[REVISION] = number

        self.cluster.change(DEPLOYMENTS, _key(deployment), edit, manager=MANAGER)

    def _scale(
        self, deployment: JsonObject, current: JsonObject, others: Sequence[JsonObject]
    ) -> None:
        bounds = bounds_of(deployment)
        wish = next_sizes(_wish(current), [_wish(each) for each in others], bounds)
        self._set_size(deployment, current, wish[0], bounds)
        for each, size in zip(others, wish[1:], strict=True):
            self._set_size(deployment, each, size, bounds)

    def _set_size(
        self, deployment: JsonObject, replicaset: JsonObject, size: int, bounds: Bounds
    ) -> None:
        before = int(replicaset["spec"]["replicas"])
        if before == size and _shows_bounds(replicaset, bounds):
            return

        def edit(obj: JsonObject) -> None:
            obj["spec"]["replicas"] = size
            _write_bounds(obj["metadata"].setdefault("annotations", {}), bounds)

        self.cluster.change(REPLICASETS, _key(replicaset), edit, manager=MANAGER)
        if size != before:
            self._say_scaled(deployment, replicaset, before, size)

    def _say_scaled(
        self, deployment: JsonObject, replicaset: JsonObject, before: int, size: int
    ) -> None:
        direction = "up" if size > before else "down"
        name = replicaset["metadata"]["name"]
        text = f"Scaled {direction} replica set {name} from {before} to {size}"
        self.cluster.recorder.event(deployment, "ScalingReplicaSet", text, source=SOURCE)

    def _drop_old(
        self, deployment: JsonObject, sets: Sequence[JsonObject], current: JsonObject
    ) -> None:
        """Empty old ReplicaSets above revisionHistoryLimit go (Knative keeps none)."""
        limit = int(deployment["spec"].get("revisionHistoryLimit", 10))
        empty = [
            each
            for each in sets
            if each is not current and not each["spec"]["replicas"] and not _alive(each)
        ]
        empty.sort(key=lambda each: int(each["metadata"]["annotations"][REVISION]))
        for each in empty[: max(0, len(empty) - limit)]:
            self.cluster.remove(REPLICASETS, _key(each))

    def _tell(
        self, deployment: JsonObject, sets: Sequence[JsonObject], current: JsonObject
    ) -> None:
        bounds = bounds_of(deployment)
        current = next((each for each in sets if _key(each) == _key(current)), current)
        counts = counts_of(sets, current, bounds)

        def edit(obj: JsonObject) -> None:
            old = obj.get("status", {})
            progressed = has_progressed(old, counts)
            obj["status"] = {"observedGeneration": obj["metadata"]["generation"]}
            obj["status"] |= without_empty(counts, kept=("terminatingReplicas",))
            obj["status"]["conditions"] = copied(old.get("conditions", []))
            self._tell_available(obj["status"], counts["availableReplicas"], bounds)
            self._tell_progress(obj, current, counts, bounds, progressed=progressed)

        self.cluster.change(DEPLOYMENTS, _key(deployment), edit, manager=MANAGER)

    def _tell_available(self, status: JsonObject, available: int, bounds: Bounds) -> None:
        if available >= bounds.least_available:
            words = ("MinimumReplicasAvailable", "Deployment has minimum availability.")
            self._condition(status, "Available", "True", *words)
        else:
            words = ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
            self._condition(status, "Available", "False", *words)

    def _tell_progress(
        self,
        obj: JsonObject,
        current: JsonObject,
        counts: Mapping[str, int],
        bounds: Bounds,
        *,
        progressed: bool,
    ) -> None:
        status, name = obj["status"], current["metadata"]["name"]
        entry = condition(obj, "Progressing")
        before = str(entry["reason"]) if entry else ""
        if is_complete(counts, bounds):
            text = f'ReplicaSet "{name}" has successfully progressed.'
            if before != "NewReplicaSetAvailable" or text != (entry or {}).get("message"):
                self._condition(status, "Progressing", "True", "NewReplicaSetAvailable", text)
        elif before == "NewReplicaSetAvailable" and counts["updatedReplicas"] >= counts["replicas"]:
            return
        elif progressed:
            text = f'ReplicaSet "{name}" is progressing.'
            self._condition(status, "Progressing", "True", "ReplicaSetUpdated", text)
        else:
            self._check_deadline(obj, name)

    def _check_deadline(self, obj: JsonObject, set_of_pods: str) -> None:
        entry = condition(obj, "Progressing")
        if entry is None or entry["reason"] == "ProgressDeadlineExceeded":
            return
        allowed = timedelta(seconds=int(obj["spec"].get("progressDeadlineSeconds", 600)))
        allowed /= self.cluster.timeline.speed
        left = moment_of(entry["lastUpdateTime"]) + allowed - self.cluster.now()
        if left > timedelta(0):
            real_s = left.total_seconds() * self.cluster.timeline.speed
            self.queue(*_key(obj), after_s=real_s + 0.05)
            return
        text = f'ReplicaSet "{set_of_pods}" has timed out progressing.'
        self._condition(obj["status"], "Progressing", "False", "ProgressDeadlineExceeded", text)

    def _condition(
        self, status: JsonObject, kind: str, value: str, reason: str, message: str
    ) -> None:
        write_condition(status, kind, value, (reason, message), now=self.cluster.now())


def set_name(deployment: Mapping[str, Any]) -> str:
    """The ReplicaSet's name for the template as it is now."""
    return f"{deployment['metadata']['name']}-{template_hash(deployment['spec']['template'])}"


def _new_set(deployment: Mapping[str, Any], size: int, *, number: int) -> JsonObject:
    template: JsonObject = copied(deployment["spec"]["template"])
    digest = template_hash(deployment["spec"]["template"])
    labels = template["metadata"].setdefault("labels", {}) | {"pod-template-hash": digest}
    template["metadata"]["labels"] = labels
    annotations = dict(deployment["metadata"].get("annotations", {})) | {REVISION: str(number)}
    _write_bounds(annotations, bounds_of(deployment))
    selector = dict(deployment["spec"]["selector"]["matchLabels"])
    return {
        "metadata": {
            "name": set_name(deployment),
            "namespace": deployment["metadata"]["namespace"],
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [owner(DEPLOYMENTS, deployment)],
        },
        "spec": {
            "replicas": size,
            "selector": {"matchLabels": selector | {"pod-template-hash": digest}},
            "template": template,
        },
        "status": {"replicas": 0},
    }


def _write_bounds(annotations: JsonObject, bounds: Bounds) -> None:
    annotations["deployment.kubernetes.io/desired-replicas"] = str(bounds.replicas)
    annotations["deployment.kubernetes.io/max-replicas"] = str(bounds.most)


def _shows_bounds(replicaset: Mapping[str, Any], bounds: Bounds) -> bool:
    shown: JsonObject = dict(replicaset["metadata"].get("annotations", {}))
    _write_bounds(shown, bounds)
    return bool(shown == replicaset["metadata"].get("annotations"))


def _wish(replicaset: Mapping[str, Any]) -> Wish:
    status = replicaset.get("status", {})
    return Wish(
        size=int(replicaset["spec"]["replicas"]),
        available=int(status.get("availableReplicas", 0)),
    )


def _alive(replicaset: Mapping[str, Any]) -> int:
    status = replicaset.get("status", {})
    return int(status.get("replicas", 0)) + int(status.get("terminatingReplicas", 0))


def _key(obj: Mapping[str, Any]) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]

"""LeaderWorkerSets: replicas that are groups of pods, a leader and its workers.

Source: kubernetes-sigs/lws pkg/controllers (leaderworkerset_controller.go, pod_controller.go),
pkg/webhooks/pod_webhook.go. The leaders belong to one StatefulSet, the workers of each group to
another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import LEADERWORKERSETS, PODS, STATEFULSETS
from simulator.world.cluster import Cluster, Controller
from simulator.world.recorder import Source
from simulator.world.replicasets import model_of
from simulator.world.shapes import (
    condition_status,
    owner,
    set_condition,
    template_hash,
)
from simulator.world.truth import Start

MANAGER = "lws"
SOURCE = Source("leaderworkerset")
PREFIX = "leaderworkerset.sigs.k8s.io/"
NAME, GROUP, WORKER = f"{PREFIX}name", f"{PREFIX}group-index", f"{PREFIX}worker-index"


class LeaderWorkerSets(Controller):
    latency_s = 0.04

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(LEADERWORKERSETS)
        self.follow(PODS, lambda pod: pod["metadata"].get("labels", {}).get(NAME))

    def reconcile(self, namespace: str, name: str) -> None:
        group_set = self.cluster.store.get(LEADERWORKERSETS, namespace, name)
        pods = self._pods(namespace, name)
        if group_set is None:
            for pod in pods:
                self._delete(pod)
            return
        wanted = int(group_set["spec"]["replicas"])
        for index in range(wanted):
            self._keep_group(group_set, index, pods)
        for pod in pods:
            if int(pod["metadata"]["labels"][GROUP]) >= wanted:
                self._delete(pod)
        self._tell(group_set, self._pods(namespace, name))

    def _pods(self, namespace: str, name: str) -> list[JsonObject]:
        return [
            pod
            for pod in self.cluster.store.list(PODS, namespace)
            if pod["metadata"].get("labels", {}).get(NAME) == name
        ]

    def _keep_group(self, group_set: JsonObject, index: int, pods: list[JsonObject]) -> None:
        """A group that lost a pod, or a run of one, is made anew, once all of it is gone."""
        mine = [pod for pod in pods if pod["metadata"]["labels"][GROUP] == str(index)]
        if not mine:
            self._create_group(group_set, index)
        elif any(map(_is_lost, mine)) or len(mine) < _size(group_set):
            for pod in mine:
                self._delete(pod)

    def _create_group(self, group_set: JsonObject, index: int) -> None:
        """The leader, and right after it its workers."""
        template = group_set["spec"]["leaderWorkerTemplate"]
        name = f"{group_set['metadata']['name']}-{index}"
        above = self._stateful(group_set, group_set["metadata"]["name"], LEADERWORKERSETS)
        leader = self._create(group_set, template["leaderTemplate"], (name, index, 0), above)
        if leader is None:
            return
        self._begin_truth(leader, pods=_size(group_set))
        below = self._stateful(leader, name, PODS)
        for number in range(1, _size(group_set)):
            where = (f"{name}-{number}", index, number)
            worker = self._create(group_set, template["workerTemplate"], where, below)
            if worker is not None:
                uids = (worker["metadata"]["uid"], leader["metadata"]["uid"])
                self.cluster.truth.join(*uids)

    def _stateful(self, above: JsonObject, name: str, kind: Any) -> JsonObject:
        namespace = above["metadata"]["namespace"]
        made: JsonObject = {
            "metadata": {
                "name": name,
                "namespace": namespace,
                "ownerReferences": [owner(kind, above)],
            },
            "spec": {"serviceName": name},
            "status": {},
        }
        found = self.cluster.store.get(STATEFULSETS, namespace, name)
        if found is not None and found["metadata"]["ownerReferences"] != [owner(kind, above)]:
            self.cluster.remove(STATEFULSETS, (namespace, name))
        return self.cluster.ensure(STATEFULSETS, made, manager=MANAGER) or made

    def _create(
        self,
        group_set: JsonObject,
        template: JsonObject,
        where: tuple[str, int, int],
        above: JsonObject,
    ) -> JsonObject | None:
        name, group, worker = where
        meta = group_set["metadata"]
        labels = dict(template["metadata"]["labels"]) | {
            NAME: meta["name"],
            GROUP: str(group),
            WORKER: str(worker),
            f"{PREFIX}template-revision-hash": template_hash(
                group_set["spec"]["leaderWorkerTemplate"]
            ),
        }
        pod: JsonObject = {
            "metadata": {
                "name": name,
                "namespace": meta["namespace"],
                "labels": labels,
                "annotations": {f"{PREFIX}size": str(_size(group_set))},
                "ownerReferences": [owner(STATEFULSETS, above)],
            },
            "spec": copied(template["spec"]),
            "status": {"phase": "Pending", "qosClass": "Burstable"},
        }
        return self.cluster.ensure(PODS, pod, manager="kube-controller-manager")

    def _begin_truth(self, leader: JsonObject, *, pods: int) -> None:
        model = model_of(leader)
        if model is None:
            return
        meta = leader["metadata"]
        start = Start(
            cluster=self.cluster.settings.name,
            model=model,
            namespace=meta["namespace"],
            pod=meta["name"],
            pod_uid=meta["uid"],
            pods=pods,
        )
        self.cluster.truth.begin(start)
        self.cluster.truth.mark(start.pod_uid, "pod_created", self.cluster.now())

    def _delete(self, pod: JsonObject) -> None:
        if not _is_going(pod):
            key = (pod["metadata"]["namespace"], pod["metadata"]["name"])
            self.cluster.remove(PODS, key, graceful=True)

    def _tell(self, group_set: JsonObject, pods: list[JsonObject]) -> None:
        """A group is ready with all its pods."""
        now, wanted = self.cluster.now(), int(group_set["spec"]["replicas"])
        groups = [
            [pod for pod in pods if pod["metadata"]["labels"][GROUP] == str(index)]
            for index in range(wanted)
        ]
        size = _size(group_set)
        ready = sum(
            len(group) == size and all(condition_status(pod, "Ready") == "True" for pod in group)
            for group in groups
        )

        def edit(status: JsonObject) -> None:
            status |= {"replicas": wanted, "readyReplicas": ready, "updatedReplicas": wanted}
            value = "True" if ready == wanted else "False"
            words = {"reason": "AllGroupsReady" if ready == wanted else "GroupsProgressing"}
            set_condition(status, "Available", value, now=now, **words)

        key = (group_set["metadata"]["namespace"], group_set["metadata"]["name"])
        self.cluster.change_status(LEADERWORKERSETS, key, edit, manager=MANAGER)


def _size(group_set: Mapping[str, Any]) -> int:
    return int(group_set["spec"]["leaderWorkerTemplate"]["size"])


def _is_going(pod: Mapping[str, Any]) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _is_lost(pod: Mapping[str, Any]) -> bool:
    """On its way out, or one of its containers was restarted."""
    told = pod.get("status", {}).get("containerStatuses", ())
    return _is_going(pod) or any(each["restartCount"] for each in told)

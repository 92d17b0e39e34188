"""The ReplicaSet controller: makes and deletes pods, counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.store.errors import StatusError
from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import PODS, REPLICASETS
from simulator.world.cluster import Cluster, Controller
from simulator.world.recorder import Source
from simulator.world.shapes import condition_status, owner, owner_name, owner_uid, without_empty
from simulator.world.truth import Start

MANAGER = "kube-controller-manager"
SOURCE = Source("replicaset-controller")
SERVICE_LABEL = "serving.kserve.io/inferenceservice"
LLM_PART = "llminferenceservice"


class ReplicaSets(Controller):
    latency_s = 0.018

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(REPLICASETS)
        self.follow(PODS, lambda pod: owner_name(pod, "ReplicaSet"))

    def reconcile(self, namespace: str, name: str) -> None:
        replicaset = self.cluster.store.get(REPLICASETS, namespace, name)
        if replicaset is None:
            return
        pods = self._pods(replicaset)
        living = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
        missing = int(replicaset["spec"]["replicas"]) - len(living)
        for _ in range(missing):
            self._create_pod(replicaset)
        for pod in sorted(living, key=_worth)[: max(0, -missing)]:
            self._delete_pod(replicaset, pod)
        self._tell(replicaset, self._pods(replicaset))

    def _pods(self, replicaset: Mapping[str, Any]) -> list[JsonObject]:
        uid, namespace = replicaset["metadata"]["uid"], replicaset["metadata"]["namespace"]
        return [each for each in self.cluster.store.list(PODS, namespace) if owner_uid(each) == uid]

    def _create_pod(self, replicaset: JsonObject) -> None:
        try:
            pod = self.cluster.store.create(PODS, _new_pod(replicaset), manager=MANAGER)
        except StatusError as refusal:
            text = f"Error creating: {refusal.message}"
            self._say(replicaset, "FailedCreate", text, kind="Warning")
            return
        self._say(replicaset, "SuccessfulCreate", f"Created pod: {pod['metadata']['name']}")
        self._begin_truth(pod)

    def _begin_truth(self, pod: JsonObject) -> None:
        model = model_of(pod)
        if model is None:
            return
        start = Start(
            cluster=self.cluster.settings.name,
            model=model,
            namespace=pod["metadata"]["namespace"],
            pod=pod["metadata"]["name"],
            pod_uid=pod["metadata"]["uid"],
        )
        self.cluster.truth.begin(start)
        self.cluster.truth.mark(start.pod_uid, "pod_created", self.cluster.now())

    def _delete_pod(self, replicaset: JsonObject, pod: JsonObject) -> None:
        key = (pod["metadata"]["namespace"], pod["metadata"]["name"])
        self.cluster.remove(PODS, key, graceful=True)
        self._say(replicaset, "SuccessfulDelete", f"Deleted pod: {key[1]}")

    def _say(self, replicaset: JsonObject, reason: str, text: str, *, kind: str = "Normal") -> None:
        self.cluster.recorder.event(replicaset, reason, text, source=SOURCE, kind=kind)

    def _tell(self, replicaset: JsonObject, pods: Sequence[JsonObject]) -> None:
        living = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
        ready = sum(condition_status(pod, "Ready") == "True" for pod in living)
        counts = {
            "replicas": len(living),
            "fullyLabeledReplicas": len(living),
            "readyReplicas": ready,
            "availableReplicas": ready,
            "terminatingReplicas": len(pods) - len(living),
        }

        status = without_empty(counts, kept=("replicas", "terminatingReplicas"))
        status["observedGeneration"] = replicaset["metadata"]["generation"]
        if status == replicaset.get("status"):
            return

        def edit(obj: JsonObject) -> None:
            obj["status"] = status

        key = (replicaset["metadata"]["namespace"], replicaset["metadata"]["name"])
        self.cluster.change(REPLICASETS, key, edit, manager=MANAGER)


def model_of(pod: Mapping[str, Any]) -> str | None:
    """The name of the model that a pod serves."""
    labels = pod["metadata"].get("labels", {})
    if labels.get("app.kubernetes.io/part-of") == LLM_PART:
        return str(labels["app.kubernetes.io/name"])
    name = labels.get(SERVICE_LABEL)
    return None if name is None else str(name)


def _worth(pod: Mapping[str, Any]) -> tuple[bool, bool, str]:
    """The least worth first: no node, not ready, then the newest.

    Source: kubernetes/kubernetes pkg/controller/controller_utils.go, ActivePodsWithRanks.
    """
    bound = bool(pod["spec"].get("nodeName"))
    ready = condition_status(pod, "Ready") == "True"
    age_order = "".join(chr(255 - ord(letter)) for letter in pod["metadata"]["creationTimestamp"])
    return bound, ready, age_order


def _new_pod(replicaset: Mapping[str, Any]) -> JsonObject:
    """A pod as the API server keeps it: defaults filled, service account mounted."""
    template = replicaset["spec"]["template"]
    spec: JsonObject = copied(template["spec"])
    spec.setdefault("serviceAccountName", "default")
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec["tolerations"] = [*spec.get("tolerations", []), *_DEFAULT_TOLERATIONS]
    name = f"{replicaset['metadata']['name']}-"
    return {
        "metadata": {
            "generateName": name,
            "namespace": replicaset["metadata"]["namespace"],
            "labels": dict(template["metadata"].get("labels", {})),
            "annotations": dict(template["metadata"].get("annotations", {})),
            "ownerReferences": [owner(REPLICASETS, replicaset)],
        },
        "spec": spec,
        "status": {"phase": "Pending", "qosClass": "Burstable"},
    }


_DEFAULT_TOLERATIONS = [
    {
        "key": f"node.kubernetes.io/{trouble}",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": 300,
    }
    for trouble in ("not-ready", "unreachable")
]

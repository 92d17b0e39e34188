"""Knative Revision: its Deployment and PodAutoscaler, and what it says of them.

Source: knative/serving pkg/reconciler/revision (cruds.go, reconcile_resources.go),
revision_lifecycle.go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import DEPLOYMENTS, PODAUTOSCALERS, PODS, REVISIONS
from simulator.world.cluster import Cluster, Controller
from simulator.world.knative import names
from simulator.world.knative.pods import (
    child_labels,
    deployment,
    deployment_annotations,
    deployment_name,
    pod_template,
)
from simulator.world.recorder import Source
from simulator.world.shapes import (
    condition,
    condition_status,
    copy_condition,
    owner,
    owner_name,
    set_condition,
)

SOURCE = Source("revision-controller")
# From a new Revision to the answer of the registry about its tag.
DIGEST_S = 0.14
FLASH_S = 0.3
Verdict = tuple[str, str, str]


class Revisions(Controller):
    latency_s = 0.07

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._told_late: deque[str] = deque(maxlen=200)
        self.follow_own(REVISIONS)
        for resource in (DEPLOYMENTS, PODAUTOSCALERS):
            self.follow(resource, lambda child: owner_name(child, "Revision"))

    def reconcile(self, namespace: str, name: str) -> None:
        revision = self.cluster.store.get(REVISIONS, namespace, name)
        if revision is None:
            return
        if "conditions" not in revision.get("status", {}):
            self._begin(revision)
            return
        found = self.cluster.store.get(DEPLOYMENTS, namespace, deployment_name(revision))
        if found is None:
            self._deploy(revision)
            return
        self._keep_template(revision, found)
        autoscaler = self._autoscaler(revision)
        if autoscaler is not None:
            self._tell(revision, found, autoscaler)

    def _begin(self, revision: JsonObject) -> None:
        now = self.cluster.now()

        def edit(status: JsonObject) -> None:
            set_condition(status, "ContainerHealthy", "Unknown", now=now)
            for kind in ("Ready", "ResourcesAvailable"):
                set_condition(status, kind, "Unknown", now=now, reason="ResolvingDigests")
            status["observedGeneration"] = revision["metadata"]["generation"]

        self.cluster.change_status(REVISIONS, _key(revision), edit, manager=names.MANAGER)
        self.queue(*_key(revision), after_s=DIGEST_S)

    def _deploy(self, revision: JsonObject) -> None:
        initial = names.whole_number(revision, names.INITIAL_SCALE, 1)
        replicas = max(initial, names.whole_number(revision, names.MIN_SCALE, 0))
        wanted = deployment(revision, self.cluster.settings, replicas=replicas)
        self.cluster.ensure(DEPLOYMENTS, wanted, manager=names.MANAGER)

    def _keep_template(self, revision: JsonObject, found: JsonObject) -> None:
        """A changed annotation reaches the template, and so rolls the pods."""
        annotations = deployment_annotations(revision, self.cluster.settings)
        wanted = pod_template(revision, self.cluster.settings)
        if found["spec"]["template"] == wanted:
            return

        def edit(obj: JsonObject) -> None:
            obj["metadata"]["annotations"] = obj["metadata"].get("annotations", {}) | annotations
            obj["spec"]["template"] = copied(wanted)

        self.cluster.change(DEPLOYMENTS, _key(found), edit, manager=names.MANAGER)

    def _autoscaler(self, revision: JsonObject) -> JsonObject | None:
        found = self.cluster.store.get(PODAUTOSCALERS, *_key(revision))
        if found is None:
            wanted = _podautoscaler(revision)
            return self.cluster.ensure(PODAUTOSCALERS, wanted, manager=names.MANAGER)
        reachability = _reachability(revision)
        syncs = self.cluster.settings.syncs_annotations

        def edit(obj: JsonObject) -> None:
            obj["spec"]["reachability"] = reachability
            if syncs:
                _sync_annotations(obj["metadata"], revision["metadata"])

        return self.cluster.change(PODAUTOSCALERS, _key(found), edit, manager=names.MANAGER)

    def _tell(self, revision: JsonObject, found: JsonObject, autoscaler: JsonObject) -> None:
        before, now = condition_status(revision, "Ready"), self.cluster.now()
        resources, health = self._verdicts(revision, found, autoscaler)

        def edit(status: JsonObject) -> None:
            active = condition(autoscaler, "Ready") or {"status": "Unknown", "reason": "Deploying"}
            copy_condition(status, "Active", active, now=now, severity="Info")
            for kind, verdict in (("ResourcesAvailable", resources), ("ContainerHealthy", health)):
                _write(status, kind, verdict, now=now)
            _write(status, "Ready", _sum_up(resources, health), now=now)
            server = revision["spec"]["containers"][0]["name"]
            status["containerStatuses"] = [{"name": server}]
            status["observedGeneration"] = revision["metadata"]["generation"]
            _copy_scale(status, autoscaler.get("status", {}))

        self.cluster.change_status(REVISIONS, _key(revision), edit, manager=names.MANAGER)
        if before != "True" and _sum_up(resources, health)[0] == "True":
            text = "Revision becomes ready upon all resources being ready"
            self.cluster.recorder.event(revision, "RevisionReady", text, source=SOURCE)

    def _verdicts(
        self, revision: JsonObject, found: JsonObject, autoscaler: JsonObject
    ) -> tuple[Verdict, Verdict]:
        """ResourcesAvailable and ContainerHealthy."""
        status = found.get("status", {})
        initialised = condition_status(autoscaler, "ScaleTargetInitialized") == "True"
        if status.get("availableReplicas", 0):
            good = ("True", "", "")
            late = self._late_verdict(revision)
            if late is not None:
                return good, late
            return (good, good) if initialised else (_deploying(), _deploying())
        resources, health = _from_deployment(revision, found, initialised=initialised)
        if resources[0] != "False" and _never_scaled(autoscaler):
            resources = ("False", "ProgressDeadlineExceeded", names.NEVER_SCALED)
        if not found["spec"]["replicas"]:
            return resources, health
        pod = self._one_pod(revision)
        if pod is not None:
            unschedulable = _unschedulable(pod)
            resources = unschedulable or resources
            health = _exit_verdict(pod, found) or health
        return resources, health

    def _late_verdict(self, revision: JsonObject) -> Verdict | None:
        """Earlier crashes of a pod that has just become ready are told once, and taken back.

        Seen on live controllers: ExitCodeN for 0.2 to 0.5 s at the moment of readiness.
        """
        pod = self._one_pod(revision)
        if pod is None or pod["metadata"]["uid"] in self._told_late:
            return None
        ended = _last_crash(pod, "lastState")
        if ended is None or condition_status(revision, "Active") == "True":
            return None
        self._told_late.append(pod["metadata"]["uid"])
        self.queue(*_key(revision), after_s=FLASH_S)
        return _exit_code(ended)

    def _one_pod(self, revision: Mapping[str, Any]) -> JsonObject | None:
        """The controller looks at one pod only."""
        uid = revision["metadata"]["uid"]
        for pod in self.cluster.store.list(PODS, revision["metadata"]["namespace"]):
            meta = pod["metadata"]
            mine = meta.get("labels", {}).get(names.REVISION_UID) == uid
            if mine and "deletionTimestamp" not in meta:
                return pod
        return None


def _deploying() -> Verdict:
    return ("Unknown", "Deploying", "")


def _never_scaled(autoscaler: Mapping[str, Any]) -> bool:
    """Given up at zero before the first replica was ready. Source: PropagateAutoscalerStatus."""
    initialised = condition_status(autoscaler, "ScaleTargetInitialized") == "True"
    served = autoscaler.get("status", {}).get("serviceName", "")
    return bool(served) and not initialised and condition_status(autoscaler, "Ready") == "False"


def _from_deployment(
    revision: JsonObject, found: JsonObject, *, initialised: bool
) -> tuple[Verdict, Verdict]:
    """Once ready a Revision stays so at zero pods; a missed deadline turns it False."""
    progressing = condition(found, "Progressing")
    if progressing is not None and progressing["status"] == "False":
        health = ("True", "", "") if initialised else _deploying()
        return ("False", progressing["reason"], progressing["message"]), health
    if initialised:
        return ("True", "", ""), ("True", "", "")
    said = condition(revision, "ContainerHealthy")
    if said is not None and said["status"] == "False":
        kept = ("False", str(said.get("reason", "")), str(said.get("message", "")))
        return _deploying(), kept
    return _deploying(), _deploying()


def _unschedulable(pod: Mapping[str, Any]) -> Verdict | None:
    scheduled = condition(pod, "PodScheduled")
    if scheduled is None or scheduled["status"] != "False":
        return None
    return ("False", str(scheduled["reason"]), str(scheduled["message"]))


def _exit_verdict(pod: Mapping[str, Any], found: Mapping[str, Any]) -> Verdict | None:
    """ExitCodeN, seen only when the Deployment's own change made the controller look."""
    progressing = condition(found, "Progressing")
    if progressing is None or progressing["status"] != "False":
        return None
    ended = _last_crash(pod, "lastState") or _last_crash(pod, "state")
    return _exit_code(ended) if ended else None


def _last_crash(pod: Mapping[str, Any], field: str) -> JsonObject | None:
    for status in pod["status"].get("containerStatuses", ()):
        ended: JsonObject | None = status[field].get("terminated")
        if ended:
            return ended
    return None


def _exit_code(ended: Mapping[str, Any]) -> Verdict:
    text = f"Container failed with: {ended.get('message', '')}"
    return ("False", f"ExitCode{ended['exitCode']}", text)


def _sum_up(resources: Verdict, health: Verdict) -> Verdict:
    for value in ("False", "Unknown"):
        for verdict in (health, resources):
            if verdict[0] == value:
                return verdict
    return ("True", "", "")


def _write(status: JsonObject, kind: str, verdict: Verdict, *, now: Any) -> None:
    value, reason, message = verdict
    set_condition(status, kind, value, now=now, reason=reason, message=message)


def _copy_scale(status: JsonObject, scale: Mapping[str, Any]) -> None:
    if "actualScale" in scale:
        status["actualReplicas"] = scale["actualScale"]
    if scale.get("desiredScale", -1) >= 0:
        status["desiredReplicas"] = scale["desiredScale"]


def _reachability(revision: Mapping[str, Any]) -> str:
    failed = any(
        condition_status(revision, kind) == "False"
        for kind in ("ResourcesAvailable", "ContainerHealthy")
    )
    state = revision["metadata"]["labels"].get(names.ROUTING_STATE)
    return "Reachable" if state == "active" and not failed else "Unreachable"


def _podautoscaler(revision: JsonObject) -> JsonObject:
    meta = revision["metadata"]
    hidden = (names.ROUTING_MODIFIED, names.ROUTES)
    annotations = {key: text for key, text in meta["annotations"].items() if key not in hidden}
    return {
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "labels": child_labels(revision),
            "annotations": annotations,
            "ownerReferences": [owner(REVISIONS, revision)],
        },
        "spec": {
            "protocolType": "http1",
            "reachability": _reachability(revision),
            "scaleTargetRef": {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "name": deployment_name(revision),
            },
        },
    }


def _sync_annotations(target: JsonObject, source: Mapping[str, Any]) -> None:
    """From 1.21 on: autoscaling annotations follow the Revision, what it lacks goes.

    Source: syncAnnotationsForKPA; class and metric are exempt.
    """
    annotations = target.setdefault("annotations", {})
    wanted = {
        key: text
        for key, text in source.get("annotations", {}).items()
        if key.startswith(names.AUTOSCALING)
    }
    for key in [each for each in annotations if each.startswith(names.AUTOSCALING)]:
        if key not in wanted and key not in (names.CLASS, names.METRIC):
            del annotations[key]
    annotations |= wanted


def _key(obj: Mapping[str, Any]) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]

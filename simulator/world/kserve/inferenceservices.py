"""The InferenceService controller: what is common to its modes.

Source: kserve/kserve pkg/controller/v1beta1/inferenceservice/controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import (
    CLUSTERSERVINGRUNTIMES,
    DEPLOYMENTS,
    INFERENCESERVICES,
    KNATIVE_SERVICES,
    PODS,
    SERVINGRUNTIMES,
)
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster, Controller
from simulator.world.kserve import knative_mode, names, standard_mode
from simulator.world.kserve.modelstatus import write_model_status
from simulator.world.recorder import Source
from simulator.world.shapes import condition_status, owner_name, readiness_moved, set_condition

SOURCE = Source("v1beta1Controllers")
FINALIZER = "inferenceservice.finalizers"


class InferenceServices(Controller):
    latency_s = 0.12

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.knative = cluster.settings.knative is not None
        self.follow_own(INFERENCESERVICES)
        self.follow(DEPLOYMENTS, lambda child: owner_name(child, "InferenceService"))
        cluster.on(PODS, self._pod_changed)
        if self.knative:
            self.follow(KNATIVE_SERVICES, lambda child: owner_name(child, "InferenceService"))

    def _pod_changed(self, event: StoreEvent) -> None:
        """Readiness and init containers; what the server's container does goes unseen."""
        meta = event.object["metadata"]
        name = meta.get("labels", {}).get(names.ISVC_LABEL)
        if name is None:
            return
        gone = event.type == "DELETED"
        if gone or readiness_moved(event.previous, event.object) or _inits_moved(event):
            self.queue(meta["namespace"], name)

    def reconcile(self, namespace: str, name: str) -> None:
        isvc = self.cluster.store.get(INFERENCESERVICES, namespace, name)
        if isvc is None:
            return
        if "deletionTimestamp" in isvc["metadata"]:
            self._finalizers(isvc, [])
            return
        self._finalizers(isvc, [FINALIZER])
        before = condition_status(isvc, "Ready")
        if names.is_stopped(isvc):
            self._stop(isvc)
        elif self._held_back(isvc):
            return
        else:
            self._reconcile_mode(isvc)
        self._say(namespace, name, before)

    def _held_back(self, isvc: JsonObject) -> bool:
        annotations = isvc["metadata"].get("annotations", {})
        held = str(annotations.get(names.DISABLE_AUTO_UPDATE, "")).lower() == "true"
        return held and condition_status(isvc, "Ready") == "True"

    def _finalizers(self, isvc: JsonObject, wanted: list[str]) -> None:
        def edit(obj: JsonObject) -> None:
            obj["metadata"]["finalizers"] = list(wanted)

        if isvc["metadata"].get("finalizers", []) != wanted:
            self.cluster.change(INFERENCESERVICES, _key(isvc), edit, manager=names.MANAGER)

    def _reconcile_mode(self, isvc: JsonObject) -> None:
        runtime = self.runtime_of(isvc)
        predictor = isvc["spec"].get("predictor") or {}
        if "model" not in predictor and not predictor.get("containers"):
            self._cannot_run(isvc, "InvalidPredictorSpec", "The predictor runs nothing")
            return
        if runtime is None and "model" in predictor:
            self._no_runtime(isvc)
            return
        if self._mode(isvc) == "Knative":
            child = knative_mode.ensure_service(self.cluster, isvc, runtime)
        else:
            child = standard_mode.ensure_objects(self.cluster, isvc, runtime)
        if child is not None:
            self._tell(isvc, child, runtime)

    def _no_runtime(self, isvc: JsonObject) -> None:
        name = isvc["spec"]["predictor"]["model"].get("runtime", "")
        if name:
            self._cannot_run(isvc, "RuntimeNotRecognized", f"Runtime not found: {name}")
        else:
            self._cannot_run(isvc, "NoSupportingRuntime", "No runtime supports this model")

    def _cannot_run(self, isvc: JsonObject, reason: str, message: str) -> None:
        now = self.cluster.now()
        failure = {"reason": reason, "message": message}

        def edit(status: JsonObject) -> None:
            for kind in ("PredictorReady", "Ready"):
                set_condition(status, kind, "False", now=now, reason=failure["reason"])
            status["modelStatus"] = {
                "copies": {"failedCopies": 0},
                "states": {"activeModelState": "", "targetModelState": "FailedToLoad"},
                "transitionStatus": "InvalidSpec",
                "lastFailureInfo": failure,
            }

        self.cluster.change_status(INFERENCESERVICES, _key(isvc), edit, manager=names.MANAGER)

    def _mode(self, isvc: JsonObject) -> str:
        """Status first, then the annotation, then the cluster's default."""
        annotated = isvc["metadata"].get("annotations", {}).get(names.MODE)
        default = "Knative" if self.knative else "Standard"
        mode = isvc.get("status", {}).get("deploymentMode") or annotated or default
        return "Knative" if mode in names.KNATIVE_MODES else "Standard"

    def runtime_of(self, isvc: Mapping[str, Any]) -> JsonObject | None:
        name = (isvc["spec"].get("predictor") or {}).get("model", {}).get("runtime")
        if not name:
            return None
        namespaced = self.cluster.store.get(SERVINGRUNTIMES, isvc["metadata"]["namespace"], name)
        return namespaced or self.cluster.store.get(CLUSTERSERVINGRUNTIMES, None, name)

    def _tell(self, isvc: JsonObject, child: JsonObject, runtime: JsonObject | None) -> None:
        now = self.cluster.now()
        pods = self._pods(isvc)
        mode = self._mode(isvc)

        def edit(status: JsonObject) -> None:
            status["deploymentMode"] = mode
            if runtime is not None:
                status["clusterServingRuntimeName"] = runtime["metadata"]["name"]
            if mode == "Knative":
                knative_mode.write_status(status, child, now=now)
            else:
                standard_mode.write_status(status, isvc, child, self.cluster.settings, now=now)
            set_condition(status, "Stopped", "False", now=now, severity="Info")
            write_model_status(status, pods)

        self.cluster.change_status(INFERENCESERVICES, _key(isvc), edit, manager=names.MANAGER)

    def _pods(self, isvc: Mapping[str, Any]) -> list[JsonObject]:
        namespace, name = _key(isvc)
        return [
            pod
            for pod in self.cluster.store.list(PODS, namespace)
            if pod["metadata"].get("labels", {}).get(names.ISVC_LABEL) == name
            and "deletionTimestamp" not in pod["metadata"]
        ]

    def _stop(self, isvc: JsonObject) -> None:
        """The children go, and with them all revisions."""
        namespace, name = _key(isvc)
        if self.knative:
            self.cluster.remove(KNATIVE_SERVICES, (namespace, f"{name}-predictor"))
        standard_mode.remove_objects(self.cluster, namespace, name)
        now = self.cluster.now()

        def edit(status: JsonObject) -> None:
            status["conditions"] = []
            for kind in ("PredictorReady", "IngressReady", "Ready"):
                set_condition(status, kind, "False", now=now, reason="Stopped")
            set_condition(status, "Stopped", "True", now=now, severity="Info")
            status["components"] = {}
            status.pop("modelStatus", None)

        if condition_status(isvc, "Stopped") != "True":
            self.cluster.change_status(INFERENCESERVICES, _key(isvc), edit, manager=names.MANAGER)

    def _say(self, namespace: str, name: str, before: str) -> None:
        isvc = self.cluster.store.get(INFERENCESERVICES, namespace, name)
        if isvc is None:
            return
        after = condition_status(isvc, "Ready")
        say = self.cluster.recorder.event
        if after == "True" and before != "True":
            text = f"InferenceService [{name}] is Ready"
            say(isvc, "InferenceServiceReady", text, source=SOURCE)
        elif after == "False" and before == "True":
            blamed = [
                kind
                for kind in ("PredictorReady", "IngressReady")
                if condition_status(isvc, kind) != "True"
            ]
            text = f"InferenceService [{name}] is no longer Ready because of: {', '.join(blamed)}"
            say(isvc, "InferenceServiceNotReady", text, source=SOURCE, kind="Warning")


def _key(obj: Mapping[str, Any]) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def _inits_moved(event: StoreEvent) -> bool:
    before = event.previous or {}
    field = "initContainerStatuses"
    return bool(before.get("status", {}).get(field) != event.object["status"].get(field))

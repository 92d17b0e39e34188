"""Knative Configuration: one Revision for each generation of its template.

Source: knative/serving pkg/reconciler/configuration, configuration_lifecycle.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import CONFIGURATIONS, REVISIONS
from simulator.world.cluster import Cluster, Controller
from simulator.world.knative import names
from simulator.world.recorder import Source
from simulator.world.shapes import (
    condition,
    condition_status,
    owner,
    owner_name,
    set_condition,
    stamp,
)

SOURCE = Source("configuration-controller")
# Source: knative/serving config-gc, min-non-active-revisions.
KEPT_REVISIONS = 20


class Configurations(Controller):
    latency_s = 0.08

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(CONFIGURATIONS)
        self.follow(REVISIONS, lambda revision: owner_name(revision, "Configuration"))

    def reconcile(self, namespace: str, name: str) -> None:
        configuration = self.cluster.store.get(CONFIGURATIONS, namespace, name)
        if configuration is None:
            return
        created = revision_name(configuration)
        revision = self.cluster.store.get(REVISIONS, namespace, created)
        if revision is None:
            revision = self._create(configuration, created)
        if revision is not None:
            self._tell(configuration, revision)

    def _create(self, configuration: JsonObject, name: str) -> JsonObject | None:
        template = configuration["spec"]["template"]
        revision = {
            "metadata": self._metadata(configuration, name),
            "spec": copied(template["spec"]),
        }
        made = self.cluster.ensure(REVISIONS, revision, manager=names.MANAGER)
        text = f'Created Revision "{name}"'
        self.cluster.recorder.event(configuration, "Created", text, source=SOURCE)
        self._collect(configuration)
        return made

    def _collect(self, configuration: Mapping[str, Any]) -> None:
        """Of the revisions that are neither ready last nor newest, the newest are kept."""
        meta = configuration["metadata"]
        ready = configuration.get("status", {}).get("latestReadyRevisionName")
        old = sorted(
            revision["metadata"]["name"]
            for revision in self.cluster.store.list(REVISIONS, meta["namespace"])
            if revision["metadata"]["labels"].get(names.CONFIGURATION) == meta["name"]
            and revision["metadata"]["name"] != ready
        )
        for name in old[:-KEPT_REVISIONS]:
            self.cluster.remove(REVISIONS, (meta["namespace"], name))

    def _metadata(self, configuration: Mapping[str, Any], name: str) -> JsonObject:
        meta, template = configuration["metadata"], configuration["spec"]["template"]["metadata"]
        labels = dict(template.get("labels", {})) | {
            names.CONFIGURATION: meta["name"],
            names.CONFIGURATION_UID: meta["uid"],
            names.GENERATION: str(meta["generation"]),
            names.ROUTING_STATE: "active",
            names.SERVICE: meta["labels"][names.SERVICE],
            names.SERVICE_UID: meta["labels"][names.SERVICE_UID],
        }
        annotations = dict(template.get("annotations", {})) | {
            names.CREATOR: "knative-controllers",
            names.ROUTES: meta["name"],
            names.ROUTING_MODIFIED: stamp(self.cluster.now()),
        }
        return {
            "name": name,
            "namespace": meta["namespace"],
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [owner(CONFIGURATIONS, configuration)],
        }

    def _tell(self, configuration: JsonObject, revision: JsonObject) -> None:
        before = condition_status(configuration, "Ready")
        latest = configuration.get("status", {}).get("latestReadyRevisionName")
        name, now = revision["metadata"]["name"], self.cluster.now()
        ready = condition(revision, "Ready") or {"status": "Unknown"}

        def edit(status: JsonObject) -> None:
            words = {}
            if ready["status"] == "False":
                text = f'Revision "{name}" failed with message: {ready.get("message", "")}.'
                words = {"reason": "RevisionFailed", "message": text}
            set_condition(status, "Ready", ready["status"], now=now, **words)
            status["latestCreatedRevisionName"] = name
            status["observedGeneration"] = configuration["metadata"]["generation"]
            if ready["status"] == "True":
                status["latestReadyRevisionName"] = name

        key = (configuration["metadata"]["namespace"], configuration["metadata"]["name"])
        self.cluster.change_status(CONFIGURATIONS, key, edit, manager=names.MANAGER)
        self._say(configuration, name, ready["status"], before=before, latest=latest)

    def _say(
        self, configuration: JsonObject, name: str, value: str, *, before: str, latest: str | None
    ) -> None:
        say = self.cluster.recorder.event
        if value == "True" and before != "True":
            say(configuration, "ConfigurationReady", "Configuration becomes ready", source=SOURCE)
        if value == "True" and latest != name:
            text = f'LatestReadyRevisionName updated to "{name}"'
            say(configuration, "LatestReadyUpdate", text, source=SOURCE)
        if value == "False":
            text = f'Latest created revision "{name}" has failed'
            say(configuration, "LatestCreatedFailed", text, source=SOURCE, kind="Warning")


def revision_name(configuration: Mapping[str, Any]) -> str:
    """Of the newest revision: the generation, five digits."""
    return f"{configuration['metadata']['name']}-{configuration['metadata']['generation']:05d}"

"""What belongs to one model, and which of it a diagnosis needs. Source: kserve/kserve
pkg/constants, knative/serving pkg/apis/serving: labels of what is made of a model."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleet.adapters.kubernetes.resources import OF_INFERENCE_SERVICE, OF_LLM_INFERENCE_SERVICE
from fleet.domain.records.keys import ModelKind

Raw = Mapping[str, Any]
PODS_AT_MOST = 20
REVISIONS_AT_MOST = 4
# Old ReplicaSets are kept by the ten.
OTHERS_AT_MOST = 12
NODES_AT_MOST = 4
# Source: kubernetes pkg/scheduler, schedule_one.go.
_ASSIGNED = re.compile(r"^Successfully assigned \S{1,600} to ([a-z0-9][a-z0-9.-]{0,252})$")


@dataclass(frozen=True, slots=True)
class Part:
    """A list of a bundle. base: where its kind is served. kind: what an item says it is when it
    does not, as items of a list do not."""

    key: str
    base: str
    plural: str
    kind: str

    @property
    def api_version(self) -> str:
        return self.base.removeprefix("/apis/").removeprefix("/api/")


_SHARED = (
    Part("deployments", "/apis/apps/v1", "deployments", "Deployment"),
    Part("replicasets", "/apis/apps/v1", "replicasets", "ReplicaSet"),
    Part(
        "horizontalpodautoscalers",
        "/apis/autoscaling/v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
    ),
    Part("pods", "/api/v1", "pods", "Pod"),
)
_KNATIVE = "/apis/serving.knative.dev/v1"
_AUTOSCALING = "/apis/autoscaling.internal.knative.dev/v1alpha1"
PARTS: Mapping[str, tuple[Part, ...]] = {
    ModelKind.INFERENCE_SERVICE: (
        Part("knativeservices", _KNATIVE, "services", "Service"),
        Part("routes", _KNATIVE, "routes", "Route"),
        Part("revisions", _KNATIVE, "revisions", "Revision"),
        Part("podautoscalers", _AUTOSCALING, "podautoscalers", "PodAutoscaler"),
        *_SHARED,
    ),
    ModelKind.LLM_INFERENCE_SERVICE: (
        Part(
            "leaderworkersets",
            "/apis/leaderworkerset.x-k8s.io/v1",
            "leaderworkersets",
            "LeaderWorkerSet",
        ),
        *_SHARED,
    ),
}
MODELS: Mapping[str, tuple[str, ...]] = {
    ModelKind.INFERENCE_SERVICE: ("/apis/serving.kserve.io/v1beta1/{}/inferenceservices",),
    ModelKind.LLM_INFERENCE_SERVICE: (
        "/apis/serving.kserve.io/v1alpha2/{}/llminferenceservices",
        "/apis/serving.kserve.io/v1alpha1/{}/llminferenceservices",
    ),
}
# Settings of controllers, where they usually run.
SETTINGS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("knative-serving",), "config-autoscaler"),
    (("knative-serving",), "config-defaults"),
    (("knative-serving",), "config-deployment"),
    (("knative-serving",), "config-features"),
    (("knative-serving",), "config-network"),
    (("knative-serving",), "config-observability"),
    (("kserve", "opendatahub", "redhat-ods-applications"), "inferenceservice-config"),
)


def selector_of(kind: str, name: str) -> str:
    """What is made of the model carries these labels."""
    if kind == ModelKind.INFERENCE_SERVICE:
        return f"{OF_INFERENCE_SERVICE}={name}"
    return f"app.kubernetes.io/name={name},{OF_LLM_INFERENCE_SERVICE}"


def name_of(raw: Raw) -> str:
    return str(within(raw, "metadata").get("name", ""))


def within(raw: Any, *path: str) -> Raw:
    """The object at a path, empty if there is none."""
    for key in path:
        raw = raw.get(key) if isinstance(raw, Mapping) else None
    return raw if isinstance(raw, Mapping) else {}


def rows(raw: Raw, key: str) -> list[Raw]:
    """The objects of a list in an object, empty if there is none."""
    found = raw.get(key)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def newest_first(items: Iterable[Raw]) -> list[Raw]:
    return sorted(
        items,
        key=lambda item: str(within(item, "metadata").get("creationTimestamp", "")),
        reverse=True,
    )


def chosen_revisions(revisions: Sequence[Raw], services: Sequence[Raw]) -> list[Raw]:
    """Those in traffic and the newest one: the newest first."""
    wanted = {
        str(target.get("revisionName"))
        for service in services
        for target in rows(within(service, "status"), "traffic")
    }
    ordered = newest_first(revisions)
    kept = [each for each in ordered if name_of(each) in wanted or each is ordered[0]]
    return kept[:REVISIONS_AT_MOST]


def of_revisions(items: Sequence[Raw], revisions: Sequence[Raw]) -> list[Raw]:
    """Those that carry one of the revisions' names, or none at all: the newest first."""
    names = {name_of(each) for each in revisions}
    label = "serving.knative.dev/revision"
    kept = [
        item
        for item in newest_first(items)
        if not names or within(item, "metadata", "labels").get(label, next(iter(names))) in names
    ]
    return kept[:OTHERS_AT_MOST]


def living(items: Sequence[Raw]) -> list[Raw]:
    """ReplicaSets that want or have pods, and the newest one."""
    ordered = newest_first(items)
    kept = [
        item
        for item in ordered
        if item is ordered[0]
        or within(item, "spec").get("replicas")
        or within(item, "status").get("replicas")
    ]
    return kept[:OTHERS_AT_MOST]


def worst_pods(pods: Sequence[Raw]) -> list[Raw]:
    """Those that do not serve first, the young before the old."""
    return sorted(newest_first(pods), key=is_ready)[:PODS_AT_MOST]


def nodes_of(pods: Sequence[Raw], events: Sequence[Raw]) -> list[str]:
    """Where the model runs, and where its newest pods ran that are gone."""
    here = [str(within(pod, "spec").get("nodeName") or "") for pod in pods]
    said = [_ASSIGNED.search(str(event.get("message", ""))) for event in reversed(events)]
    names = [*here, *(found[1] for found in said if found is not None)]
    return [name for name in dict.fromkeys(names) if name][:NODES_AT_MOST]


def is_ready(pod: Raw) -> bool:
    conditions = rows(within(pod, "status"), "conditions")
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def restarts(pod: Raw, container: str) -> int:
    """How often that container, of either sort, was started again."""
    status = within(pod, "status")
    for key in ("initContainerStatuses", "containerStatuses"):
        for each in rows(status, key):
            if each.get("name") == container:
                count = each.get("restartCount")
                return count if isinstance(count, int) else 0
    return 0


def containers(pod: Raw) -> list[str]:
    """Names: first those that run before the server."""
    spec = within(pod, "spec")
    found = [*rows(spec, "initContainers"), *rows(spec, "containers")]
    return [str(each["name"]) for each in found if "name" in each]

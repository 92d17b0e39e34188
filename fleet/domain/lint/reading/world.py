"""The objects that were given, found again by what they belong to."""

import json
from collections.abc import Iterable, Iterator, Mapping

from fleet.domain.lint.reading.raw import Raw, listed, mapping, text, texts, under

MODEL_LABEL = "serving.kserve.io/inferenceservice"
LLM_LABEL = "app.kubernetes.io/name"
REVISION_LABEL = "serving.knative.dev/revision"
MODEL_KINDS = ("InferenceService", "LLMInferenceService")
CONTROL_PLANES = ("knative-serving", "kserve")
OBJECTS_AT_MOST = 20_000


class World:
    """Objects by kind."""

    def __init__(self, objects: Iterable[object]) -> None:
        self._by_kind: dict[str, list[Raw]] = {}
        for at, raw in enumerate(flat(objects)):
            if at >= OBJECTS_AT_MOST:
                break
            self._by_kind.setdefault(text(raw.get("kind")), []).append(raw)

    def models(self) -> Iterator[Raw]:
        """InferenceServices, then LLMInferenceServices, as given."""
        for kind in MODEL_KINDS:
            yield from self._by_kind.get(kind, ())

    def config(self, name: str) -> Raw | None:
        """`data` of a ConfigMap, without its example; None if it was not given."""
        raw = self.config_map(name)
        return None if raw is None else texts(raw.get("data"))

    def config_map(self, name: str) -> Raw | None:
        """The control planes' own before one of the same name elsewhere."""
        named = [raw for raw in self._of("ConfigMap") if name_of(raw) == name]
        own = (raw for raw in named if namespace_of(raw) in CONTROL_PLANES)
        return next(own, next(iter(named), None))

    def config_part(self, name: str, key: str) -> Raw | None:
        """JSON below one key of a ConfigMap; None if it was not given or is no JSON."""
        data = self.config(name)
        if data is None:
            return None
        try:
            return mapping(json.loads(str(data.get(key, "{}"))))
        except (ValueError, RecursionError):
            return None

    def runtime(self, name: str, namespace: str) -> Raw | None:
        """The namespace's own comes before the cluster's."""
        own = (raw for raw in self._of("ServingRuntime") if namespace_of(raw) == namespace)
        for raw in (*own, *self._of("ClusterServingRuntime")):
            if name and name_of(raw) == name:
                return raw
        return None

    def revision(self, model: Raw) -> Raw | None:
        """The Knative Revision made last of those that carry the model's label."""
        wanted = text(
            under(model, "status", "components", "predictor").get("latestCreatedRevision")
        )
        own = [raw for raw in self._of("Revision") if _labelled(raw, MODEL_LABEL, model)]
        own = [raw for raw in own if label_of(raw, "component") in ("", "predictor")]
        named = [raw for raw in own if name_of(raw) == wanted]
        return max(named or own, key=name_of, default=None)

    def autoscaler(self, revision: Raw) -> Raw | None:
        """The PodAutoscaler of a Revision bears its name.
        Source: knative/serving pkg/reconciler/revision/resources/pa.go."""
        near = self._near("PodAutoscaler", revision)
        return next((raw for raw in near if name_of(raw) == name_of(revision)), None)

    def deployment(self, model: Raw, revision: Raw | None) -> Raw | None:
        """What runs the model: of the Revision, where there is one."""
        key = LLM_LABEL if text(model.get("kind")) == MODEL_KINDS[1] else MODEL_LABEL
        own = [raw for raw in self._of("Deployment") if _labelled(raw, key, model)]
        own = [raw for raw in own if not _beside(raw)]
        if revision is not None:
            own = [raw for raw in own if label_of(raw, REVISION_LABEL) == name_of(revision)]
        return max(own, key=name_of, default=None)

    def routes(self, model: Raw) -> list[Raw]:
        """HTTPRoutes named after an InferenceService.
        Source: kserve pkg/controller/v1beta1/inferenceservice/reconcilers/ingress."""
        names = {name_of(model), f"{name_of(model)}-predictor"}
        return [raw for raw in self._near("HTTPRoute", model) if name_of(raw) in names]

    def cron_jobs(self) -> list[Raw]:
        return self._of("CronJob")

    def namespace(self, name: str) -> Raw:
        return next((raw for raw in self._of("Namespace") if name_of(raw) == name), {})

    def _near(self, kind: str, model: Raw) -> list[Raw]:
        return [raw for raw in self._of(kind) if namespace_of(raw) == namespace_of(model)]

    def _of(self, kind: str) -> list[Raw]:
        return self._by_kind.get(kind, [])


def flat(objects: Iterable[object]) -> Iterator[Raw]:
    """Objects, those in lists and those under the keys of a bundle."""
    for raw in objects:
        if not isinstance(raw, Mapping):
            continue
        kind = text(raw.get("kind"))
        if kind.endswith("List") and isinstance(raw.get("items"), list):
            yield from _items(raw, kind)
        elif kind:
            yield raw
        else:
            yield from _bundled(raw)


def _items(raw: Raw, kind: str) -> Iterator[Raw]:
    """Items of a typed list carry neither kind nor version of their own."""
    told = {"kind": kind.removesuffix("List"), "apiVersion": raw.get("apiVersion")}
    for item in raw["items"]:
        if isinstance(item, Mapping) and (item.get("kind") or told["kind"]):
            yield item if item.get("kind") else {**told, **item}


def _bundled(raw: Raw) -> Iterator[Raw]:
    for value in raw.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Mapping) and text(item.get("kind")):
                yield from flat([item]) if text(item["kind"]) == "List" else [item]


def name_of(raw: Raw) -> str:
    return text(under(raw, "metadata").get("name"))


def namespace_of(raw: Raw) -> str:
    """Of a file that names none, kubectl's own: default."""
    return text(under(raw, "metadata").get("namespace")) or "default"


def label_of(raw: Raw, key: str) -> str:
    return text(under(raw, "metadata", "labels").get(key))


def owners(raw: Raw) -> list[Raw]:
    return listed(under(raw, "metadata").get("ownerReferences"))


def _labelled(raw: Raw, key: str, model: Raw) -> bool:
    near = namespace_of(raw) == namespace_of(model)
    return near and label_of(raw, key) == name_of(model) != ""


def _beside(raw: Raw) -> bool:
    """A Deployment of the model's that serves no requests of its own: transformer, scheduler,
    prefill."""
    role = label_of(raw, "llm-d.ai/role")
    part = label_of(raw, "component") or label_of(raw, "app.kubernetes.io/component")
    served = ("", "predictor", "llminferenceservice-workload")
    return role == "prefill" or part not in served

"""Who is who: models by key and uid, Kubernetes resources by name."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from fleet.errors import BadInput


class ModelKind(StrEnum):
    """The two KServe kinds that serve vLLM."""

    INFERENCE_SERVICE = "InferenceService"
    LLM_INFERENCE_SERVICE = "LLMInferenceService"


class Mode(StrEnum):
    """How a model is deployed. `Serverless` and `RawDeployment` are the old names of the first
    two."""

    KNATIVE = "Knative"
    STANDARD = "Standard"
    LLM = "LLMInferenceService"


class Resource(StrEnum):
    """What a follower lists and watches. The value is the plural, qualified where two groups
    share it."""

    INFERENCE_SERVICES = "inferenceservices"
    LLM_INFERENCE_SERVICES = "llminferenceservices"
    SERVING_RUNTIMES = "servingruntimes"
    CLUSTER_SERVING_RUNTIMES = "clusterservingruntimes"
    REVISIONS = "revisions"
    POD_AUTOSCALERS = "podautoscalers"
    DEPLOYMENTS = "deployments"
    REPLICA_SETS = "replicasets"
    LEADER_WORKER_SETS = "leaderworkersets"
    HORIZONTAL_POD_AUTOSCALERS = "horizontalpodautoscalers"
    PODS = "pods"
    EVENTS = "events"
    NODES = "nodes"
    NAMESPACES = "namespaces"


@dataclass(frozen=True, slots=True, order=True)
class ModelKey:
    """The name of a model: `cluster/kind/namespace/name`. Names are reused; the uid is the
    identity."""

    cluster: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.cluster}/{self.kind}/{self.namespace}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises BadInput unless the text has exactly four non-empty parts and a known kind."""
        parts = text.split("/")
        if len(parts) != 4 or not all(parts):
            raise BadInput(f"model key {text[:200]!r} is not cluster/kind/namespace/name")
        if parts[1] not in set(ModelKind):
            raise BadInput(f"kind {parts[1][:80]!r} is not one of {', '.join(ModelKind)}")
        return cls(*parts)

"""Names of the objects that actions read and write: `apiVersion/Kind/namespace/name`."""

from dataclasses import dataclass
from typing import Self

from fleet.errors import BadInput

# Group -> kinds -> plural: a closed list, so that no plan can reach anything else.
PLURALS = {
    ("serving.kserve.io", "InferenceService"): "inferenceservices",
    ("serving.kserve.io", "LLMInferenceService"): "llminferenceservices",
    ("serving.knative.dev", "Revision"): "revisions",
    ("autoscaling.internal.knative.dev", "PodAutoscaler"): "podautoscalers",
    ("apps", "Deployment"): "deployments",
}
# Deployments are read for evidence; writing one by hand is undone at the next reconcile.
READ_ONLY_KINDS = frozenset({"Deployment"})


@dataclass(frozen=True, slots=True)
class ObjectName:
    """One object of a cluster."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.api_version}/{self.kind}/{self.namespace}/{self.name}"

    @property
    def group(self) -> str:
        return self.api_version.partition("/")[0]

    @property
    def plural(self) -> str:
        """Raises BadInput for a kind that actions have no business with."""
        plural = PLURALS.get((self.group, self.kind))
        if plural is None:
            raise BadInput(f"{self.group}/{self.kind} is not a kind that actions touch")
        return plural

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises BadInput unless the text is group/version/Kind/namespace/name of a known kind."""
        found = text.split("/")
        if len(found) != 5 or not all(found):
            raise BadInput(f"object {text[:200]!r} is not group/version/Kind/namespace/name")
        group, version, kind, namespace, name = found
        parsed = cls(f"{group}/{version}", kind, namespace, name)
        _ = parsed.plural
        return parsed


def inference_service(namespace: str, name: str) -> str:
    return str(ObjectName("serving.kserve.io/v1beta1", "InferenceService", namespace, name))


def llm_inference_service(namespace: str, name: str, *, api_version: str) -> str:
    """api_version: as served here (v1alpha1 up to KServe 0.16, v1alpha2 later)."""
    return str(ObjectName(api_version, "LLMInferenceService", namespace, name))


def knative_revision(namespace: str, name: str) -> str:
    return str(ObjectName("serving.knative.dev/v1", "Revision", namespace, name))


def pod_autoscaler(namespace: str, name: str) -> str:
    """A PodAutoscaler bears the name of its Revision. Source: knative/serving
    pkg/reconciler/revision/resources/pa.go."""
    api_version = "autoscaling.internal.knative.dev/v1alpha1"
    return str(ObjectName(api_version, "PodAutoscaler", namespace, name))


def deployment(namespace: str, name: str) -> str:
    return str(ObjectName("apps/v1", "Deployment", namespace, name))

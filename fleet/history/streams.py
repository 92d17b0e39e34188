"""The streams a cluster is followed by, and how far each came."""

from dataclasses import dataclass
from datetime import datetime

from fleet.domain.records.keys import Resource


@dataclass(frozen=True, slots=True, order=True)
class Stream:
    """One list and watch: a resource, narrowed to a namespace and to a kind of model ("" = all)."""

    resource: Resource
    namespace: str = ""
    model_kind: str = ""

    @property
    def name(self) -> str:
        """As rows and pages name it: "pods/LLMInferenceService"."""
        return f"{self.resource}/{self.model_kind}" if self.model_kind else self.resource.value

    @classmethod
    def named(cls, name: str, namespace: str) -> "Stream":
        """Back from `name`; raises ValueError for a resource that is not followed any more."""
        resource, _, model_kind = name.partition("/")
        return cls(Resource(resource), namespace, model_kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """How far a stream came, and when it was last in step with the cluster."""

    resource_version: str
    in_step_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Blind:
    """Nothing was watched on a stream between `since` and `until`. why: a code."""

    stream: Stream
    since: datetime
    until: datetime
    why: str

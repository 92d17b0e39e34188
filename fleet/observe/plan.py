"""Which streams follow a cluster, given what it serves and what we may read."""

from collections.abc import Iterable, Sequence

from fleet.domain.records.keys import ModelKind, Resource
from fleet.history.streams import Stream
from fleet.ports import ClusterFacts, Served

# Narrowed to one kind of model a stream: no one label selects what belongs to either kind.
BY_MODEL_KIND = frozenset({Resource.PODS, Resource.DEPLOYMENTS, Resource.REPLICA_SETS})
WITHOUT_NAMESPACE = frozenset(
    {Resource.NODES, Resource.NAMESPACES, Resource.CLUSTER_SERVING_RUNTIMES}
)
KINDS: dict[Resource, ModelKind] = {
    Resource.INFERENCE_SERVICES: ModelKind.INFERENCE_SERVICE,
    Resource.LLM_INFERENCE_SERVICES: ModelKind.LLM_INFERENCE_SERVICE,
}


def streams_for(facts: ClusterFacts, *, namespaces: Sequence[str] = ()) -> tuple[Stream, ...]:
    """A stream for each resource that is served and may be read, in the order of `Resource`.

    namespaces: () = all of them by one stream; else one stream each, where the resource has any.
    """
    served = {s.resource for s in facts.served}
    kinds = [kind.value for resource, kind in KINDS.items() if resource in served]
    readable = sorted(_readable(facts.served), key=list(Resource).index)
    return tuple(
        Stream(resource, namespace, kind)
        for resource in readable
        for namespace in _namespaces(resource, namespaces)
        for kind in (kinds if resource in BY_MODEL_KIND else [""])
    )


def _readable(served: Iterable[Served]) -> list[Resource]:
    return [s.resource for s in served if s.allowed]


def _namespaces(resource: Resource, namespaces: Sequence[str]) -> Sequence[str]:
    return ("",) if resource in WITHOUT_NAMESPACE or not namespaces else namespaces

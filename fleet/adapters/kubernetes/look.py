"""A look at a cluster: what it serves, what our account may read, which versions run."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from fleet.adapters.kubernetes.access import Right, may
from fleet.adapters.kubernetes.client import Client
from fleet.adapters.kubernetes.costs import COSTS, OPTIONAL, rights_to_read
from fleet.adapters.kubernetes.resources import PLACES
from fleet.adapters.kubernetes.versions import (
    knative_version,
    kserve_version,
    kubernetes_version,
)
from fleet.domain.records.keys import Resource
from fleet.ports import ClusterFacts, Served

QUESTIONS_AT_ONCE = 6


def facts(
    client: Client, served: Mapping[Resource, str], *, namespaces: Sequence[str]
) -> ClusterFacts:
    """Everything that a test of the connection tells; raises fleet.errors when it cannot."""
    within = tuple(namespaces) or ("",)
    needed = {r: [q for n in within for q in rights_to_read(r, namespace=n)] for r in served}
    wanted = [right for rights in needed.values() for right in rights]
    granted = _granted(client, [*wanted, *OPTIONAL])
    readable = {r: all(granted[q] for q in rights) for r, rights in needed.items()}
    return ClusterFacts(
        kubernetes=kubernetes_version(client),
        kserve=kserve_version(client),
        knative=knative_version(client),
        served=tuple(_served(r, version, readable) for r, version in served.items()),
        missing=(*_missing(readable), *_missing_extras(granted)),
    )


def _granted(client: Client, rights: Iterable[Right]) -> dict[Right, bool]:
    asked = list(dict.fromkeys(rights))
    with ThreadPoolExecutor(QUESTIONS_AT_ONCE, thread_name_prefix="look") as pool:
        return dict(zip(asked, pool.map(lambda right: may(client, right), asked), strict=True))


def _served(resource: Resource, version: str, readable: Mapping[Resource, bool]) -> Served:
    group = PLACES[resource].group
    api_version = f"{group}/{version}" if group else version
    return Served(resource=resource, api_version=api_version, allowed=readable[resource])


def _missing(readable: Mapping[Resource, bool]) -> list[tuple[str, str]]:
    denied = (resource for resource, allowed in readable.items() if not allowed)
    return [(rights_to_read(resource)[0].name, COSTS[resource]) for resource in denied]


def _missing_extras(granted: Mapping[Right, bool]) -> list[tuple[str, str]]:
    return [(right.name, costs) for right, costs in OPTIONAL.items() if not granted[right]]

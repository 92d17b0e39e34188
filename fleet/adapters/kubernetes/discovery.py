"""What a cluster serves: one request on servers that aggregate, one per group on older ones."""

import contextlib
from collections.abc import Iterable

import msgspec

from fleet.adapters.kubernetes.client import Client, decoded
from fleet.adapters.kubernetes.resources import PLACES, Place
from fleet.domain.records.keys import Resource
from fleet.errors import ClusterRefused

AGGREGATED = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
)


class Named(msgspec.Struct):
    """metadata.name."""

    name: str = ""


class AggregatedResource(msgspec.Struct):
    """APIResourceDiscovery."""

    resource: str


class AggregatedVersion(msgspec.Struct):
    """APIVersionDiscovery."""

    version: str
    resources: list[AggregatedResource] = []


class AggregatedGroup(msgspec.Struct):
    """APIGroupDiscovery."""

    metadata: Named
    versions: list[AggregatedVersion] = []


class GroupVersion(msgspec.Struct):
    """GroupVersionForDiscovery."""

    version: str


class Group(msgspec.Struct):
    """APIGroup."""

    name: str
    versions: list[GroupVersion] = []


class Groups(msgspec.Struct):
    """Either form of the answer to GET /apis: `items` if aggregated, `groups` if not."""

    items: list[AggregatedGroup] | None = None
    groups: list[Group] | None = None


class ResourceName(msgspec.Struct):
    """APIResource."""

    name: str


class ResourceList(msgspec.Struct):
    """APIResourceList."""

    resources: list[ResourceName] = []


_groups = msgspec.json.Decoder(Groups)
_resources = msgspec.json.Decoder(ResourceList)

# (group, version) -> plurals
Catalogue = dict[tuple[str, str], frozenset[str]]


def served_versions(client: Client) -> dict[Resource, str]:
    """The version under which we read each resource that is served; core resources always are."""
    catalogue = _catalogue(client)
    found = {resource: _best(place, catalogue) for resource, place in PLACES.items()}
    return {resource: version for resource, version in found.items() if version}


def _best(place: Place, catalogue: Catalogue) -> str:
    if not place.group:
        return place.versions[0]
    served = (v for v in place.versions if place.plural in catalogue.get((place.group, v), ()))
    return next(served, "")


def _catalogue(client: Client) -> Catalogue:
    answer: Groups = decoded("GET /apis", client.get("/apis", accept=AGGREGATED), _groups)
    if answer.items is not None:
        return {
            (group.metadata.name, version.version): frozenset(r.resource for r in version.resources)
            for group in answer.items
            for version in group.versions
        }
    return _legacy(client, answer.groups or [])


def _legacy(client: Client, groups: Iterable[Group]) -> Catalogue:
    """One request for each group version that we read. A group whose API is broken is left out."""
    wanted = {(p.group, v) for p in PLACES.values() for v in p.versions if p.group}
    found: Catalogue = {}
    for group in groups:
        for version in (v.version for v in group.versions if (group.name, v.version) in wanted):
            path = f"/apis/{group.name}/{version}"
            with contextlib.suppress(ClusterRefused):
                listed: ResourceList = decoded(f"GET {path}", client.get(path), _resources)
                found[group.name, version] = frozenset(r.name for r in listed.resources)
    return found

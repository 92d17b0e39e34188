"""What is served: aggregated and legacy discovery, the version, the health pages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from simulator.api.served import Catalogue, Served
from simulator.store.json_values import JsonObject
from simulator.store.versions import encoded

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_SUBRESOURCE_VERBS = ["get", "patch", "update"]
_POD_ONLY = (("log", ["get"]), ("proxy", ["create", "delete", "get", "patch", "update"]))
# Reviews are made, never stored: kind and group by plural.
REVIEWS = {
    "selfsubjectaccessreviews": ("authorization.k8s.io", "SelfSubjectAccessReview"),
    "selfsubjectrulesreviews": ("authorization.k8s.io", "SelfSubjectRulesReview"),
    "selfsubjectreviews": ("authentication.k8s.io", "SelfSubjectReview"),
}
HEALTH_PATHS = ("/healthz", "/livez", "/readyz")


def version_info(kubernetes: str) -> JsonObject:
    """The body of /version for "1.36.2"."""
    major, minor, *_ = kubernetes.split(".")
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(int(minor) - 1),
        "gitVersion": f"v{kubernetes}",
        "gitCommit": "simulated",
        "gitTreeState": "",
        "buildDate": "2026-08-21T00:00:00Z",
        "goVersion": "go1.26.4",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def health(*, verbose: bool, path: str) -> str:
    """The text of a health page that is well."""
    name = path.strip("/")
    return f"[+]ping ok\n[+]etcd ok\n{name} check passed\n" if verbose else "ok"


def aggregated(catalogue: Catalogue, *, core: bool) -> JsonObject:
    """APIGroupDiscoveryList of the core group or of all others."""
    groups = {name: held for name, held in catalogue.groups().items() if core == (name == "")}
    items = [_group_discovery(name, versions) for name, versions in groups.items()]
    if not core:
        items += [_review_discovery(group) for group in _review_groups()]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def etag(body: JsonObject) -> str:
    """The ETag of a discovery document."""
    return f'"{hashlib.sha512(encoded(body)).hexdigest().upper()}"'


def _group_discovery(name: str, versions: dict[str, list[Served]]) -> JsonObject:
    return {
        "metadata": {"name": name} if name else {},
        "versions": [
            {
                "version": version,
                "resources": [_resource_discovery(each) for each in served],
                "freshness": "Current",
            }
            for version, served in versions.items()
        ],
    }


def _kind_of(served: Served) -> JsonObject:
    """Built-in kinds leave group and version to the path."""
    shown = served.shown
    group, version = (shown.group, shown.version) if shown.custom else ("", "")
    return {"group": group, "version": version, "kind": shown.kind}


def _resource_discovery(served: Served) -> JsonObject:
    shown = served.shown
    found: JsonObject = {
        "resource": shown.plural,
        "responseKind": _kind_of(served),
        "scope": "Namespaced" if shown.namespaced else "Cluster",
        "singularResource": shown.singular,
        "verbs": list(shown.verbs),
    }
    if shown.short_names:
        found["shortNames"] = list(shown.short_names)
    if shown.categories:
        found["categories"] = list(shown.categories)
    subresources = [_subresource_discovery(served, each) for each in _subresources(served)]
    return found | ({"subresources": subresources} if subresources else {})


def _subresources(served: Served) -> list[tuple[str, list[str]]]:
    found = [(name, _SUBRESOURCE_VERBS) for name in served.shown.subresources]
    pods = served.shown.plural == "pods" and not served.shown.custom
    return sorted([*_POD_ONLY, *found]) if pods else found


def _subresource_discovery(served: Served, subresource: tuple[str, list[str]]) -> JsonObject:
    name, verbs = subresource
    kind = _kind_of(served)
    if name == "scale":
        kind = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    return {"subresource": name, "responseKind": kind, "verbs": list(verbs)}


def _review_groups() -> list[str]:
    return sorted({group for group, _ in REVIEWS.values()}, reverse=True)


def _review_discovery(group: str) -> JsonObject:
    resources = [
        {
            "resource": plural,
            "responseKind": {"group": "", "version": "", "kind": kind},
            "scope": "Cluster",
            "singularResource": kind.lower(),
            "verbs": ["create"],
        }
        for plural, (held_by, kind) in REVIEWS.items()
        if held_by == group
    ]
    version = {"version": "v1", "resources": resources, "freshness": "Current"}
    return {"metadata": {"name": group}, "versions": [version]}


def core_versions(address: str) -> JsonObject:
    """Legacy discovery of the core group. address: "host:port"."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def group_list(catalogue: Catalogue) -> JsonObject:
    """Legacy discovery of all other groups."""
    groups = {name: list(held) for name, held in catalogue.groups().items() if name}
    groups |= {name: ["v1"] for name in _review_groups()}
    return {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [_legacy_group(name, versions) for name, versions in groups.items()],
    }


def one_group(catalogue: Catalogue, name: str) -> JsonObject | None:
    """Legacy discovery of one group; None when it is not served."""
    found = group_list(catalogue)["groups"]
    group = next((each for each in found if each["name"] == name), None)
    return None if group is None else {"kind": "APIGroup", "apiVersion": "v1"} | group


def _legacy_group(name: str, versions: Sequence[str]) -> JsonObject:
    listed = [{"groupVersion": f"{name}/{each}", "version": each} for each in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def resource_list(catalogue: Catalogue, group: str, version: str) -> JsonObject | None:
    """Legacy discovery of one group version; None when it is not served."""
    held = catalogue.groups().get(group, {}).get(version)
    if held is not None:
        resources = [each for served in held for each in _legacy_resources(served)]
    elif group in _review_groups() and version == "v1":
        resources = _legacy_reviews(group)
    else:
        return None
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group}/{version}" if group else version,
        "resources": resources,
    }


def _legacy_resources(served: Served) -> list[JsonObject]:
    shown = served.shown
    first: JsonObject = {
        "name": shown.plural,
        "singularName": shown.singular,
        "namespaced": shown.namespaced,
        "kind": shown.kind,
        "verbs": list(shown.verbs),
    }
    if shown.short_names:
        first["shortNames"] = list(shown.short_names)
    if shown.categories:
        first["categories"] = list(shown.categories)
    below = [
        {
            "name": f"{shown.plural}/{name}",
            "singularName": "",
            "namespaced": shown.namespaced,
            "kind": "Scale" if name == "scale" else shown.kind,
            "verbs": list(verbs),
        }
        | ({"group": "autoscaling", "version": "v1"} if name == "scale" else {})
        for name, verbs in _subresources(served)
    ]
    return [first, *below]


def _legacy_reviews(group: str) -> list[JsonObject]:
    return [
        {
            "name": plural,
            "singularName": kind.lower(),
            "namespaced": False,
            "kind": kind,
            "verbs": ["create"],
        }
        for plural, (held_by, kind) in REVIEWS.items()
        if held_by == group
    ]

"""What a request's path names. Source: kubernetes apiserver pkg/endpoints/request."""

from __future__ import annotations

from dataclasses import dataclass

_OF_NAMESPACES = ("status", "finalize")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A resource path in parts. namespace None: none in the path. rest: behind a proxy."""

    group: str
    version: str
    plural: str
    namespace: str | None = None
    name: str = ""
    subresource: str = ""
    rest: str = ""


def target_of(path: str) -> Target | None:
    """The target of "/api/v1/..." or "/apis/<group>/<version>/...", None for other paths."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:
        return _target("", parts[1], parts[2:])
    if parts[0] == "apis" and len(parts) > 3:
        return _target(parts[1], parts[2], parts[3:])
    return None


def _target(group: str, version: str, parts: list[str]) -> Target:
    namespace = None
    if parts[0] == "namespaces" and len(parts) > 2 and parts[2] not in _OF_NAMESPACES:
        namespace, parts = parts[1], parts[2:]
    elif parts[0] == "namespaces" and len(parts) > 1:
        namespace = parts[1]
    plural, name, subresource, *rest = [*parts, "", ""][: max(3, len(parts))]
    return Target(
        group=group,
        version=version,
        plural=plural,
        namespace=namespace,
        name=name,
        subresource=subresource,
        rest="/".join(rest),
    )

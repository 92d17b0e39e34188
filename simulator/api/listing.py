"""Lists: pages of one consistent state. Source: recorded exchanges in tests/fixtures/http."""

from __future__ import annotations

import base64
import binascii
import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.api.selectors import Predicate, bad_request, selector
from simulator.api.served import Served
from simulator.store.errors import Expired, Invalid, StatusError
from simulator.store.store import Store
from simulator.store.versions import Version

_CONTINUE_EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list."
)
INCONSISTENT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What a list or watch asks for. limit 0: all. resource_version "": none given."""

    namespace: str | None
    matches: Predicate | None
    limit: int = 0
    token: str = ""
    resource_version: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """token "": the last page. remaining None: not told (a selector was given)."""

    versions: list[Version]
    resource_version: int
    token: str = ""
    remaining: int | None = None


def list_options(
    served: Served, query: Mapping[str, str], *, namespace: str | None, name: str = ""
) -> ListOptions:
    """The options in a query; name: of a single object that is watched by its own path."""
    fields = query.get("fieldSelector", "")
    if name:
        fields = f"metadata.name={name}" + (f",{fields}" if fields else "")
    return ListOptions(
        namespace=namespace,
        matches=selector(served.stored, labels=query.get("labelSelector", ""), fields=fields),
        limit=_number(query.get("limit", "")),
        token=query.get("continue", ""),
        resource_version=query.get("resourceVersion", ""),
        match=query.get("resourceVersionMatch", ""),
    )


def _number(text: str) -> int:
    try:
        return max(0, int(text or 0))
    except ValueError:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


def page_of(store: Store, served: Served, options: ListOptions) -> Page:
    """One page. Raises Expired, bad requests, and too_new for a version of the future."""
    versions, resource_version, start = _from(store, served, options)
    found = [version for version in versions if _wanted(version, options)]
    if start:
        found = found[bisect_left(found, start, key=_key) :]
    limit = 0 if options.resource_version == "0" and not options.token else options.limit
    if not limit or len(found) <= limit:
        return Page(versions=found, resource_version=resource_version)
    return Page(
        versions=found[:limit],
        resource_version=resource_version,
        token=continue_token(resource_version, _key(found[limit - 1])),
        remaining=None if options.matches else len(found) - limit,
    )


def _from(
    store: Store, served: Served, options: ListOptions
) -> tuple[list[Version], int, tuple[str, str] | None]:
    """All versions to choose from, their resourceVersion, and the key to start at."""
    if options.token:
        return _continued(store, served, options)
    wanted = _version_wanted(options.resource_version)
    if wanted > store.resource_version:
        raise too_new(wanted, store.resource_version)
    if options.match == "Exact":
        return store.versions_at(served.stored, wanted), wanted, None
    if options.match and not options.resource_version:
        cause = (
            "resourceVersionMatch",
            "FieldValueForbidden",
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        )
        raise Invalid("meta.k8s.io", "ListOptions", "", causes=[cause])
    return store.versions(served.stored, options.namespace), store.resource_version, None


def _version_wanted(text: str) -> int:
    try:
        return int(text or 0)
    except ValueError:
        message = f'strconv.ParseUint: parsing "{text}": invalid syntax'
        raise Invalid(
            "meta.k8s.io",
            "ListOptions",
            "",
            causes=[
                ("resourceVersion", "FieldValueInvalid", f'Invalid value: "{text}": {message}')
            ],
        ) from None


def _continued(
    store: Store, served: Served, options: ListOptions
) -> tuple[list[Version], int, tuple[str, str]]:
    resource_version, start = _decoded(options.token)
    if resource_version == INCONSISTENT:
        return store.versions(served.stored), store.resource_version, start
    try:
        return store.versions_at(served.stored, resource_version), resource_version, start
    except Expired:
        token = continue_token(INCONSISTENT, start)
        raise Expired(_CONTINUE_EXPIRED, metadata={"continue": token}) from None


def too_new(wanted: int, current: int) -> StatusError:
    """A resourceVersion that the server has not reached."""
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    message = f"Timeout: Too large resource version: {wanted}, current: {current}"
    return StatusError(504, "Timeout", message, details=details, headers={"Retry-After": "1"})


def continue_token(resource_version: int, last: tuple[str, str]) -> str:
    """A token for what comes after the object with the key last."""
    start = f"{last[0]}/{last[1]}\0"
    body = {"v": "meta.k8s.io/v1", "rv": resource_version, "start": start}
    text = json.dumps(body, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def _decoded(token: str) -> tuple[int, tuple[str, str]]:
    try:
        padded = token + "=" * (-len(token) % 4)
        body = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        namespace, _, name = str(body["start"]).lstrip("/").rpartition("/")
        return int(body["rv"]), (namespace, name)
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise bad_request("invalid continue token: continue key is not valid") from None


def _wanted(version: Version, options: ListOptions) -> bool:
    obj = version.object
    if options.namespace is not None and obj["metadata"].get("namespace") != options.namespace:
        return False
    return options.matches is None or options.matches(obj)


def _key(version: Version) -> tuple[str, str]:
    metadata = version.object["metadata"]
    return metadata.get("namespace") or "", metadata["name"]

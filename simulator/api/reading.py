"""Get, list and watch."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import itertools
import random
from collections.abc import Iterator

from aiohttp import web

from simulator.api.call import HEADERS, Call, invalid_options
from simulator.api.faults import FaultKind
from simulator.api.forms import Form
from simulator.api.listing import ListOptions, Page, list_options, page_of
from simulator.api.tables import META_VERSION, metadata_of, table_of
from simulator.api.watching import Shape, Watcher, bookmark, error_line
from simulator.store.errors import Expired, NotFound, StatusError
from simulator.store.json_values import JsonObject
from simulator.store.resources import EVENTS
from simulator.store.versions import Version, encoded

# Answers above this come compressed. Source: apiserver responsewriters/writers.go.
GZIP_ABOVE_BYTES = 128 * 1024
# One bookmark about each minute, and one this long before the end. Source: apiserver cacher.
BOOKMARK_EVERY_S = 60.0
LAST_BOOKMARK_S = 2.0
# Without timeoutSeconds a watch lasts this long, up to twice. Source: --min-request-timeout.
SHORTEST_WATCH_S = 1800.0


def get(call: Call) -> web.Response:
    """One object, in the form asked for."""
    target = call.target
    version = call.store.version(call.served.stored, call.namespace, target.name)
    if version is None:
        raise NotFound(call.served.shown, target.name)
    if call.form is Form.OBJECT:
        return _response(call, call.served.json(version))
    if call.form is Form.METADATA:
        return _response(call, encoded(metadata_of(version.object)))
    return _response(
        call, encoded(_table(call, [version], _list_metadata(str(version.resource_version))))
    )


async def list_objects(call: Call) -> web.Response:
    """A page of objects."""
    options = list_options(call.served, call.request.query, namespace=call.namespace)
    if options.token or options.match == "Exact":
        _storm(call)
    try:
        page = page_of(call.store, call.served, options)
    except StatusError as refusal:
        if refusal.status == 504:
            await asyncio.sleep(call.backend.wait_for_version_s)
        raise
    return await _compressed(call, _list_body(call, page))


def _storm(call: Call) -> None:
    """410, when that is the order of the day."""
    plural = call.served.shown.plural
    if call.backend.faults.take(FaultKind.EXPIRED, verb="list", resource=plural):
        raise Expired("The resourceVersion for the provided list is too old.")


def _list_body(call: Call, page: Page) -> bytes:
    shown = call.served.shown
    metadata = _list_metadata(str(page.resource_version), page)
    if call.form is Form.TABLE:
        return encoded(_table(call, page.versions, metadata))
    if call.form is Form.METADATA:
        items = [encoded(metadata_of(version.object)) for version in page.versions]
        head = {"kind": "PartialObjectMetadataList", "apiVersion": META_VERSION}
    else:
        items = [call.served.item_json(version) for version in page.versions]
        head = {"kind": shown.list_kind, "apiVersion": shown.api_version}
        if shown.custom:
            metadata.setdefault("continue", "")
    start = encoded(head | {"metadata": metadata})[:-1]
    return b"".join([start, b',"items":[', b",".join(items), b"]}"])


def _list_metadata(resource_version: str, page: Page | None = None) -> JsonObject:
    metadata: JsonObject = {"resourceVersion": resource_version}
    if page and page.token:
        metadata["continue"] = page.token
        if page.remaining is not None:
            metadata["remainingItemCount"] = page.remaining
    return metadata


def _table(call: Call, versions: list[Version], metadata: JsonObject) -> JsonObject:
    return table_of(
        call.served.shown,
        [call.served.object(version.object) for version in versions]
        if call.option("includeObject") == "Object"
        else [version.object for version in versions],
        now=call.store.now(),
        metadata=metadata,
        include=call.option("includeObject") or "Metadata",
    )


def _response(call: Call, body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json", headers=HEADERS)


async def _compressed(call: Call, body: bytes) -> web.Response:
    accepts = "gzip" in call.request.headers.get("Accept-Encoding", "")
    if not accepts or len(body) <= GZIP_ABOVE_BYTES:
        return _response(call, body)
    response = _response(call, await asyncio.to_thread(gzip.compress, body, 1))
    response.headers.update({"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
    return response


async def watch(call: Call) -> web.StreamResponse:
    """A stream of changes until its time is up, the client leaves, or it is cut."""
    _check_initial_events(call)
    options = list_options(
        call.served, call.request.query, namespace=call.namespace, name=call.target.name
    )
    since = _since(options)
    response = web.StreamResponse(headers=HEADERS | {"Content-Type": "application/json"})
    response.enable_chunked_encoding()
    await response.prepare(call.request)
    expired = _expired(call, since)
    if expired:
        await response.write(error_line(expired.body))
        await response.write_eof()
        return response
    shape = Shape(call.served, call.form, call.option("includeObject") or "Metadata")
    watcher = Watcher(call.store, shape, options, since=since)
    with _joined(call, watcher), contextlib.suppress(ConnectionResetError):
        _begin(call, watcher, shape, since)
        await _stream(call, watcher, shape, response)
        await response.write_eof()
    return response


@contextlib.contextmanager
def _joined(call: Call, watcher: Watcher) -> Iterator[None]:
    call.backend.hub.join(call.served, watcher)
    try:
        yield
    finally:
        call.backend.hub.leave(call.served, watcher)


def _check_initial_events(call: Call) -> None:
    asked, match = call.option("sendInitialEvents"), call.option("resourceVersionMatch")
    if asked and match != "NotOlderThan":
        text = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        raise invalid_options("ListOptions", "resourceVersionMatch", "FieldValueForbidden", text)


def _since(options: ListOptions) -> int:
    """The resourceVersion to start from; 0: from a list of what is there."""
    text = options.resource_version or "0"
    try:
        return int(text)
    except ValueError:
        message = (
            f'resourceVersion: Invalid value: "{text}": '
            f'strconv.ParseUint: parsing "{text}": invalid syntax'
        )
        raise StatusError(500, "", message) from None


def _expired(call: Call, since: int) -> Expired | None:
    """The error of a watch that starts too far back, or in a storm of 410."""
    plural = call.served.shown.plural
    floor = call.store.floor(call.served.stored)
    storm = since and call.backend.faults.take(FaultKind.EXPIRED, verb="watch", resource=plural)
    if not storm and (not since or since >= floor):
        return None
    if call.served.stored is EVENTS:
        return Expired("The resourceVersion for the provided watch is too old.")
    return Expired(f"too old resource version: {since} ({max(floor, since + 1)})")


def _begin(call: Call, watcher: Watcher, shape: Shape, since: int) -> None:
    """Queue what comes before anything new."""
    store, stored = call.store, call.served.stored
    wants_list = call.flag("sendInitialEvents")
    if wants_list or not since:
        watcher.start_with(store.versions(stored, call.namespace))
    else:
        for event in store.events_after(stored, since):
            watcher.offer_past(event)
    if wants_list and call.flag("allowWatchBookmarks"):
        mark = bookmark(shape, resource_version=store.resource_version, ends_list=True)
        watcher.push(mark)


async def _stream(call: Call, watcher: Watcher, shape: Shape, response: web.StreamResponse) -> None:
    loop = asyncio.get_running_loop()
    started = loop.time()
    lasts_s = float(call.option("timeoutSeconds") or random.uniform(1, 2) * SHORTEST_WATCH_S)
    cut = call.backend.faults.take(FaultKind.CUT, verb="watch", resource=call.served.shown.plural)
    ends = started + min(lasts_s, cut.seconds if cut else lasts_s)
    marks = _marks(call, started, lasts_s)
    due = next(marks)
    while not watcher.cut and loop.time() < ends:
        data = await watcher.wait(timeout_s=max(0.0, min(ends, due) - loop.time()))
        if data:
            await response.write(data)
        elif loop.time() >= due:
            due = next(marks)
            mark = bookmark(shape, resource_version=call.store.resource_version)
            await response.write(mark)
    if watcher.cut or cut:
        _abort(call)


def bookmark_times(started: float, lasts_s: float) -> Iterator[float]:
    """When bookmarks are due in a watch of lasts_s, by the loop's clock; then never."""
    last_s = lasts_s - LAST_BOOKMARK_S
    for minute in range(1, int(max(0.0, last_s) // BOOKMARK_EVERY_S) + 1):
        yield started + minute * BOOKMARK_EVERY_S
    if last_s > 0:
        yield started + last_s
    yield from itertools.repeat(float("inf"))


def _marks(call: Call, started: float, lasts_s: float) -> Iterator[float]:
    """Only who asks gets bookmarks, and watches of core Events never do."""
    if call.flag("allowWatchBookmarks") and call.served.stored is not EVENTS:
        return bookmark_times(started, lasts_s)
    return itertools.repeat(float("inf"))


def _abort(call: Call) -> None:
    """Break the connection off, as a proxy or a dying server does."""
    if call.request.transport:
        call.request.transport.abort()
    raise ConnectionResetError

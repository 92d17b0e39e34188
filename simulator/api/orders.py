"""Faults at work, and the path by which tests order them: POST, GET or DELETE /_faults."""

from __future__ import annotations

import asyncio

from aiohttp import web

from simulator.access.identities import ADMIN
from simulator.api import pages
from simulator.api.call import Backend, json_response
from simulator.api.faults import FaultKind, fault_from
from simulator.api.paths import Target
from simulator.api.selectors import bad_request
from simulator.store.errors import StatusError

PATH = "/_faults"


async def take(backend: Backend, request: web.BaseRequest) -> web.Response:
    """Orders by HTTP, from the administrator only.

    POST {"kind": ..., "verb", "resource", "seconds", "times"} adds one; POST {"now": "cut"} ends
    the open watches and {"now": "compact"} forgets the history; DELETE clears.
    """
    if backend.tokens.holder(request.headers.get("Authorization", "")) is not ADMIN:
        raise StatusError(401, "Unauthorized", "Unauthorized")
    if request.method == "DELETE":
        backend.faults.clear()
    elif request.method == "POST":
        await _ordered(backend, request)
    orders = [str(fault.kind) for fault in backend.faults.orders]
    return json_response({"orders": orders})


async def _ordered(backend: Backend, request: web.BaseRequest) -> None:
    order = await request.json()
    now = order.get("now")
    if now == "cut":
        backend.hub.cut(str(order.get("resource", "")))
    elif now == "compact":
        backend.store.compact()
    else:
        try:
            backend.faults.orders.append(fault_from(order))
        except (ValueError, TypeError) as problem:
            raise bad_request(str(problem)) from None


async def spoilt(
    backend: Backend, request: web.BaseRequest, verb: str, target: Target | None
) -> web.StreamResponse | None:
    """What a fault makes of the request; None: it is answered as usual, perhaps later."""
    if not backend.faults.orders:
        return None
    resource = target.plural if target else ""
    if backend.faults.take(FaultKind.DOWN, verb=verb, resource=resource):
        if request.transport:
            request.transport.abort()
        return web.Response(status=503)
    slow = backend.faults.take(FaultKind.SLOW, verb=verb, resource=resource)
    if slow:
        await asyncio.sleep(slow.seconds)
    if backend.faults.take(FaultKind.ERROR, verb=verb, resource=resource):
        message = "Internal error occurred: etcdserver: leader changed"
        raise StatusError(500, "InternalError", message, details={"causes": [{"message": message}]})
    throttle = backend.faults.take(FaultKind.THROTTLE, verb=verb, resource=resource)
    if throttle:
        response = pages.plain("Too many requests, please try again later.\n", status=429)
        response.headers["Retry-After"] = str(max(1, round(throttle.seconds)))
        return response
    return None

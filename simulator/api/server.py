"""The API server of one simulated cluster: HTTPS on a loopback port."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable

from aiohttp import web

from simulator.access.address import LISTEN, NAME
from simulator.access.certificates import Certificates, made_certificates
from simulator.access.identities import Tokens
from simulator.access.rules import Identity, Request, refusal
from simulator.api import logs, orders, pages, proxying, reading, reviews, scale, writing
from simulator.api.admission import HOOKS
from simulator.api.call import WAIT_FOR_VERSION_S, Backend, Call, json_response
from simulator.api.checks import schema_hook
from simulator.api.discovery import REVIEWS
from simulator.api.faults import Faults
from simulator.api.forms import Form, form_of
from simulator.api.paths import Target, target_of
from simulator.api.served import Catalogue
from simulator.api.sources import LogSource, NoLogs, NoPods, PodProxy
from simulator.api.watching import WatchHub
from simulator.store.edits import timestamp
from simulator.store.errors import NotFound, StatusError
from simulator.store.store import Store

logger = logging.getLogger(__name__)

Handler = Callable[[Call], Awaitable[web.StreamResponse]]
_SHUTDOWN_S = 1.0
_INTERNAL = StatusError(500, "InternalError", "Internal error occurred", details={})
_WRITE_VERBS = {"PUT": "update", "PATCH": "patch"}


class ApiServer:
    """Serves a store. Everything runs on the loop that called start()."""

    def __init__(
        self,
        store: Store,
        *,
        tokens: Tokens,
        name: str = "simulated",
        logs: LogSource | None = None,
        pods: PodProxy | None = None,
        certificates: Certificates | None = None,
        kubernetes: str = "1.36.2",
        wait_for_version_s: float = WAIT_FOR_VERSION_S,
    ) -> None:
        """name: in certificates and logs. logs, pods: what the world supplies.

        Webhooks of Knative and KServe, and the schema, are put into store.admission here.
        """
        self.certificates = certificates or made_certificates(cluster=name)
        self.port = 0
        store.admission.extend((HOOKS[0], schema_hook, *HOOKS[1:]))
        self.backend = Backend(
            name=name,
            store=store,
            catalogue=Catalogue(store.resources),
            tokens=tokens,
            hub=WatchHub(store),
            logs=logs or NoLogs(),
            pods=pods or NoPods(),
            kubernetes=kubernetes,
            wait_for_version_s=wait_for_version_s,
        )
        self._runner: web.ServerRunner | None = None
        self._tls: ssl.SSLContext | None = None

    @property
    def url(self) -> str:
        """Where it listens; a port of 0 means that it never did."""
        return f"https://{NAME}:{self.port}"

    @property
    def ca(self) -> bytes:
        """The certificate of the authority, PEM."""
        return self.certificates.ca

    @property
    def faults(self) -> Faults:
        return self.backend.faults

    async def start(self, port: int = 0) -> None:
        """Listen on a port; 0: on the port it had before, else on any that is free."""
        if self._tls is None:
            self._tls = await asyncio.to_thread(self.certificates.server_context)
        server = web.Server(self._handle, handler_cancellation=True, access_log=None)
        self._runner = web.ServerRunner(server, shutdown_timeout=_SHUTDOWN_S)
        await self._runner.setup()
        site = web.TCPSite(self._runner, LISTEN, port or self.port, ssl_context=self._tls)
        await site.start()
        self.port = self._runner.addresses[0][1]
        logger.info("serving cluster=%s url=%s", self.backend.name, self.url)

    async def stop(self) -> None:
        """Stop listening and end every watch. May be started again."""
        self.backend.hub.cut()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except StatusError as refused:
            response = json_response(refused.body, status=refused.status)
            response.headers.update(refused.headers)
            return response
        except (asyncio.CancelledError, ConnectionResetError):
            raise
        except Exception:
            logger.exception("failed cluster=%s path=%s", self.backend.name, request.path)
            return json_response(_INTERNAL.body, status=_INTERNAL.status)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == orders.PATH:
            return await orders.take(self.backend, request)
        target = target_of(request.path)
        verb = _verb(request, target) if target else "get"
        spoilt = await orders.spoilt(self.backend, request, verb, target)
        if spoilt is not None:
            return spoilt
        identity = self.backend.tokens.holder(request.headers.get("Authorization", ""))
        if identity is None:
            raise StatusError(401, "Unauthorized", "Unauthorized")
        if target is None:
            return pages.page(self.backend, request, address=f"{NAME}:{self.port}")
        _authorize(identity, target, verb)
        if target.plural in REVIEWS and verb == "create":
            return await self._review(request, target, identity)
        return await self._serve(request, target, identity, verb)

    async def _review(
        self, request: web.BaseRequest, target: Target, identity: Identity
    ) -> web.StreamResponse:
        spec = await reviews.asked(request, target.plural)
        now = timestamp(self.backend.store.now())
        return reviews.review(target.plural, spec, identity, now=now)

    async def _serve(
        self, request: web.BaseRequest, target: Target, identity: Identity, verb: str
    ) -> web.StreamResponse:
        served = self.backend.catalogue.find(target.group, target.version, target.plural)
        if served is None:
            return pages.not_served()
        raw = target.subresource in ("log", "proxy")
        call = Call(
            request=request,
            backend=self.backend,
            identity=identity,
            target=target,
            served=served,
            form=Form.OBJECT if raw else form_of(request.headers.get("Accept", "")),
        )
        return await _handler(call, verb)(call)


def _verb(request: web.BaseRequest, target: Target) -> str:
    """The verb that rights are checked for."""
    if request.method == "POST":
        return "create"
    if request.method in _WRITE_VERBS:
        return _WRITE_VERBS[request.method]
    if request.method == "DELETE":
        return "delete" if target.name else "deletecollection"
    if request.query.get("watch", "").lower() in ("1", "true"):
        return "watch"
    return "get" if target.name else "list"


def _authorize(identity: Identity, target: Target, verb: str) -> None:
    """403 in the real words. Rights come before the question whether anything is there."""
    asked = Request(
        verb=verb,
        group=target.group,
        resource=target.plural,
        subresource=target.subresource,
        namespace=target.namespace,
        name=target.name,
    )
    if identity.allowance(asked) is not None:
        return
    details = {"name": target.name, "group": target.group, "kind": target.plural}
    refused = StatusError(
        403,
        "Forbidden",
        refusal(identity, asked),
        details={key: value for key, value in details.items() if value},
        headers={"X-Content-Type-Options": "nosniff"},
    )
    raise refused


async def _get(call: Call) -> web.StreamResponse:
    return reading.get(call)


async def _get_scale(call: Call) -> web.StreamResponse:
    return scale.get_scale(call)


_MAIN: dict[str, Handler] = {
    "get": _get,
    "list": reading.list_objects,
    "watch": reading.watch,
    "create": writing.create,
    "update": writing.update,
    "patch": writing.patch,
    "delete": writing.delete,
    "deletecollection": writing.delete_collection,
}
# Verbs that need a name in the path, and the one that must not have one.
_OF_ONE = frozenset({"update", "patch", "create"})
_STATUS: dict[str, Handler] = {"get": _get, "update": writing.update, "patch": writing.patch}
_SCALE: dict[str, Handler] = {
    "get": _get_scale,
    "update": scale.set_scale,
    "patch": scale.set_scale,
}


def _handler(call: Call, verb: str) -> Handler:
    """Who answers. A subresource that a kind lacks is a 404 of the object."""
    subresource = call.target.subresource
    if subresource == "log" and call.served.shown.plural == "pods":
        return logs.log
    if subresource == "proxy" and call.served.shown.plural == "pods":
        return proxying.proxy
    if subresource and subresource not in call.served.shown.subresources:
        raise NotFound(call.served.shown, call.target.name)
    handlers = {"": _MAIN, "status": _STATUS, "scale": _SCALE}[subresource]
    misplaced = bool(call.target.name) == (verb == "create") and verb in _OF_ONE
    if verb not in handlers or misplaced:
        raise StatusError(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
            details={},
        )
    return handlers[verb]

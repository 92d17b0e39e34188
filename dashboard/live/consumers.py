"""Sockets: signed-in viewers of a page. Nothing is ever changed over a socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
from dataclasses import replace
from importlib import import_module
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth import get_user
from django.db import Error as DatabaseTrouble
from django.http import HttpRequest, QueryDict
from django.utils import translation

from dashboard.access.grants import grant_of_user
from dashboard.access.rules import Grant
from dashboard.live.fragments import numbered
from dashboard.live.hub import HUB, now_ms
from dashboard.live.views import ClustersView, FleetView, IncidentsView, ModelView, StartsView
from dashboard.views.fleet_query import FleetQuery
from dashboard.views.model_range import said_in
from fleet.domain.records.keys import ModelKey

SessionStore = import_module(settings.SESSION_ENGINE).SessionStore
AnyView = ClustersView | FleetView | IncidentsView | ModelView | StartsView
logger = logging.getLogger(__name__)

# How often a viewer's session and scope are looked up again.
CHECK_S = 25.0
# A page has some fifty stamps of a few dozen characters.
LONGEST_MESSAGE = 64_000
LONGEST_QUERY = 8_000
SIGNED_OUT = 4401
SCOPE_CHANGED = 4403
NOT_UNDERSTOOD = 4400


class LiveConsumer(AsyncWebsocketConsumer):
    """One viewer. The page sends the stamps that it has; it gets what it lacks, then changes."""

    # None of the channel layer's groups are used: the hub is the fan-out.
    channel_layer_alias = "hub"

    async def connect(self) -> None:
        self.n = 0
        self.behind = False
        self.joined = False
        self.tasks: set[asyncio.Task[None]] = set()
        self.writing: asyncio.Task[None] | None = None
        self.grant = await database_sync_to_async(grant_of_user)(self.scope["user"])
        view = self.grant and self.view_of(self.grant)
        if not view:
            await self.close(code=SIGNED_OUT)
            return
        self.view: AnyView = view
        await self.accept()
        self._spawn(self._check_forever())

    def view_of(self, grant: Grant) -> AnyView | None:
        """The page behind the address; None when the grant does not reach there."""
        raise NotImplementedError

    async def disconnect(self, code: int) -> None:
        if self.joined:
            HUB.leave(self.view, self)
        for task in self.tasks:
            task.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        asked = _asked(text_data)
        if asked is None:
            await self.close(code=NOT_UNDERSTOOD)
            return
        have, language = asked
        if not self.joined and translation.check_for_language(language):
            self.view = replace(self.view, language=language)
        self.joined = True
        await HUB.join(self.view, self, have)

    def tell(self, tail: str) -> None:
        """Send, or note that this viewer fell behind: then it will ask for what it lacks."""
        self.n += 1
        if self.writing is not None and not self.writing.done():
            self.behind = True
            return
        self.writing = self._spawn(self._write(numbered(self.n, tail)))

    async def _write(self, text: str) -> None:
        # A viewer who has just gone is noticed by `disconnect`.
        with contextlib.suppress(RuntimeError, OSError):
            await self.send(text_data=text)
            while self.behind:
                self.behind = False
                self.n += 1
                await self.send(text_data=numbered(self.n, f'"now":{now_ms()}}}'))

    async def _check_forever(self) -> None:
        while True:
            # Viewers come in crowds (a restart, a busy morning); their checks should not.
            await asyncio.sleep(CHECK_S * random.uniform(0.5, 1.0))
            try:
                grant = await database_sync_to_async(grant_now)(self.scope["session"].session_key)
            except DatabaseTrouble as error:
                logger.warning("skipped check of a viewer error=%s", type(error).__name__)
                continue
            if grant != self.grant:
                await self.close(code=SIGNED_OUT if grant is None else SCOPE_CHANGED)
                return

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    @property
    def query(self) -> QueryDict:
        return QueryDict(self.scope["query_string"])


class FleetConsumer(LiveConsumer):
    """The fleet page with the filters of its address."""

    def view_of(self, grant: Grant) -> AnyView | None:
        query = FleetQuery.read(self.query)
        return FleetView(query, replace(grant, who=""))


class StartsConsumer(LiveConsumer):
    """The list of cold starts with the filters of its address."""

    def view_of(self, grant: Grant) -> AnyView | None:
        return StartsView(self.query.urlencode()[:LONGEST_QUERY], replace(grant, who=""))


class IncidentsConsumer(LiveConsumer):
    """The list of incidents with the filters of its address."""

    def view_of(self, grant: Grant) -> AnyView | None:
        return IncidentsView(self.query.urlencode()[:LONGEST_QUERY], replace(grant, who=""))


class ClustersConsumer(LiveConsumer):
    """The clusters page."""

    def view_of(self, grant: Grant) -> AnyView | None:
        return ClustersView(replace(grant, who=""))


class ModelConsumer(LiveConsumer):
    """One model's page."""

    def view_of(self, grant: Grant) -> AnyView | None:
        key = ModelKey(**self.scope["url_route"]["kwargs"])
        if not grant.sees(key.cluster, key.namespace):
            return None
        return ModelView(key, replace(grant, who=""), said_in(self.query))


def grant_now(session_key: str | None) -> Grant | None:
    """The grant as the session and the rows say now; None when signed out or revoked."""
    request = HttpRequest()
    request.session = SessionStore(session_key)
    return grant_of_user(get_user(request))


def _asked(text: str | None) -> tuple[dict[str, str], str] | None:
    """The stamps that a page says it has, and its language; None when that is not understood."""
    if text is None or len(text) > LONGEST_MESSAGE:
        return None
    try:
        said = json.loads(text)
        have = {str(dom_id): str(stamp) for dom_id, stamp in said["have"].items()}
        return have, str(said.get("language", ""))[:20]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None

"""The ingress of one cluster over HTTP, on a loopback port."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiohttp import web

from simulator.access.address import LISTEN, NAME
from simulator.world.answers import TOKEN_S, Answer, Call
from simulator.world.calling import Callers
from simulator.world.trips import Reply

MOST_BYTES = 4 * 1024 * 1024


class Gateway:
    """Routes by the Host header, or by the path of an LLMInferenceService."""

    def __init__(self, callers: Callers) -> None:
        self.callers = callers
        self.port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://{NAME}:{self.port}"

    async def start(self, port: int = 0) -> None:
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, LISTEN, port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        call = Call(
            method=request.method,
            path=request.path,
            headers={name.lower(): text for name, text in request.headers.items()},
            body=await request.read(),
        )
        arrived = asyncio.get_running_loop().time()
        reply = await self._reply(request.host, call)
        try:
            return await self._send(request, reply, arrived)
        finally:
            reply.finish()

    async def _reply(self, host: str, call: Call) -> Reply:
        """A caller that leaves while it is held stays in the queue, and is answered anyway."""
        waiting: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        def take(reply: Reply) -> None:
            if waiting.done():
                reply.finish()
            else:
                waiting.set_result(reply)

        self.callers.call(host, call, take)
        return await waiting

    async def _send(self, request: web.Request, reply: Reply, arrived: float) -> web.StreamResponse:
        made = reply.answer
        await asyncio.sleep(made.after_s)
        headers = {"server": "envoy"}
        if made.content_type:
            headers["Content-Type"] = made.content_type
        if reply.hop != "ingress":
            spent = asyncio.get_running_loop().time() - arrived
            headers["x-envoy-upstream-service-time"] = str(int(spent * 1000))
        if made.chunks:
            return await _stream(request, made, headers)
        return web.Response(status=made.status, body=made.body, headers=headers)


async def _stream(
    request: web.Request, made: Answer, headers: dict[str, str]
) -> web.StreamResponse:
    response = web.StreamResponse(status=made.status, headers=headers)
    await response.prepare(request)
    with suppress(ConnectionError):
        for chunk in made.chunks:
            await response.write(chunk)
            await asyncio.sleep(TOKEN_S)
        await response.write_eof()
    return response

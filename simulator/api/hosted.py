"""An API server in a thread of its own, for callers that block: tests and recorded streams."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from simulator.access.identities import ADMIN, OPERATOR, VIEWER, Tokens, tokens_for
from simulator.access.kubeconfig import Context, write_kubeconfig
from simulator.access.rules import Identity
from simulator.api.call import WAIT_FOR_VERSION_S
from simulator.api.server import ApiServer
from simulator.api.sources import LogSource, PodProxy
from simulator.store.resources import ALL, NAMESPACES, Resource
from simulator.store.store import Store

Result = TypeVar("Result")
IDENTITIES: Mapping[str, Identity] = {"admin": ADMIN, "operator": OPERATOR, "viewer": VIEWER}
# A call on the loop that takes longer is a mistake of the caller.
CALL_TIMEOUT_S = 30.0


def wall_clock() -> datetime:
    return datetime.now(UTC)


class HostedApi:
    """A cluster of objects behind HTTPS. Use as a context manager.

    store: read and changed through call() only, which runs a function on the server's loop.
    """

    def __init__(
        self,
        *,
        name: str = "hosted",
        resources: Sequence[Resource] = ALL,
        identities: Mapping[str, Identity] = IDENTITIES,
        namespaces: Sequence[str] = ("default", "web"),
        now: Callable[[], datetime] = wall_clock,
        logs: LogSource | None = None,
        pods: PodProxy | None = None,
        kubernetes: str = "1.36.2",
        wait_for_version_s: float = WAIT_FOR_VERSION_S,
    ) -> None:
        """identities: by the name that token() takes. namespaces: made at the start."""
        self.name = name
        self.store = Store(now=now, resources=resources, uid=lambda: str(uuid.uuid4()))
        self.tokens: Tokens = tokens_for(identities, prefix=name)
        self.server = ApiServer(
            self.store,
            tokens=self.tokens,
            name=name,
            logs=logs,
            pods=pods,
            kubernetes=kubernetes,
            wait_for_version_s=wait_for_version_s,
        )
        for namespace in namespaces:
            self.store.create(
                NAMESPACES,
                {"metadata": {"name": namespace}, "status": {"phase": "Active"}},
                manager="kube-apiserver",
            )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"api-{name}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.wait(self.server.start())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_TIMEOUT_S)
        self._loop.close()

    @property
    def url(self) -> str:
        return self.server.url

    def call(self, function: Callable[[], Result]) -> Result:
        """Run a function on the server's loop and return (or raise) what it does."""
        done: concurrent.futures.Future[Result] = concurrent.futures.Future()

        def run() -> None:
            try:
                done.set_result(function())
            except BaseException as error:
                done.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return done.result(CALL_TIMEOUT_S)

    def wait(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine on the server's loop to its end."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(CALL_TIMEOUT_S)

    def token(self, name: str = "admin") -> str:
        return f"{self.name}-{name}"

    def kubeconfig(self, path: Path, *, users: Sequence[str] = ("admin",)) -> Path:
        """Write a kubeconfig with a context "<cluster>" (first user) and "<cluster>-<user>"s."""
        contexts = [
            Context(
                name=self.name if index == 0 else f"{self.name}-{user}",
                cluster=self.name,
                server=self.url,
                ca=self.server.ca,
                user=f"{self.name}-{user}",
                token=self.token(user),
            )
            for index, user in enumerate(users)
        ]
        write_kubeconfig(path, contexts)
        return path

    async def _end(self) -> None:
        """TLS connections close by a hand-shake of which a peer that left never does its part."""
        await self.server.stop()
        for transport in list(getattr(self._loop, "_transports", {}).values()):
            transport.abort()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

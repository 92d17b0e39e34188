"""What the world supplies to its API server: logs of containers, and answers of pods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from simulator.api.sources import LogLines, PodAnswer, PodRequest
from simulator.metering.scraped import Scraped
from simulator.metering.series import CONTENT_TYPE, text_of
from simulator.world.answers import METRICS, TOKEN_S, Call
from simulator.world.behaviours import MODEL_CONTAINERS
from simulator.world.calling import Callers
from simulator.world.kubelet import Kubelet


class WorldLogs:
    """Logs as the kubelets keep them: gone with their pod."""

    def __init__(self, kubelet: Kubelet) -> None:
        self.kubelet = kubelet

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:  # noqa: FBT001
        return self.kubelet.log(pod_uid, container, previous=previous)


class WorldPods:
    """Servers of pods, reached past the ingress; pages of those programs that have nothing else."""

    def __init__(self, callers: Callers, scraped: Scraped | None = None) -> None:
        self.callers, self.scraped = callers, scraped

    async def request(self, request: PodRequest) -> PodAnswer:
        uid = request.pod["metadata"]["uid"]
        page = self._page(request)
        if page is not None:
            return PodAnswer(status=200, body=page.encode(), content_type=CONTENT_TYPE)
        profile = self.callers.profile(uid)
        answering = self.callers.world.kubelet.answering(uid)
        if profile is None or not answering or request.port not in _ports(request):
            raise ConnectionRefusedError
        call = Call(
            method=request.method,
            path=request.path.partition("?")[0],
            headers={name.lower(): text for name, text in request.headers.items()},
            body=request.body,
        )
        reply = self.callers.ask(profile, uid, call)
        try:
            await asyncio.sleep(reply.answer.after_s)
        finally:
            reply.finish()
        made = reply.answer
        body = _streamed(made.chunks) if made.chunks else made.body
        return PodAnswer(status=made.status, body=body, content_type=made.content_type)

    def _page(self, request: PodRequest) -> str | None:
        """Of a program beside the model server; None where another answers."""
        meta = request.pod["metadata"]
        if self.scraped is None or request.path.partition("?")[0] != METRICS:
            return None
        pages = self.scraped.page(meta["namespace"], meta["name"], request.port)
        return text_of(pages) if pages is not None else None


def _ports(request: PodRequest) -> set[int]:
    """Ports that the model's server listens on."""
    containers = request.pod["spec"]["containers"]
    serving = [each for each in containers if each["name"] in MODEL_CONTAINERS]
    listed = {port["containerPort"] for each in serving for port in each.get("ports", ())}
    return listed or {8080}


async def _streamed(chunks: Sequence[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
        await asyncio.sleep(TOKEN_S)

"""Pod proxy: what a pod answers comes through as it is; errors on the way are a Status."""

from __future__ import annotations

from aiohttp import web

from simulator.api.call import HEADERS, Call
from simulator.api.sources import PodRequest
from simulator.store.errors import NotFound, StatusError
from simulator.store.json_values import JsonObject


async def proxy(call: Call) -> web.StreamResponse:
    """.../pods/<name>:<port>/proxy/<path>."""
    name, port_text = _name_and_port(call.target.name)
    pod = call.store.get(call.served.stored, call.namespace, name)
    if pod is None:
        raise NotFound(call.served.shown, name)
    port = int(port_text) if port_text.isdigit() else _first_port(pod)
    request = call.request
    try:
        answer = await call.backend.pods.request(
            PodRequest(
                pod=pod,
                port=port,
                method=request.method,
                path=_path_for_pod(request),
                headers={key: value for key, value in request.headers.items() if _passes(key)},
                body=await request.read(),
            )
        )
    except ConnectionRefusedError:
        address = f"{pod.get('status', {}).get('podIP', '')}:{port}"
        message = f"error trying to reach service: dial tcp {address}: connect: connection refused"
        raise StatusError(503, "ServiceUnavailable", message) from None
    headers = HEADERS | {"Content-Type": answer.content_type}
    if isinstance(answer.body, bytes):
        return web.Response(status=answer.status, body=answer.body, headers=headers)
    response = web.StreamResponse(status=answer.status, headers=headers)
    await response.prepare(request)
    async for chunk in answer.body:
        await response.write(chunk)
    await response.write_eof()
    return response


def _name_and_port(text: str) -> tuple[str, str]:
    """ "name:port", "name" or "http:name:port" in parts."""
    parts = text.split(":")
    if len(parts) == 3:
        parts = parts[1:]
    return parts[0], parts[1] if len(parts) > 1 else ""


def _first_port(pod: JsonObject) -> int:
    for container in pod.get("spec", {}).get("containers") or []:
        for port in container.get("ports") or []:
            return int(port["containerPort"])
    return 80


def _path_for_pod(request: web.BaseRequest) -> str:
    """What follows /proxy, with the query, as it came."""
    _, _, rest = request.raw_path.partition("/proxy")
    return rest if rest.startswith("/") else f"/{rest}"


def _passes(header: str) -> bool:
    """The caller's credential stops here, as at a real API server."""
    return header.lower() not in ("authorization", "host", "connection")

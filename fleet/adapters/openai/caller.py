"""A real completion through a model's own route: allowed hosts only, streamed, bounded, no
redirects, TTFT measured."""

import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from fleet.adapters.openai.hosts import PORTS, NotAllowed, allowed_host, checked, resolved
from fleet.adapters.openai.stream import chunk_of, has_token
from fleet.ports import Answer

CONNECT_S = 5.0
BODY_BYTES = 256 * 1024
EXCERPT_CHARS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Where to connect, and what to say: the IP address that was checked, the name in Host."""

    url: str
    host: str
    tls_name: str


class OpenAiCaller:
    """A ModelCaller for one cluster. gateway_url: where its gateway listens, "" = each model's own
    address is called. allowed: hosts an admin allowed besides the gateway's."""

    def __init__(self, *, gateway_url: str, allowed: Collection[str]) -> None:
        self._gateway_url = gateway_url
        self._allowed = tuple(allowed)

    def allows(self, url: str) -> bool:
        """The gateway stands for all models behind it; without one each host is to be allowed."""
        try:
            host = checked(url).hostname or ""
        except NotAllowed:
            return False
        return bool(self._gateway_url) or allowed_host(host, self._allowed)

    def complete(
        self,
        *,
        url: str,
        path: str,
        model: str,
        tokens: int,
        timeout_s: float,
        api_key: str | None,
    ) -> Answer:
        """Every outcome is an Answer; one that never came has status None and says why."""
        began = time.monotonic()
        try:
            call = self._call(url, path)
            with _sent(call, _body(model, tokens), timeout_s, api_key) as response:
                return _heard(response, began=began, deadline=began + timeout_s)
        except NotAllowed as error:
            return Answer(status=None, error=f"not allowed: {error}")
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            return Answer(status=None, error=_words(error), total_s=_since(began))

    def _call(self, url: str, path: str) -> Call:
        """Name and address are looked up once, and that address is called: a second look-up could
        be answered otherwise."""
        if not self.allows(url):
            raise NotAllowed(f"{urlsplit(url).hostname} is not on this cluster's list")
        model = checked(url)
        target = checked(self._gateway_url) if self._gateway_url else model
        name = target.hostname or ""
        port = target.port or PORTS[target.scheme]
        address = resolved(name, port)
        literal = f"[{address}]" if ":" in address else address
        return Call(
            url=f"{target.scheme}://{literal}:{port}{path}", host=_host(model), tls_name=name
        )


def _host(parts: Any) -> str:
    """The Host header: with its port only where that is not the scheme's own."""
    if parts.port in (None, PORTS[parts.scheme]):
        return str(parts.hostname)
    return f"{parts.hostname}:{parts.port}"


def _body(model: str, tokens: int) -> dict[str, Any]:
    """The nonce keeps the prefix cache out of the measured time; completions need no chat
    template."""
    return {
        "model": model,
        "prompt": f"{secrets.token_hex(8)} warm-up",
        "max_tokens": tokens,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@contextmanager
def _sent(
    call: Call, body: dict[str, Any], timeout_s: float, api_key: str | None
) -> Iterator[httpx.Response]:
    headers = {
        "Host": call.host,
        "User-Agent": "pilot-light/0.1",
        "Accept": "text/event-stream, application/json",
        "Accept-Encoding": "identity",
        "X-Request-Id": f"warmup-{secrets.token_hex(8)}",
    }
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    timeout = httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s))
    with (
        httpx.Client(timeout=timeout, follow_redirects=False, trust_env=False) as client,
        client.stream(
            "POST",
            call.url,
            json=body,
            headers=headers,
            extensions={"sni_hostname": call.tls_name},
        ) as response,
    ):
        yield response


def _heard(response: httpx.Response, *, began: float, deadline: float) -> Answer:
    answer = Answer(
        status=response.status_code,
        content_type=response.headers.get("content-type", "")[:100],
    )
    if response.status_code == 200 and "event-stream" in answer.content_type:
        return _streamed(response, answer, began=began, deadline=deadline)
    body = b""
    for piece in response.iter_raw():
        body += piece
        if len(body) > BODY_BYTES or time.monotonic() > deadline:
            break
    text = body[:EXCERPT_CHARS].decode(errors="replace")
    # Some servers answer a streamed request at once, as one JSON object.
    whole = chunk_of(f"data:{body.decode(errors='replace')}") if answer.status == 200 else None
    ttft_s = _since(began) if whole is not None and has_token(whole) else None
    return replace(answer, body_excerpt=text, ttft_s=ttft_s, total_s=_since(began))


def _streamed(response: httpx.Response, answer: Answer, *, began: float, deadline: float) -> Answer:
    """Read to the end mark, an error inside the stream, or a bound."""
    read = 0
    for line in _lines(response):
        read += len(line)
        chunk = chunk_of(line)
        if chunk is not None and chunk.error is not None:
            text = bytes(chunk.error)[:EXCERPT_CHARS].decode(errors="replace")
            return replace(answer, ttft_s=None, total_s=_since(began), body_excerpt=text)
        if chunk is not None and answer.ttft_s is None and has_token(chunk):
            answer = replace(answer, ttft_s=_since(began))
        if line.strip() == "data: [DONE]" or read > BODY_BYTES or time.monotonic() > deadline:
            break
    return replace(answer, total_s=_since(began))


def _lines(response: httpx.Response) -> Iterator[str]:
    """Lines as they come; a line without an end is given up at the bound."""
    rest = b""
    for piece in response.iter_raw():
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line.decode(errors="replace") for line in whole)
        if len(rest) > BODY_BYTES:
            return
    yield rest.decode(errors="replace")


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)


def _words(error: Exception) -> str:
    """Time-outs have no text of their own."""
    return f"{type(error).__name__}: {str(error)[:200]}".rstrip(": ")

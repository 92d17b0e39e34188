"""What a model server answers, by its runtime. Pure.

Source: vLLM entrypoints/openai (errors, routes, authentication), KServe's Python server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.world.profiles import Profile, Runtime
from simulator.world.vllm_log import dotted

# From one token to the next, and before the first one.
TOKEN_S = 0.012
FIRST_TOKEN_S = 0.09
DEFAULT_TOKENS = 16
MOST_TOKENS = 4096
JSON = "application/json"
METRICS = "/metrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request as the server sees it: path without query, lower-case header names.

    times: how many alike it stands for. patience_s: how long its caller waits for the first byte;
    None for as long as it takes.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    times: int = 1
    patience_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """after_s: until the first byte. chunks: parts of a stream, TOKEN_S apart, instead of body.

    tokens: how many were generated; 0 for all that is no completion.
    """

    status: int
    body: bytes = b""
    content_type: str = JSON
    after_s: float = 0.0
    chunks: Sequence[bytes] = ()
    tokens: int = 0

    @property
    def seconds(self) -> float:
        return self.after_s + TOKEN_S * len(self.chunks)


def answer(profile: Profile, call: Call, *, metrics: str = "") -> Answer:
    """metrics: the page that the server would give now."""
    if profile.runtime is Runtime.SKLEARN:
        return _sklearn(profile, call)
    if call.path == METRICS:
        return Answer(status=200, body=metrics.encode(), content_type="text/plain; version=0.0.4")
    if profile.runtime is Runtime.HUGGINGFACESERVER:
        return _huggingface(profile, call)
    return _plain(profile, call)


def _plain(profile: Profile, call: Call) -> Answer:
    if call.path in ("/health", "/ping"):
        return Answer(status=200)
    if call.path == "/version":
        return _json(200, {"version": dotted(profile.vllm)})
    if call.path.startswith("/v1") and not _allowed(profile, call):
        return _json(401, {"error": "Unauthorized"})
    return _openai(profile, call, base="/v1")


def _huggingface(profile: Profile, call: Call) -> Answer:
    """KServe's own server: OpenAI's paths stand under /openai, its own lists under /v1 and /v2."""
    if call.path == "/v1/models":
        return _json(200, {"models": [profile.name]})
    if call.path == f"/v1/models/{profile.name}":
        return _json(200, {"name": profile.name, "ready": True})
    if call.path in ("/v2/health/ready", "/v2/health/live"):
        return _json(200, {"ready": True} if call.path.endswith("ready") else {"live": True})
    if call.path.startswith("/openai/v1"):
        return _openai(profile, call, base="/openai/v1")
    return _json(404, {"detail": "Not Found"})


def _sklearn(profile: Profile, call: Call) -> Answer:
    if call.path == "/v1/models":
        return _json(200, {"models": [profile.name]})
    if call.path == f"/v1/models/{profile.name}":
        return _json(200, {"name": profile.name, "ready": True})
    if call.path == f"/v1/models/{profile.name}:predict" and call.method == "POST":
        return _json(200, {"predictions": [1]})
    return _json(404, {"detail": "Not Found"})


def _openai(profile: Profile, call: Call, *, base: str) -> Answer:
    path = call.path.removeprefix(base)
    if path == "/models":
        served = [_card(name) for name in served_names(profile)]
        return _json(200, {"object": "list", "data": served})
    if path not in ("/completions", "/chat/completions"):
        return _json(404, {"detail": "Not Found"})
    if call.method != "POST":
        return _json(405, {"detail": "Method Not Allowed"})
    return _complete(profile, call, chat=path == "/chat/completions")


def served_names(profile: Profile) -> list[str]:
    if profile.runtime is Runtime.LLMISVC:
        return [profile.name, f"publishers/{profile.namespace}/models/{profile.name}"]
    return [profile.name]


def _card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "owned_by": "vllm", "root": name, "max_model_len": 8192}


def _allowed(profile: Profile, call: Call) -> bool:
    return not profile.api_key or call.headers.get("authorization") == f"Bearer {profile.api_key}"


def _complete(profile: Profile, call: Call, *, chat: bool) -> Answer:
    try:
        asked = json.loads(call.body)
    except ValueError:
        return _error(400, "BadRequestError", "There was an error parsing the body", None)
    if not isinstance(asked, dict):
        return _error(400, "BadRequestError", "Input should be a valid dictionary", None)
    name = asked.get("model")
    if name not in served_names(profile):
        return _error(404, "NotFoundError", f"The model `{name}` does not exist.", "model")
    missing = "messages" if chat else "prompt"
    if missing not in asked:
        return _error(400, "BadRequestError", f"Field required: {missing}", missing)
    tokens = asked.get("max_completion_tokens") or asked.get("max_tokens") or DEFAULT_TOKENS
    if not isinstance(tokens, int) or not 0 < tokens <= MOST_TOKENS:
        return _error(400, "BadRequestError", "max_tokens must be at least 1.", "max_tokens")
    maker = _stream if asked.get("stream") else _whole
    return maker(str(name), tokens, chat=chat, usage=_wants_usage(asked))


def _wants_usage(asked: Mapping[str, Any]) -> bool:
    options = asked.get("stream_options")
    return isinstance(options, dict) and bool(options.get("include_usage"))


def _usage(tokens: int) -> dict[str, int]:
    return {"prompt_tokens": 7, "completion_tokens": tokens, "total_tokens": 7 + tokens}


def _whole(name: str, tokens: int, *, chat: bool, usage: bool) -> Answer:
    text = " warm" * tokens
    choice: dict[str, Any] = {"index": 0, "finish_reason": "length", "logprobs": None}
    choice |= {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    body = _head(name, chat=chat) | {"choices": [choice], "usage": _usage(tokens)}
    ready = json.dumps(body).encode()
    return Answer(status=200, body=ready, after_s=FIRST_TOKEN_S + TOKEN_S * tokens, tokens=tokens)


def _stream(name: str, tokens: int, *, chat: bool, usage: bool) -> Answer:
    head = _head(name, chat=chat, chunk=True)
    chunks = []
    for number in range(tokens):
        reason = "length" if number == tokens - 1 else None
        choice: dict[str, Any] = {"index": 0, "logprobs": None, "finish_reason": reason}
        choice |= _delta(number) if chat else {"text": " warm"}
        chunks.append(_event(head | {"choices": [choice]}))
    if usage:
        chunks.append(_event(head | {"choices": [], "usage": _usage(tokens)}))
    chunks.append(b"data: [DONE]\n\n")
    return Answer(
        status=200,
        content_type="text/event-stream; charset=utf-8",
        after_s=FIRST_TOKEN_S,
        chunks=chunks,
        tokens=tokens,
    )


def _delta(number: int) -> dict[str, Any]:
    first = {"role": "assistant"} if number == 0 else {}
    return {"delta": first | {"content": " warm"}}


def _head(name: str, *, chat: bool, chunk: bool = False) -> dict[str, Any]:
    kind = "chat.completion" if chat else "text_completion"
    suffix = ".chunk" if chat and chunk else ""
    return {"id": "cmpl-simulated", "object": kind + suffix, "created": 0, "model": name}


def _event(body: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def _error(status: int, kind: str, message: str, parameter: str | None) -> Answer:
    error = {"message": message, "type": kind, "param": parameter, "code": status}
    return _json(status, {"error": error})


def _json(status: int, body: Mapping[str, Any]) -> Answer:
    return Answer(status=status, body=json.dumps(body).encode())

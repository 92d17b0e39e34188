"""What servers answer: paths by runtime, keys, names, and bodies that make no sense."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from simulator.world.answers import Call, answer
from simulator.world.profiles import Profile, Runtime
from tests.simulator.world.worlds import MODEL

HUGGINGFACE = replace(MODEL, runtime=Runtime.HUGGINGFACESERVER)
KEYED = replace(MODEL, api_key="secret")
LLM = replace(MODEL, runtime=Runtime.LLMISVC)
SKLEARN = replace(MODEL, runtime=Runtime.SKLEARN)
GOOD = {"model": "llama", "prompt": "x", "max_tokens": 4}
KEY = {"authorization": "Bearer secret"}


@pytest.mark.parametrize(
    ("profile", "method", "path", "body", "headers", "status"),
    [
        pytest.param(MODEL, "GET", "/health", None, {}, 200, id="health"),
        pytest.param(MODEL, "GET", "/v1/models", None, {}, 200, id="list"),
        pytest.param(MODEL, "POST", "/v1/completions", GOOD, {}, 200, id="completion"),
        pytest.param(MODEL, "GET", "/v1/completions", None, {}, 405, id="wrong method"),
        pytest.param(MODEL, "GET", "/nowhere", None, {}, 404, id="unknown path"),
        pytest.param(MODEL, "POST", "/openai/v1/completions", GOOD, {}, 404, id="wrong base path"),
        pytest.param(
            MODEL, "POST", "/v1/completions", GOOD | {"model": "x"}, {}, 404, id="wrong name"
        ),
        pytest.param(MODEL, "POST", "/v1/completions", {"model": "llama"}, {}, 400, id="no prompt"),
        pytest.param(
            MODEL, "POST", "/v1/completions", GOOD | {"max_tokens": -1}, {}, 400, id="no tokens"
        ),
        pytest.param(MODEL, "POST", "/v1/chat/completions", GOOD, {}, 400, id="no messages"),
        pytest.param(KEYED, "GET", "/v1/models", None, {}, 401, id="key missing"),
        pytest.param(KEYED, "GET", "/v1/models", None, KEY, 200, id="key given"),
        pytest.param(KEYED, "GET", "/health", None, {}, 200, id="health needs no key"),
        pytest.param(
            HUGGINGFACE, "POST", "/openai/v1/completions", GOOD, {}, 200, id="openai path"
        ),
        pytest.param(HUGGINGFACE, "POST", "/v1/completions", GOOD, {}, 404, id="no bare path"),
        pytest.param(HUGGINGFACE, "GET", "/health", None, {}, 404, id="no health"),
        pytest.param(HUGGINGFACE, "GET", "/v2/health/ready", None, {}, 200, id="v2 health"),
        pytest.param(SKLEARN, "POST", "/v1/completions", GOOD, {}, 404, id="not an LLM"),
        pytest.param(SKLEARN, "POST", "/v1/models/llama:predict", {}, {}, 200, id="predict"),
    ],
)
def test_status(
    profile: Profile,
    method: str,
    path: str,
    body: dict[str, Any] | None,
    headers: dict[str, str],
    status: int,
) -> None:
    sent = b"" if body is None else json.dumps(body).encode()
    call = Call(method=method, path=path, headers=headers, body=sent)
    assert answer(profile, call).status == status


def test_a_body_that_is_no_json_is_refused_in_vllms_words() -> None:
    made = answer(MODEL, Call(method="POST", path="/v1/completions", body=b"{"))
    assert made.status == 400
    assert json.loads(made.body)["error"]["type"] == "BadRequestError"


def test_a_completion_counts_its_tokens_and_says_why_it_ended() -> None:
    call = Call(method="POST", path="/v1/completions", body=json.dumps(GOOD).encode())
    body = json.loads(answer(MODEL, call).body)
    assert body["usage"]["completion_tokens"] == 4
    assert body["choices"][0]["finish_reason"] == "length"


def test_a_stream_ends_with_done_and_usage_when_asked() -> None:
    options = {"stream": True, "stream_options": {"include_usage": True}}
    call = Call(method="POST", path="/v1/completions", body=json.dumps(GOOD | options).encode())
    made = answer(MODEL, call)
    assert len(made.chunks) == 6
    assert made.chunks[-1] == b"data: [DONE]\n\n"
    assert b'"completion_tokens": 4' in made.chunks[-2]


def test_an_llm_service_serves_two_names() -> None:
    listed = json.loads(answer(LLM, Call(method="GET", path="/v1/models")).body)["data"]
    assert [each["id"] for each in listed] == ["llama", "publishers/chat/models/llama"]

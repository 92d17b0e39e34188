"""Calls through the ingress: who answers, with which status and body."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from simulator.store.resources import INFERENCESERVICES
from simulator.world.answers import Call
from simulator.world.calling import Callers
from simulator.world.profiles import Runtime
from simulator.world.trips import Reply
from tests.simulator.world.worlds import MODEL, Bench, bench

BODY = json.dumps({"model": "llama", "prompt": "x", "max_tokens": 4}).encode()
CALL = Call(method="POST", path="/v1/completions", body=BODY)
HOST = "llama-predictor.chat.example.com"
LLM = replace(MODEL, runtime=Runtime.LLMISVC, min_replicas=1)


def calls(at: Bench, host: str = HOST, call: Call = CALL) -> list[Reply]:
    """The replies to one call, as far as they are there; asked again later, they may be more."""
    replies: list[Reply] = []
    Callers(at.world).call(host, call, replies.append)
    return replies


def test_a_held_call_is_answered_by_the_server_once_it_is_up() -> None:
    at = bench()
    at.asleep()
    replies = calls(at)
    assert replies == []
    at.run(60)
    (reply,) = replies
    assert (reply.hop, reply.answer.status) == ("server", 200)


def test_a_call_held_beyond_the_timeout_gets_the_activators_words() -> None:
    at = bench(revision_timeout_s=5)
    at.asleep()
    replies = calls(at)
    at.run(6)
    (reply,) = replies
    assert (reply.hop, reply.answer.status) == ("activator", 504)
    assert reply.answer.body == b"activator request timeout"
    assert reply.answer.content_type.startswith("text/plain")


@pytest.mark.parametrize(
    ("host", "path"),
    [
        pytest.param("nobody.chat.example.com", "/v1/models", id="unknown host"),
        pytest.param("llama.elsewhere.example.com", "/v1/models", id="unknown namespace"),
        pytest.param("example.com", "/v1/models", id="the bare domain"),
    ],
)
def test_without_a_route_the_ingress_says_404(host: str, path: str) -> None:
    at = bench()
    at.apply(MODEL)
    at.wait_ready()
    (reply,) = calls(at, host, Call(method="GET", path=path))
    assert (reply.hop, reply.answer.status, reply.answer.body) == ("ingress", 404, b"")


def test_a_standard_model_at_zero_is_refused_by_the_ingress_at_once() -> None:
    at = bench(knative=None)
    standard = replace(MODEL, min_replicas=1, autoscaler="none")
    at.apply(standard)
    at.wait_ready(standard)
    at.patch(INFERENCESERVICES, "llama", lambda obj: _predictor(obj).update(minReplicas=0))
    at.run(30)
    (reply,) = calls(at, "llama-chat.example.com")
    assert (reply.hop, reply.answer.status) == ("ingress", 503)
    assert reply.answer.body == b"no healthy upstream"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/chat/llama/v1/completions", id="by namespace and name"),
        pytest.param("/publishers/chat/models/llama/v1/completions", id="by publisher"),
    ],
)
def test_an_llm_service_is_reached_by_its_path(path: str) -> None:
    at = bench(knative=None)
    at.apply(LLM)
    at.wait_ready(LLM)
    at.run(20)
    (reply,) = calls(at, "anything", replace(CALL, path=path))
    assert (reply.hop, reply.answer.status) == ("server", 200)


def test_calls_are_counted_on_the_servers_page_and_written_to_its_log() -> None:
    at = bench()
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    callers, replies = Callers(at.world), list[Reply]()
    callers.call(HOST, CALL, replies.append)
    replies[0].finish()
    uid = at.pods()[0]["metadata"]["uid"]
    text = callers.counters.servers[uid].text()
    assert (
        'vllm:request_success_total{engine="0",finished_reason="length",model_name="llama"} 1.0'
        in text
    )
    assert 'http_requests_total{handler="/v1/completions",method="POST",status="2xx"} 1.0' in text
    log = at.world.kubelet.log(uid, "kserve-container", previous=False)
    assert log is not None
    assert log[-1][1].endswith('"POST /v1/completions HTTP/1.1" 200 OK')


def test_a_canary_gets_its_share() -> None:
    at = bench()
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    at.patch(INFERENCESERVICES, "llama", _canary)
    at.run(60)
    traffic = at.isvc()["status"]["components"]["predictor"]["traffic"]
    assert [(each["revisionName"], each["percent"]) for each in traffic] == [
        ("llama-predictor-00002", 20),
        ("llama-predictor-00001", 80),
    ]
    assert traffic[1]["tag"] == "prev"
    callers, replies = Callers(at.world), list[Reply]()
    for _ in range(50):
        callers.call(HOST, CALL, replies.append)
    by_pod = {reply.pod_uid for reply in replies}
    canary = at.pods()[-1]["metadata"]["uid"]
    assert len(by_pod) == 2
    assert 5 <= sum(reply.pod_uid == canary for reply in replies) <= 15


def _predictor(obj: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = obj["spec"]["predictor"]
    return found


def _canary(obj: dict[str, Any]) -> None:
    _predictor(obj)["canaryTrafficPercent"] = 20
    _predictor(obj)["model"]["args"].append("--max-num-seqs=8")

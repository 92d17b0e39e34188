"""Which series moves at which hop, for every way in which a call can end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.world.accidents import Accidents
from simulator.world.answers import Call
from simulator.world.passages import Fate
from tests.simulator.metering.metered import CALL, STREAM, Metered, metered
from tests.simulator.world.worlds import MODEL

STATUS = "http_response_status_code"
SERVER = "http_server_request_duration_seconds_count"
CLIENT = "http_client_request_duration_seconds_count"
APP = "kn_serving_invocation_duration_seconds_count"
OP_ERROR, CLOSED = "net.OpError", "errors.errorString"


def seen(at: Metered) -> tuple[str, ...]:
    """CQ, I, SQ, CA, SA: the one status each counted, or nothing."""
    columns = (
        at.moved("queue-proxy", CLIENT, STATUS),
        at.moved("queue-proxy", APP, STATUS),
        at.moved("queue-proxy", SERVER, STATUS),
        at.moved("activator", CLIENT, STATUS),
        at.moved("activator", SERVER, STATUS),
    )
    assert all(len(each) < 2 for each in columns)
    return tuple(next(iter(each), "-") for each in columns)


def through(fate: Fate, call: Call = CALL, **more: object) -> Metered:
    """Two calls through the activator that end in this way."""
    at = metered()
    at.afflict(fate, **more)
    at.call(call, times=2)
    at.at.run(400)
    return at


@pytest.mark.parametrize(
    ("at", "moved", "errors", "gone"),
    [
        pytest.param(
            lambda: through(Fate.ANSWERED),
            ("200", "200", "200", "200", "200"),
            {},
            0,
            id="an answer is counted by all",
        ),
        pytest.param(
            lambda: through(Fate.ANSWERED, status=500),
            ("500", "500", "500", "500", "500"),
            {"container": {"500": 2}},
            0,
            id="what the model answers is counted by all",
        ),
        pytest.param(
            lambda: through(Fate.REFUSED),
            (OP_ERROR, "502", "502", "502", "502"),
            {"queue-proxy": {"502": 2}},
            0,
            id="the server refuses: an error type at the one who called it",
        ),
        pytest.param(
            lambda: through(Fate.UNREACHABLE),
            ("-", "-", "-", OP_ERROR, "502"),
            {"activator": {"502": 2}},
            0,
            id="the pod is not reached: nothing in it",
        ),
        pytest.param(
            lambda: through(Fate.ANSWERED, slower_s=1000.0),
            (CLOSED, "200", "504", "504", "504"),
            {"activator": {"504": 2}},
            0,
            id="slower than the timeout: both clocks end, the histogram of the server says 200",
        ),
        pytest.param(
            lambda: through(
                Fate.ANSWERED, replace(CALL, patience_s=5.0), slower_s=30.0
            ),
            (CLOSED, "200", "200", CLOSED, "200"),
            {},
            2,
            id="the caller leaves before the first byte: 200 everywhere",
        ),
        pytest.param(
            lambda: through(Fate.BROKEN, STREAM),
            ("200", "500", "-", "200", "-"),
            {},
            0,
            id="a stream that breaks: no server series anywhere",
        ),
    ],
)  # fmt: skip
def test_through_the_activator(at: object, moved: object, errors: object, gone: int) -> None:
    made = at() if callable(at) else at
    assert isinstance(made, Metered)
    assert seen(made) == moved
    told = made.told()
    assert (told["requests"], told["errors"], told["client_gone"]) == (2, errors, gone)


def test_held_beyond_the_timeout_is_known_to_the_activator_alone() -> None:
    at = metered(MODEL, revision_timeout_s=5)
    at.at.run(200)
    at.call(times=3)
    at.at.run(6)
    assert seen(at) == ("-", "-", "-", "-", "504")
    assert at.told()["errors"] == {"activator": {"504": 3}}


def test_a_held_caller_with_a_body_that_leaves_is_served_all_the_same() -> None:
    at = metered(MODEL)
    at.at.run(200)
    at.call(replace(CALL, patience_s=2.0), times=2)
    at.at.run(60)
    assert seen(at) == (CLOSED, "200", "200", CLOSED, "200")
    assert at.told() == {"requests": 2, "errors": {}, "client_gone": 2}


def test_a_held_caller_without_a_body_that_leaves_is_a_500_that_nobody_gets() -> None:
    at = metered(MODEL)
    at.at.run(200)
    at.call(Call(method="GET", path="/v1/models", patience_s=2.0))
    at.at.run(60)
    assert seen(at) == ("-", "-", "-", "-", "500")
    assert at.told() == {"requests": 1, "errors": {}, "client_gone": 1}


def test_a_stream_that_a_timeout_cuts_is_200_but_for_the_histogram_of_the_server() -> None:
    at = metered(revision_timeout_s=1)
    long = STREAM.body.replace(b'"max_tokens": 4', b'"max_tokens": 400')
    at.call(replace(STREAM, body=long))
    at.at.run(10)
    assert seen(at) == ("200", "500", "200", "200", "200")
    assert at.told()["errors"] == {}


def test_one_call_may_stand_for_many() -> None:
    at = metered()
    at.call(replace(CALL, times=40))
    at.at.run(5)
    assert at.moved("queue-proxy", SERVER, STATUS) == {"200": 40}
    assert at.moved("vllm", "vllm:request_success_total", "finished_reason") == {"length": 40}
    assert at.told()["requests"] == 40


@pytest.mark.parametrize(
    ("fate", "more", "app", "queue", "activator"),
    [
        pytest.param(Fate.ANSWERED, {"status": 500}, "500", "500", "500", id="the model's 500"),
        pytest.param(Fate.REFUSED, {}, "502", "502", "502", id="refused by the server"),
        pytest.param(Fate.UNREACHABLE, {}, "-", "-", "502", id="the pod is not reached"),
        pytest.param(Fate.ANSWERED, {"slower_s": 1000.0}, "502", "504", "504", id="too slow"),
    ],
)
def test_the_oldest_era(
    fate: Fate, more: dict[str, object], app: str, queue: str, activator: str
) -> None:
    at = metered(knative=(1, 18))
    at.afflict(fate, **more)
    at.call(times=2)
    at.at.run(400)
    names = ("revision_app_request_count", "revision_request_count")
    found = [at.moved("queue-proxy", name, "response_code") for name in names]
    found.append(at.moved("activator", "activator_request_count", "response_code"))
    wanted = [{} if code == "-" else {code: 2} for code in (app, queue, activator)]
    assert found == wanted


def test_the_years_between_name_the_servers_histogram_otherwise() -> None:
    at = metered(knative=(1, 20))
    at.call()
    at.at.run(5)
    between = "kn_queueproxy_app_duration_seconds_count"
    assert at.moved("queue-proxy", between, STATUS) == {"200": 1}
    assert at.moved("queue-proxy", APP, STATUS) == {}


def test_past_the_activator_only_the_pod_counts() -> None:
    at = metered(replace(MODEL, min_replicas=1, burst_capacity=0))
    at.call(times=3)
    at.at.run(5)
    assert seen(at) == ("200", "200", "200", "-", "-")
    hosts = at.moved("queue-proxy", SERVER, "server_address")
    assert hosts == {"llama-predictor.chat.example.com": 3}


def test_a_full_queue_is_refused_by_queue_proxy_alone() -> None:
    at = metered(replace(MODEL, min_replicas=1, burst_capacity=0, concurrency=4))
    at.afflict(Fate.QUEUE_FULL)
    at.call(times=3)
    at.at.run(5)
    assert seen(at) == ("-", "-", "503", "-", "-")
    assert at.told()["errors"] == {"queue-proxy": {"503": 3}}


def test_past_the_activator_calls_keep_pods_all_the_same() -> None:
    at = metered(replace(MODEL, burst_capacity=0))
    for _ in range(60):
        at.call()
        at.at.run(5)
    assert at.at.ready_pods() == 1
    at.at.run(200)
    assert at.at.ready_pods() == 0


def test_what_is_under_way_when_the_server_ends_is_a_502_of_queue_proxy() -> None:
    at = metered()
    at.afflict(Fate.ANSWERED, slower_s=20.0)
    at.call(times=2)
    at.at.run(5)
    world = at.at.world
    state = next(each for each in world.kubelet.pods.values() if each.ready)
    pod = world.kubelet.pod_of(state)
    assert pod is not None
    Accidents(world.kubelet).kill_for_memory(state, pod)
    at.at.run(30)
    assert at.moved("queue-proxy", SERVER, STATUS) == {"502": 2}
    assert at.told()["errors"] == {"queue-proxy": {"502": 2}}

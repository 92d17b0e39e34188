"""A real completion over HTTP: a small server of our own answers as gateways and models do."""

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import msgspec
import pytest

from fleet.adapters.openai.caller import BODY_BYTES, OpenAiCaller
from fleet.domain.plans.answers import Heard, Verdict, hop_of, verdict
from fleet.ports import Answer

STREAM = "text/event-stream; charset=utf-8"
TOKEN = b'data: {"choices":[{"text":" ok","finish_reason":null}]}\n\n'
EMPTY = b'data: {"choices":[{"text":"","finish_reason":null}]}\n\n'
DONE = b"data: [DONE]\n\n"


class Handler(BaseHTTPRequestHandler):
    """Answers what the test put there; keeps what it was asked."""

    status: ClassVar[int] = 200
    kind: ClassVar[str] = STREAM
    body: ClassVar[bytes] = TOKEN + DONE
    headers_out: ClassVar[dict[str, str]] = {}
    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:  # noqa: N802 - the server's own name
        length = int(self.headers["Content-Length"])
        body = msgspec.json.decode(self.rfile.read(length))
        self.asked.append({"path": self.path, "body": body, "headers": dict(self.headers)})
        self.send_response(self.status)
        self.send_header("Content-Type", self.kind)
        for name, value in self.headers_out.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def gateway() -> Iterator[tuple[str, type[Handler]]]:
    made = type("Made", (Handler,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", made
    server.shutdown()
    thread.join()
    server.server_close()


def complete(url: str, **given: Any) -> Answer:
    caller = OpenAiCaller(gateway_url=url, allowed=())
    asked: dict[str, Any] = {
        "url": "http://llama.vllm.example.com",
        "path": "/v1/completions",
        "model": "llama",
        "tokens": 8,
        "timeout_s": 5,
        "api_key": None,
    }
    return caller.complete(**{**asked, **given})


def heard(answer: Answer) -> Heard:
    return Heard(
        status=answer.status,
        content_type=answer.content_type,
        body=answer.body_excerpt,
        tokens=answer.ttft_s is not None,
    )


def test_the_request_goes_to_the_gateway_under_the_models_name(
    gateway: tuple[str, type[Handler]],
) -> None:
    url, server = gateway
    answer = complete(url, api_key="k")
    (asked,) = server.asked
    assert asked["path"] == "/v1/completions"
    assert asked["headers"]["Host"] == "llama.vllm.example.com"
    assert asked["headers"]["Authorization"] == "Bearer k"
    assert (asked["body"]["model"], asked["body"]["max_tokens"]) == ("llama", 8)
    assert asked["body"]["stream"] is True
    assert answer.ttft_s is not None
    assert answer.total_s is not None
    assert 0 <= answer.ttft_s <= answer.total_s


def test_prompts_differ_so_that_no_prefix_cache_answers(
    gateway: tuple[str, type[Handler]],
) -> None:
    url, server = gateway
    complete(url)
    complete(url)
    first, second = (asked["body"]["prompt"] for asked in server.asked)
    assert first != second


@pytest.mark.parametrize(
    ("status", "kind", "body", "expected"),
    [
        pytest.param(200, STREAM, TOKEN + DONE, Verdict.SERVES, id="a token in the stream"),
        pytest.param(
            200,
            STREAM,
            b'data: {"choices":[{"text":"","finish_reason":"length"}]}\n\n',
            Verdict.SERVES,
            id="a reasoning model's text may be empty",
        ),
        pytest.param(200, STREAM, EMPTY + DONE, Verdict.DOWN, id="a stream without any token"),
        pytest.param(
            200,
            STREAM,
            EMPTY + b'data: {"error":{"message":"engine died"}}\n\n' + DONE,
            Verdict.DOWN,
            id="an error after a 200",
        ),
        pytest.param(
            200,
            "application/json",
            b'{"choices":[{"text":"hi","finish_reason":"length"}]}',
            Verdict.SERVES,
            id="answered whole, not streamed",
        ),
        pytest.param(
            401, "application/json", b'{"error":"Unauthorized"}', Verdict.NEEDS_KEY, id="401"
        ),
        pytest.param(
            404,
            "application/json",
            b'{"error":{"message":"The model `x` does not exist."}}',
            Verdict.UNKNOWN_NAME,
            id="404 of the model's server: the name is wrong",
        ),
        pytest.param(404, "text/plain", b"", Verdict.NO_ROUTE, id="404 of the gateway: no route"),
        pytest.param(
            400, "application/json", b'{"error":{}}', Verdict.BAD_REQUEST, id="400: up, refuses"
        ),
        pytest.param(503, "text/plain", b"no healthy upstream", Verdict.DOWN, id="503"),
        pytest.param(302, "text/html", b"", Verdict.BAD_REQUEST, id="a redirect is not followed"),
    ],
)
def test_what_an_answer_means(
    gateway: tuple[str, type[Handler]], status: int, kind: str, body: bytes, expected: Verdict
) -> None:
    url, server = gateway
    server.status, server.kind, server.body = status, kind, body
    server.headers_out = {"Location": "http://169.254.169.254/"} if status == 302 else {}
    assert verdict(heard(complete(url))) is expected
    assert len(server.asked) == 1


def test_a_body_without_an_end_is_bounded(gateway: tuple[str, type[Handler]]) -> None:
    url, server = gateway
    server.body = b"x" * (BODY_BYTES * 4)
    answer = complete(url)
    assert (answer.status, answer.ttft_s) == (200, None)


def test_what_was_packed_though_we_asked_for_plain_is_not_unpacked(
    gateway: tuple[str, type[Handler]],
) -> None:
    url, server = gateway
    server.headers_out = {"Content-Encoding": "gzip"}
    server.body = gzip.compress(TOKEN + b"x" * (BODY_BYTES * 100) + DONE)
    answer = complete(url)
    assert (answer.status, answer.ttft_s) == (200, None)


def test_nobody_there_is_an_answer_too() -> None:
    answer = complete("http://127.0.0.1:9")
    assert answer.status is None
    assert answer.error.startswith("ConnectError")
    assert verdict(heard(answer)) is Verdict.NO_ANSWER


@pytest.mark.parametrize(
    ("kind", "body", "hop"),
    [
        pytest.param("text/plain", "activator request timeout", "activator", id="activator"),
        pytest.param("text/plain", "request timeout", "queue-proxy", id="queue-proxy"),
        pytest.param("text/plain", "pending request queue full", "queue-proxy", id="queue full"),
        pytest.param("text/plain", "no healthy upstream", "ingress", id="ingress"),
        pytest.param("application/json", "{}", "container", id="the model's server"),
        pytest.param("text/html", "<html>", "", id="cannot be told"),
    ],
)
def test_which_hop_answers_badly(kind: str, body: str, hop: str) -> None:
    assert hop_of(Heard(status=503, content_type=kind, body=body)) == hop

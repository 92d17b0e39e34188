"""Bodies that come a byte now and then, or not whole."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import urllib3

from fleet.adapters.kubernetes.bodies import body_within

Writing = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def answered(write: Writing, *, length: int) -> Iterator[urllib3.BaseHTTPResponse]:
    """An open response of a server that writes its body so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802 - the server's own name
            self.send_response(200)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            write(self)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        with urllib3.PoolManager(retries=False) as pool:
            url = f"http://127.0.0.1:{server.server_port}/"
            yield pool.request("GET", url, preload_content=False, timeout=5.0)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """A byte each 20 ms until the other side goes."""
    try:
        for _ in range(3000):
            handler.wfile.write(b"#")
            time.sleep(0.02)
    except OSError:
        return


def test_a_body_that_drips_is_given_up() -> None:
    began = time.monotonic()
    with (
        answered(dripping, length=3000) as response,
        pytest.raises(TimeoutError, match=r"no whole answer within 0 s"),
    ):
        body_within(response, 1_000_000, whole_s=0.2)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("at_most", "read"),
    [
        pytest.param(1_000_000, 300_000, id="whole"),
        pytest.param(100_001, 100_001, id="no more than is asked for"),
    ],
)
def test_a_body_that_comes_is_read(at_most: int, read: int) -> None:
    with answered(lambda h: void(h.wfile.write(b"x" * 300_000)), length=300_000) as response:
        assert body_within(response, at_most, whole_s=30.0) == b"x" * read


def test_a_body_that_ends_too_early_is_an_error() -> None:
    with (
        answered(lambda h: void(h.wfile.write(b"half")), length=8) as response,
        pytest.raises(urllib3.exceptions.HTTPError),
    ):
        body_within(response, 1000, whole_s=30.0)


def void(_: object) -> None:
    """What was written is of no interest."""

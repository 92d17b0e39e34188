"""A server that answers as a real Prometheus was recorded to."""

import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

ANSWERS = Path("tests/fixtures/metrics/prometheus")


def names(prefix: str = "") -> list[str]:
    """Recorded answers."""
    return sorted(path.stem for path in ANSWERS.glob(f"{prefix}*.json"))


def answer(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ANSWERS / f"{name}.json").read_text())
    return found


def body_of(name: str) -> bytes:
    """As it came over the wire: text or JSON."""
    body = answer(name)["body"]
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


class Server:
    """Answers everything alike; keeps what it was asked."""

    def __init__(self) -> None:
        self.status, self.body = 200, b"{}"
        self.kind = "application/json"
        self.headers: dict[str, str] = {}
        self.asked: list[dict[str, Any]] = []
        self.url = ""
        # Seconds between bytes; 0 = all at once.
        self.drip_s = 0.0

    def say(self, name: str) -> None:
        """From now on this recorded answer."""
        found = answer(name)
        self.status, self.body = found["status"], body_of(name)
        self.kind = found["headers"].get("Content-Type", "text/plain")

    def write(self, to: BufferedIOBase) -> None:
        """The body, until it is sent or the other side goes."""
        with suppress(OSError):
            if not self.drip_s:
                to.write(self.body)
                return
            for number in range(len(self.body)):
                to.write(self.body[number : number + 1])
                time.sleep(self.drip_s)


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server on loopback."""
    made = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802 - the server's own name
            length = int(self.headers.get("Content-Length", 0))
            form = parse_qs(self.rfile.read(length).decode())
            self._answer(form)

        def do_GET(self) -> None:  # noqa: N802 - the server's own name
            self._answer({})

        def _answer(self, form: dict[str, list[str]]) -> None:
            made.asked.append({"path": self.path, "form": form, "headers": dict(self.headers)})
            self.send_response(made.status)
            self.send_header("Content-Type", made.kind)
            for name, value in made.headers.items():
                self.send_header(name, value)
            self.end_headers()
            made.write(self.wfile)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    made.url = f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

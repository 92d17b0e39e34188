"""Open watches that must end at once: their sockets are shut from another thread."""

import contextlib
import socket
import threading
from collections.abc import Iterator

import urllib3

from fleet.errors import ClusterUnreachable


class OpenStreams:
    """The responses that threads are blocked on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[urllib3.BaseHTTPResponse] = set()
        self._ended = False

    @contextlib.contextmanager
    def held(self, response: urllib3.BaseHTTPResponse) -> Iterator[None]:
        """While one thread reads it. Raises ClusterUnreachable if all was ended already."""
        with self._lock:
            if self._ended:
                raise ClusterUnreachable("reading was ended")
            self._open.add(response)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(response)
            response.close()

    def end(self) -> None:
        """Wake every reader: its stream breaks now."""
        with self._lock:
            self._ended = True
            for response in self._open:
                _shut(response)


def _shut(response: urllib3.BaseHTTPResponse) -> None:
    """Shut the connection below TLS: closing the response would wait for the blocked reader."""
    sock = getattr(getattr(response, "connection", None), "sock", None)
    if isinstance(sock, socket.socket):
        with contextlib.suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

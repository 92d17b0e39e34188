"""A Prometheus-compatible HTTP API: bounded, timed, no redirects, no proxies of the environment."""

import copy
import math
import ssl
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import SplitResult

import httpx

from fleet.adapters.openai.hosts import PORTS, NotAllowed, allowed_host, checked, resolved
from fleet.adapters.prometheus.answers import (
    Answer,
    Build,
    Row,
    decoded,
    refusal,
    unreachable,
)
from fleet.errors import BadInput, ClusterRefused, ClusterUnreachable

USER_AGENT = "pilot-light/0.1"
CONNECT_S = 5.0
# The server is told to give up first, and then says why.
SERVER_S = 20
READ_S = 25.0
WHOLE_S = 30.0
# A question that has less time left is not asked.
LEAST_S = 0.5
BODY_BYTES = 64 * 1024 * 1024
ERROR_BODY_BYTES = 64 * 1024
# Headers that are ours to set.
OWN_HEADERS = frozenset({"host", "authorization", "content-length", "content-type", "user-agent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusAccess:
    """Where it answers (a path in front of /api/v1 is kept), and who we are there.

    bearer, or username and password, or neither; called for each request, never kept. headers:
    plain ones, such as the tenant of a store for many. allowed: hosts that may be called, None =
    any but metadata and link-local addresses.
    """

    url: str
    bearer: Callable[[], str] | None = None
    basic: Callable[[], tuple[str, str]] | None = None
    ca_pem: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    allowed: Collection[str] | None = None


class PrometheusClient:
    """Queries of one server; may be used from many threads. Raises only fleet.errors."""

    def __init__(self, access: PrometheusAccess) -> None:
        self._access = access
        self._until = math.inf
        self._http = httpx.Client(
            follow_redirects=False,
            trust_env=False,
            verify=_trust(access.ca_pem),
        )

    def within(self, seconds: float) -> Self:
        """The same client, all of whose answers from now on have to come in so long."""
        bounded = copy.copy(self)
        bounded._until = time.monotonic() + seconds
        return bounded

    def instant(self, query: str, *, at: float, about: str) -> list[Row]:
        """A vector at a moment; about: what is asked for, for people."""
        form = {"query": query, "time": f"{at:.3f}", "timeout": f"{SERVER_S}s"}
        return self._rows("/api/v1/query", form, about)

    def matrix(self, query: str, *, start: float, end: float, step_s: int, about: str) -> list[Row]:
        """A matrix from start to end, both included, in steps."""
        form = {
            "query": query,
            "start": f"{start:.3f}",
            "end": f"{end:.3f}",
            "step": str(step_s),
            "timeout": f"{SERVER_S}s",
        }
        return self._rows("/api/v1/query_range", form, about)

    def version(self) -> str:
        """ "" where the server does not say: compatible stores often do not."""
        try:
            body = self._send("GET", "/api/v1/status/buildinfo", form=None, about="its version")
            return decoded(body, Build, about="its version").data.version[:40]
        except (ClusterRefused, ClusterUnreachable):
            return ""

    def close(self) -> None:
        """Drop idle connections."""
        self._http.close()

    def _rows(self, path: str, form: Mapping[str, str], about: str) -> list[Row]:
        body = self._send("POST", path, form=form, about=about)
        return decoded(body, Answer, about=about).data.result

    def _send(self, method: str, path: str, *, form: Mapping[str, str] | None, about: str) -> bytes:
        deadline = min(time.monotonic() + WHOLE_S, self._until)
        try:
            with self._opened(method, path, form, _timeout(deadline, about=about)) as response:
                if response.status_code != 200:
                    body = _read(response, ERROR_BODY_BYTES, deadline, about=about)
                    raise refusal(response, body, about=about)
                return _read(response, BODY_BYTES, deadline, about=about)
        except NotAllowed as error:
            raise BadInput(f"metrics at {self._access.url} are not asked: {error}") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            raise unreachable(about, error) from error

    @contextmanager
    def _opened(
        self, method: str, path: str, form: Mapping[str, str] | None, timeout: httpx.Timeout
    ) -> Iterator[httpx.Response]:
        """Name and address are looked up once, and that address is called."""
        parts = checked(self._access.url)
        host = parts.hostname or ""
        if self._access.allowed is not None and not allowed_host(host, self._access.allowed):
            raise NotAllowed(f"{host} is not on this cluster's list")
        port = parts.port or PORTS[parts.scheme]
        address = resolved(host, port)
        literal = f"[{address}]" if ":" in address else address
        url = f"{parts.scheme}://{literal}:{port}{parts.path.rstrip('/')}{path}"
        with self._http.stream(
            method,
            url,
            data=dict(form) if form is not None else None,
            headers=self._headers(parts),
            auth=self._access.basic() if self._access.basic else None,
            timeout=timeout,
            extensions={"sni_hostname": host},
        ) as response:
            yield response

    def _headers(self, parts: SplitResult) -> dict[str, str]:
        named = {
            name: value
            for name, value in self._access.headers.items()
            if name.lower() not in OWN_HEADERS
        }
        named |= {"Host": parts.netloc.rpartition("@")[2], "User-Agent": USER_AGENT}
        if self._access.bearer is not None:
            named["Authorization"] = f"Bearer {_token(self._access.bearer())}"
        return named


def _token(given: str) -> str:
    if not given.isascii() or not given.isprintable():
        raise BadInput("the token of the metrics server has letters that no token has")
    return given


def _trust(ca_pem: str) -> ssl.SSLContext | bool:
    """A CA of its own replaces the system's."""
    if not ca_pem:
        return True
    try:
        return ssl.create_default_context(cadata=ca_pem)
    except (ssl.SSLError, ValueError) as error:
        raise BadInput("the CA of the metrics server is no PEM certificate") from error


def _timeout(deadline: float, *, about: str) -> httpx.Timeout:
    left = deadline - time.monotonic()
    if left < LEAST_S:
        raise _too_slow(about)
    return httpx.Timeout(min(READ_S, left), connect=min(CONNECT_S, left))


def _too_slow(about: str) -> ClusterUnreachable:
    return ClusterUnreachable(
        f"metrics: {about}: no whole answer in time. The metrics server is too slow, or its"
        " network is."
    )


def _read(response: httpx.Response, most: int, deadline: float, *, about: str) -> bytes:
    """The body, decompressed; ClusterRefused past its bound, ClusterUnreachable past its time."""
    pieces, size = [], 0
    # As they come: to wait for pieces of one size is to wait for ever for one that drips.
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise ClusterRefused(
                f"metrics: {about}: the answer is larger than {most} bytes. Check that a metrics"
                " server answers at this address, and follow fewer namespaces.",
                status=response.status_code,
                reason="TooLarge",
            )
        if time.monotonic() > deadline:
            raise _too_slow(about)
    return b"".join(pieces)

"""One API server: the official client's configuration and authentication, raw bytes out.

Never the global default configuration: each cluster has its own. Calls may come from many threads.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import urllib3
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import load_incluster_config, load_kube_config
from kubernetes.utils.keepalive import tcp_keepalive_socket_options

from fleet.adapters.kubernetes.answers import (
    FOREIGN,
    error_of,
    raise_unreachable,
    status_of,
)
from fleet.adapters.kubernetes.bodies import body_within
from fleet.adapters.kubernetes.parse.deep import decode
from fleet.errors import ClusterRefused, ClusterUnreachable, CredentialsExpired

USER_AGENT = "pilot-light/0.1"
JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
ERROR_BODY_BYTES = 64 * 1024
# etcd refuses objects over 1.5 MiB by default and pages hold 500; real pages are some megabytes.
# More than this at once would cost a small host its memory, and no API server means it.
BODY_BYTES = 256 * 1024 * 1024
CONNECT_S = 5.0
READ_S = 30.0
# A body whose bytes come one by one is given up; a large page over a slow line is not.
WHOLE_S = 120.0
CLOSE_S = 0.2
# A peer that is gone without a word is noticed after idle + interval x count = 30 s.
KEEPALIVE_S = {"idle": 15, "interval": 5, "count": 3}
# Open watches, lists and a pulse at once.
CONNECTIONS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How to reach one cluster. Exactly one way holds: a kubeconfig's context, in-cluster, or
    server with CA and token.

    kubeconfig: a path, "" = the usual places. token: called for each new client, never kept here.
    """

    context: str = ""
    kubeconfig: str = ""
    server: str = ""
    ca_pem: str = ""
    token: Callable[[], str] | None = None

    def configuration(self) -> Configuration:
        """A fresh configuration; raises ConfigException or OSError when it cannot be read."""
        config = Configuration()
        config.retries = urllib3.Retry(total=False, redirect=False)
        config.connection_pool_maxsize = CONNECTIONS
        config.socket_options = tcp_keepalive_socket_options(**KEEPALIVE_S)
        self._fill(config)
        return config

    def _fill(self, config: Configuration) -> None:
        if self.server:
            config.host = self.server.rstrip("/")
            config.ca_cert_data = self.ca_pem or None
            token = self.token() if self.token else ""
            config.api_key["BearerToken"] = f"Bearer {token}"
        elif self.context:
            load_kube_config(  # type: ignore[no-untyped-call]
                config_file=self.kubeconfig or None,
                context=self.context,
                client_configuration=config,
                persist_config=False,
            )
        else:
            load_incluster_config(  # type: ignore[no-untyped-call]
                client_configuration=config
            )


class Client:
    """GET and POST with time-outs. After a 401 the next call reads the credentials again."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._lock = threading.Lock()
        self._api: ApiClient | None = None

    def get(
        self,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        accept: str = JSON,
        read_s: float = READ_S,
        whole_s: float = WHOLE_S,
    ) -> bytes:
        """The whole body of a 200; raises fleet.errors. whole_s: for all of it."""
        with self.open(path, query=query, accept=accept, read_s=read_s) as response:
            return self._whole(f"GET {path}", response, whole_s=whole_s)

    def post(self, path: str, body: object) -> bytes:
        """The whole body of a 2xx; raises fleet.errors."""
        response = self._send("POST", path, query=None, accept=JSON, body=body, read_s=READ_S)
        with response:
            return self._whole(f"POST {path}", self._checked(f"POST {path}", response))

    def patch(
        self, path: str, body: object, *, query: Mapping[str, str]
    ) -> tuple[bytes, tuple[str, ...]]:
        """A JSON merge patch: the whole body of a 2xx, and the Warning headers; raises
        fleet.errors."""
        response = self._send(
            "PATCH", path, query=query, accept=JSON, body=body, read_s=READ_S, sent=MERGE_PATCH
        )
        with response:
            self._checked(f"PATCH {path}", response)
            try:
                answer = self._whole(f"PATCH {path}", response)
            except ClusterRefused as error:
                # The patch is done; only its answer is of no use.
                raise ClusterUnreachable(str(error)) from error
        return answer, tuple(response.headers.getlist("Warning"))

    def open(
        self,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        accept: str = JSON,
        read_s: float = READ_S,
    ) -> urllib3.BaseHTTPResponse:
        """An open response with status 200, to be read and closed by the caller."""
        response = self._send("GET", path, query=query, accept=accept, body=None, read_s=read_s)
        return self._checked(f"GET {path}", response)

    def close(self) -> None:
        """Drop idle connections; those in use end with their response. Never waits: a plugin that
        hangs while it makes a token holds the lock."""
        if not self._lock.acquire(timeout=CLOSE_S):
            return
        try:
            api, self._api = self._api, None
        finally:
            self._lock.release()
        if api is not None:
            api.rest_client.close()

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None,
        accept: str,
        body: object,
        read_s: float,
        sent: str = JSON,
    ) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": accept} | ({"Content-Type": sent} if body is not None else {})
        try:
            api, (verb, url, sent_headers, sent_body, _) = self._request(
                method, path, query, headers=headers, body=body
            )
            answer = api.call_api(
                verb,
                url,
                header_params=sent_headers,
                body=sent_body,
                _request_timeout=(CONNECT_S, read_s),
            )
        except FOREIGN as error:
            raise_unreachable(f"{method} {path}", error)
        response: urllib3.BaseHTTPResponse = answer.response
        return response

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        *,
        headers: dict[str, str],
        body: object,
    ) -> tuple[ApiClient, tuple[Any, ...]]:
        """The client and what it is to send. One at a time: a plugin may be renewing its token."""
        with self._lock:
            if self._api is None:
                self._api = ApiClient(self._access.configuration())
                self._api.user_agent = USER_AGENT
            request = self._api.param_serialize(
                method,
                path,
                query_params=list((query or {}).items()),
                header_params=headers,
                body=body,
                auth_settings=["BearerToken"],
            )
            return self._api, request

    def _checked(self, what: str, response: urllib3.BaseHTTPResponse) -> urllib3.BaseHTTPResponse:
        if response.status in {200, 201}:
            return response
        error = self._refusal(what, response)
        if isinstance(error, CredentialsExpired):
            self.close()
        raise error

    @staticmethod
    def _whole(what: str, response: urllib3.BaseHTTPResponse, *, whole_s: float = WHOLE_S) -> bytes:
        """The body to its end, decompressed; ClusterRefused when it is larger than BODY_BYTES."""
        try:
            body = body_within(response, BODY_BYTES + 1, whole_s=whole_s)
        except FOREIGN as error:
            raise_unreachable(what, error)
        if len(body) <= BODY_BYTES:
            return body
        raise ClusterRefused(
            f"{what} answered more than {BODY_BYTES} bytes. Follow single namespaces of this"
            " cluster, and check that an API server answers at this address.",
            status=response.status,
            reason="TooLarge",
        )

    @staticmethod
    def _refusal(what: str, response: urllib3.BaseHTTPResponse) -> Exception:
        with response:
            try:
                body = body_within(response, ERROR_BODY_BYTES, whole_s=READ_S)
            except FOREIGN as error:
                raise_unreachable(what, error)
        retry_after = response.headers.get("Retry-After")
        return error_of(
            what, http_status=response.status, status=status_of(body), retry_after=retry_after
        )


def decoded(what: str, body: bytes, decoder: "msgspec.json.Decoder[Any]") -> Any:
    """The body as the decoder's type; an answer that is no such JSON is a cluster out of order."""
    try:
        return decode(decoder, body)
    except msgspec.MsgspecError as error:
        raise_unreachable(what, ValueError(str(error)))

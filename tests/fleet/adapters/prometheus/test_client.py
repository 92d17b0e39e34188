"""Answers and refusals of a Prometheus API, as recorded from a real one, and what we send it."""

import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from fleet.adapters.prometheus import client as client_module
from fleet.adapters.prometheus.answers import Row
from fleet.adapters.prometheus.client import PrometheusAccess, PrometheusClient
from fleet.errors import (
    BadInput,
    ClusterRefused,
    ClusterUnreachable,
    CredentialsExpired,
    FleetError,
    Forbidden,
    NotThere,
)
from simulator.access.certificates import made_certificates
from tests.fleet.adapters.prometheus import recorded
from tests.fleet.adapters.prometheus.recorded import Server, serving

SERIES = [name for name in recorded.names() if name.startswith(("instant", "range", "post"))]
NO_SERIES = ("instant-scalar", "instant-string")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


def ask(server: Server, **access: Any) -> list[Row]:
    client = PrometheusClient(PrometheusAccess(url=server.url, **access))
    try:
        return client.instant("up", at=1_796_033_000.0, about="whether it is up")
    finally:
        client.close()


@pytest.mark.parametrize("name", [name for name in SERIES if name not in NO_SERIES])
def test_every_recorded_answer_is_read(name: str, server: Server) -> None:
    server.say(name)
    found = ask(server)
    wanted = recorded.answer(name)["body"]["data"]["result"]
    assert [row.metric for row in found] == [row["metric"] for row in wanted]
    for row, raw in zip(found, wanted, strict=True):
        points = raw.get("values") or [raw["value"]]
        assert [at for at, _ in row.points()] == [at for at, _ in points]


def test_numbers_that_are_none_are_read_as_such(server: Server) -> None:
    server.say("instant-zero-over-zero")
    assert all(math.isnan(float(value)) for row in ask(server) for _, value in row.points())
    server.say("instant-inf")
    assert all(math.isinf(float(value)) for row in ask(server) for _, value in row.points())


@pytest.mark.parametrize("name", NO_SERIES)
def test_what_is_no_series_is_refused(name: str, server: Server) -> None:
    server.say(name)
    with pytest.raises(ClusterRefused, match="not a Prometheus API's"):
        ask(server)


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        pytest.param("error-timeout", ClusterUnreachable, "took too long", id="a query too long"),
        pytest.param("error-starting", ClusterUnreachable, "starting", id="it is starting"),
        pytest.param("error-no-such-path", NotThere, "its path", id="no API at this path"),
        pytest.param("error-many-to-many", ClusterRefused, "scraped twice", id="a double target"),
        pytest.param("error-too-many-points", ClusterRefused, "11,000", id="too many points"),
        pytest.param("error-unknown-function", ClusterRefused, "ratee", id="no such function"),
        pytest.param("error-admin-disabled", ClusterUnreachable, "disabled", id="a 500"),
    ],
)
def test_a_refusal_says_what_was_asked_and_what_to_do(
    name: str, kind: type[FleetError], says: str, server: Server
) -> None:
    server.say(name)
    with pytest.raises(kind) as caught:
        ask(server)
    assert "whether it is up" in str(caught.value)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("name", recorded.names("error-"))
def test_every_recorded_error_becomes_one_of_ours(name: str, server: Server) -> None:
    server.say(name)
    with pytest.raises(FleetError):
        ask(server)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        pytest.param(302, ClusterRefused, id="it sends elsewhere: not followed"),
        pytest.param(401, CredentialsExpired, id="unknown credentials"),
        pytest.param(403, Forbidden, id="not allowed"),
        pytest.param(429, ClusterUnreachable, id="too many questions"),
        pytest.param(502, ClusterUnreachable, id="a proxy in front has nobody behind it"),
    ],
)
def test_other_statuses(status: int, kind: type[FleetError], server: Server) -> None:
    server.status, server.body, server.kind = status, b"<html>no</html>", "text/html"
    server.headers = {"Location": "http://127.0.0.1:1/", "Retry-After": "7"}
    with pytest.raises(kind) as caught:
        ask(server)
    assert len(server.asked) == 1
    if isinstance(caught.value, ClusterUnreachable):
        assert caught.value.after_s == 7


def test_path_credentials_and_headers_are_sent(server: Server) -> None:
    server.say("instant-up")
    server.url += "/prometheus/"
    ask(server, bearer=lambda: "t0ken", headers={"X-Scope-OrgID": "team", "Host": "evil"})
    asked = server.asked[0]
    assert asked["path"] == "/prometheus/api/v1/query"
    assert asked["headers"]["Authorization"] == "Bearer t0ken"
    assert asked["headers"]["X-Scope-OrgID"] == "team"
    assert asked["headers"]["Host"].startswith("127.0.0.1:")
    assert asked["form"]["query"] == ["up"]


@pytest.mark.parametrize("token", ["tokén", "a\r\nX-A: b"])
def test_a_token_that_is_none_is_not_sent(token: str, server: Server) -> None:
    with pytest.raises(BadInput, match="letters that no token has") as caught:
        ask(server, bearer=lambda: token)
    assert token not in str(caught.value)
    assert not server.asked


def test_name_and_password(server: Server) -> None:
    server.say("instant-up")
    ask(server, basic=lambda: ("reader", "pass"))
    assert server.asked[0]["headers"]["Authorization"] == "Basic cmVhZGVyOnBhc3M="


@pytest.mark.parametrize(
    ("url", "allowed", "says"),
    [
        pytest.param("http://169.254.169.254/", None, "link-local", id="metadata of a cloud"),
        pytest.param("http://127.0.0.1:9/", ("prometheus.example",), "list", id="not on the list"),
        pytest.param("ftp://127.0.0.1/", None, "http", id="another scheme"),
        pytest.param("http://a:b@127.0.0.1/", None, "http", id="credentials in the address"),
    ],
)
def test_addresses_that_are_not_called(
    url: str, allowed: tuple[str, ...] | None, says: str
) -> None:
    client = PrometheusClient(PrometheusAccess(url=url, allowed=allowed))
    with pytest.raises(BadInput, match=says):
        client.instant("up", at=0.0, about="anything")
    client.close()


def test_a_server_that_does_not_listen_is_unreachable() -> None:
    client = PrometheusClient(PrometheusAccess(url="http://127.0.0.1:9"))
    with pytest.raises(ClusterUnreachable, match="anything: ConnectError"):
        client.instant("up", at=0.0, about="anything")
    client.close()


def test_an_answer_without_end_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "BODY_BYTES", 1000)
    server.say("instant-up")
    with pytest.raises(ClusterRefused, match="larger than 1000 bytes"):
        ask(server)


def test_an_answer_that_drips_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "WHOLE_S", 0.6)
    server.say("instant-up")
    server.drip_s = 0.05
    server.body += b" " * 2000
    began = time.monotonic()
    with pytest.raises(ClusterUnreachable, match="whether it is up: no whole answer in time"):
        ask(server)
    assert time.monotonic() - began < 20


def test_all_questions_together_have_their_time(server: Server) -> None:
    server.say("instant-up")
    client = PrometheusClient(PrometheusAccess(url=server.url))
    assert client.within(30.0).instant("up", at=0.0, about="the first")
    with pytest.raises(ClusterUnreachable, match="the second: no whole answer in time"):
        client.within(0.0).instant("up", at=0.0, about="the second")
    assert len(server.asked) == 1
    client.close()


def test_a_version_that_is_not_told_is_no_error(server: Server) -> None:
    client = PrometheusClient(PrometheusAccess(url=server.url))
    server.say("buildinfo")
    assert client.version() == "2.42.0+ds"
    server.say("error-no-such-path")
    assert client.version() == ""
    client.close()


def test_a_ca_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(BadInput, match="no PEM"):
        PrometheusClient(PrometheusAccess(url="https://127.0.0.1/", ca_pem="nonsense"))


def test_a_ca_of_its_own_is_trusted_and_no_other() -> None:
    made = made_certificates(cluster="metrics")
    with serving(made.server_context()) as server:
        server.say("instant-up")
        server.url = server.url.replace("127.0.0.1", "localhost")
        assert ask(server, ca_pem=made.ca.decode())
        with pytest.raises(ClusterUnreachable, match="CERTIFICATE_VERIFY_FAILED"):
            ask(server)

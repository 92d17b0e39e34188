"""Setting where a cluster's metrics are read: tried first, secrets go in and never come out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from fleet import wiring_metrics
from fleet.domain.requests.records import Hop, MetricsFacts
from fleet.errors import ClusterUnreachable
from fleet.models import AuditEntry, Cluster
from fleet.wiring import now, reader_ring
from tests.factories import HOSTILE, make_cluster, make_user

pytestmark = pytest.mark.django_db
URL = "https://prometheus.example.com"
PLACE = {"source": "prometheus", "url": URL}


class Prometheus:
    """Answers, or does not; remembers whom it was asked as."""

    def __init__(self) -> None:
        self.away = False
        self.asked: list[Cluster] = []

    def look(self, cluster: Cluster) -> MetricsFacts:
        self.asked.append(cluster)
        if self.away:
            raise ClusterUnreachable("nothing answers there")
        return MetricsFacts(source="prometheus", asked_at=now(), told=frozenset({Hop.ACTIVATOR}))


@pytest.fixture
def prometheus(monkeypatch: pytest.MonkeyPatch) -> Prometheus:
    found = Prometheus()
    monkeypatch.setattr(wiring_metrics, "look_at_metrics", found.look)
    return found


def sent(client: Client, **fields: Any) -> HttpResponse:
    response = client.post("/clusters/demo-a/metrics/set/", PLACE | fields)
    assert isinstance(response, HttpResponse)
    return response


def kept() -> Cluster:
    return Cluster.objects.get()


def test_it_is_tried_and_kept(admin: Client, prometheus: Prometheus, now: datetime) -> None:
    make_cluster(now=now)
    response = sent(admin, bearer="s3cret", headers="X-Scope-OrgID: team-a\n")
    assert response["Location"] == "/clusters/demo-a/metrics/"
    assert kept().metrics_headers == {"X-Scope-OrgID": "team-a"}
    opened = reader_ring().open(bytes(kept().metrics_secret), about="cluster/demo-a/metrics")
    assert opened == '{"bearer": "s3cret"}'
    assert [row.metrics_url for row in prometheus.asked] == [URL]
    text = admin.get("/clusters/demo-a/metrics/").content.decode()
    assert "demo-a answers: hops told apart: activator." in text
    assert "A secret is kept." in text
    assert "s3cret" not in text


def test_a_failed_try_keeps_nothing_but_what_was_typed(
    admin: Client, prometheus: Prometheus, now: datetime
) -> None:
    make_cluster(now=now)
    prometheus.away = True
    response = sent(admin, bearer="s3cret", headers=f"X-Org: {HOSTILE}")
    assert response.status_code == 422
    text = response.content.decode()
    assert "Not kept: nothing answers there" in text
    assert URL in text
    assert "s3cret" not in text
    assert HOSTILE not in text
    assert kept().metrics_url == ""
    assert not AuditEntry.objects.exists()


def test_it_may_be_kept_untried(admin: Client, prometheus: Prometheus, now: datetime) -> None:
    make_cluster(now=now)
    prometheus.away = True
    assert sent(admin, untried="on").status_code == 302
    assert (kept().metrics_url, prometheus.asked) == (URL, [])


def test_the_kept_secret_is_not_tried_on_another_server(
    admin: Client, prometheus: Prometheus, now: datetime
) -> None:
    make_cluster(now=now, metrics_url=URL, metrics_secret=b"sealed")
    sent(admin, url=f"{URL}/prefix")
    sent(admin, url="https://evil.example.com")
    assert [bytes(row.metrics_secret) for row in prometheus.asked] == [b"sealed", b""]


def test_off(admin: Client, prometheus: Prometheus, now: datetime) -> None:
    make_cluster(now=now, metrics_url=URL, metrics_secret=b"sealed")
    assert sent(admin, source="none").status_code == 302
    assert (kept().metrics_url, bytes(kept().metrics_secret)) == ("", b"")
    assert prometheus.asked == []


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        pytest.param({"url": ""}, "Say where it is.", id="no address"),
        pytest.param({"url": "ftp://host"}, "expected an address", id="another scheme"),
        pytest.param({"username": "me"}, "go together", id="a name without a password"),
        pytest.param(
            {"bearer": "x", "username": "me", "password": "pw"}, "Either a token", id="both"
        ),
        pytest.param({"headers": "nonsense"}, "a colon and a value", id="no header"),
        pytest.param({"headers": "Authorization: x"}, "kept encrypted", id="a secret header"),
        pytest.param({"bearer": "tokén"}, "letters that no token has", id="no token"),
        pytest.param({"ca_pem": "nonsense"}, "certificate in PEM", id="no certificate"),
    ],
)
def test_what_is_refused(
    admin: Client, prometheus: Prometheus, now: datetime, fields: dict[str, str], says: str
) -> None:
    make_cluster(now=now)
    response = sent(admin, **fields)
    assert response.status_code == 422
    assert says in response.content.decode()
    assert prometheus.asked == []


def test_only_admins_set_it(client: Client, prometheus: Prometheus, now: datetime) -> None:
    make_cluster(now=now)
    client.force_login(make_user(role="operator"))
    assert "metrics-form" not in client.get("/clusters/demo-a/metrics/").content.decode()
    assert sent(client).status_code == 403
    assert kept().metrics_url == ""


def test_it_can_be_tested(admin: Client, prometheus: Prometheus, now: datetime) -> None:
    make_cluster(now=now, metrics_url=URL)
    prometheus.away = True
    response = admin.post("/clusters/demo-a/metrics/test/", follow=True)
    assert "nothing answers there" in response.content.decode()

"""The page of a cluster's metrics."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from dashboard.metrics_words import ADVICE, TOLD, UNTOLD
from fleet.domain.requests import advice
from fleet.domain.requests.records import Hop
from tests.factories import HOSTILE, make_cluster, make_user

pytestmark = pytest.mark.django_db
FACTS: dict[str, Any] = {
    "source": "prometheus",
    "asked_at": "2026-11-30T12:00:00Z",
    "version": "3.1.0",
    "era": "opentelemetry",
    "queue_proxy": "target-info",
    "ingress": "istio",
    "vllm": "vllm:",
    "told": ["activator", "queue-proxy"],
    "jobs": {"activator": ["knative/activator"]},
}
URL = {"metrics_url": "http://prometheus:9090"}


def text_of(client: Client, name: str = "demo-a") -> str:
    response = client.get(f"/clusters/{name}/metrics/")
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


def test_every_advice_that_is_given_has_words() -> None:
    given = set(re.findall(r'code="([a-z-]+)"', Path(advice.__file__).read_text()))
    assert given == set(ADVICE)


def test_every_hop_has_words_whether_told_or_not() -> None:
    assert set(TOLD) == set(UNTOLD) == set(Hop)


def test_what_was_found(admin: Client, now: datetime) -> None:
    read_to = now - timedelta(seconds=40)
    make_cluster(now=now, metrics=FACTS, metrics_read_to=read_to, **URL)
    text = text_of(admin)
    assert re.search(r"read up to \d\d s ago", text)
    assert "a Prometheus-compatible server, 3.1.0" in text
    assert "OpenTelemetry" in text
    assert "the revision is known by a join with target_info" in text
    assert "knative/activator" in text
    assert "Nothing: all that these metrics can tell is on." in text


def test_which_hops_can_be_told_and_why_not(admin: Client, now: datetime) -> None:
    jobs = {"activator": ["knative/activator"], "queue-proxy": ["pods"], "app": ["pods"]}
    make_cluster(now=now, metrics=FACTS | {"era": "opencensus", "jobs": jobs}, **URL)
    text = text_of(admin)
    assert re.search(r"model server itself, .*? cannot be told Nothing tells", text)
    assert re.search(r"activator what holds .*? lower bound Exact while all requests pass", text)
    assert re.search(r"ingress the gateway .*? cannot be told No metrics of an ingress", text)


def test_what_to_switch_on_and_that_it_restarts_every_pod(admin: Client, now: datetime) -> None:
    given = [{"code": "request-metrics-off", "rolls_pods": True}, {"code": "metrics-off"}]
    make_cluster(now=now, metrics=FACTS | {"advice": given}, **URL)
    text = text_of(admin)
    assert text.count("This restarts every model pod of the cluster.") == 1
    assert "request-metrics-protocol" in text
    assert "rollout restart deployment activator autoscaler" in text


@pytest.mark.parametrize("code", sorted(ADVICE))
def test_every_advice_is_shown_with_its_words(admin: Client, now: datetime, code: str) -> None:
    make_cluster(now=now, metrics=FACTS | {"advice": [{"code": code}]}, **URL)
    html = admin.get("/clusters/demo-a/metrics/").content.decode()
    assert str(ADVICE[code].title).replace("'", "&#x27;") in html
    assert ('data-copy="snippet-' in html) is bool(ADVICE[code].snippets)


def test_an_advice_of_another_release_is_shown_by_its_code(admin: Client, now: datetime) -> None:
    given = [{"code": HOSTILE, "params": {"job": HOSTILE}}]
    make_cluster(now=now, metrics=FACTS | {"advice": given}, **URL)
    html = admin.get("/clusters/demo-a/metrics/").content.decode()
    assert "<img" not in html
    assert "job &lt;img" in html


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        pytest.param({}, "No metrics are connected.", id="not connected"),
        pytest.param(URL, "Nothing was found out yet", id="not asked yet"),
        pytest.param(
            URL | {"metrics_trouble": {"code": "refused", "text": "answered 401"}},
            "The last reading failed: answered 401",
            id="in trouble",
        ),
    ],
)
def test_before_anything_is_known(
    admin: Client, now: datetime, cluster: dict[str, Any], says: str
) -> None:
    make_cluster(now=now, **cluster)
    assert says in text_of(admin)


def test_only_an_admin_is_offered_the_form(client: Client, now: datetime) -> None:
    make_cluster(now=now, metrics=FACTS, **URL)
    for role, offered in (("admin", True), ("operator", False), ("viewer", False)):
        client.force_login(make_user(role=role))
        html = client.get("/clusters/demo-a/metrics/").content.decode()
        assert ('id="metrics-form"' in html) is offered, role


def test_scope(client: Client, now: datetime) -> None:
    make_cluster(now=now, metrics=FACTS, **URL)
    make_cluster("demo-b", now=now)
    client.force_login(make_user(role="viewer", clusters=["demo-b"]))
    assert client.get("/clusters/demo-a/metrics/").status_code == 404
    assert client.get("/clusters/no-such/metrics/").status_code == 404
    assert "An admin can do it here." in text_of(client, "demo-b")


def test_words_of_the_metrics_server_are_for_who_sees_all_namespaces(
    client: Client, now: datetime
) -> None:
    make_cluster(now=now, metrics_trouble={"text": "GET /namespaces/other/pods/secret-pod"}, **URL)
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    text = text_of(client)
    assert "The last reading failed: why is told to who may see all of the cluster." in text
    assert "secret-pod" not in text


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        pytest.param({}, "Metrics connect…", id="not connected"),
        pytest.param(URL, "Metrics connected nothing read yet", id="not read yet"),
        pytest.param(
            URL | {"metrics": FACTS, "metric_era": "opentelemetry", "read_s": 40},
            r"Metrics OpenTelemetry \d\d s",
            id="era and age",
        ),
        pytest.param(
            URL | {"metrics": FACTS, "metrics_trouble": {"code": "x", "text": "y"}},
            "Metrics no Knative metrics could not be read",
            id="in trouble",
        ),
    ],
)
def test_the_list_of_clusters_says_era_and_age(
    admin: Client, now: datetime, cluster: dict[str, Any], says: str
) -> None:
    read_s = cluster.get("read_s")
    read_to = None if read_s is None else now - timedelta(seconds=read_s)
    fields = {name: value for name, value in cluster.items() if name != "read_s"}
    make_cluster(now=now, metrics_read_to=read_to, **fields)
    html = admin.get("/clusters/").content.decode()
    assert re.search(says, re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)))

"""Requests by hop on a model's page, in its chart and as files."""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from fleet.domain.requests.records import Hop
from fleet.models import RequestHour, ServedModel
from tests.factories import (
    HOSTILE,
    make_cluster,
    make_incident,
    make_model,
    make_start,
    make_user,
    make_windows,
    told_errors,
    told_tally,
)

pytestmark = pytest.mark.django_db
PAGE = "/models/demo-a/InferenceService/chat/llama-3-8b/"
READ = {"metrics_url": "http://prometheus:9090"}


def panel(client: Client, address: str = f"{PAGE}?range=6h") -> str:
    """The text of the panel, tags taken out."""
    html = client.get(address).content.decode()
    found = re.search(r'<section id="model-requests".*?</section>', html, re.S)
    assert found is not None
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", found.group())))


def counted(now: datetime) -> ServedModel:
    """Six requests held too long, two that the model server failed, of a hundred in each window."""
    make_cluster(now=now, metrics_read_to=now, **READ)
    model = make_model()
    at = now.replace(second=0, microsecond=0) - timedelta(minutes=10)
    bound = frozenset({Hop.ACTIVATOR})
    told = frozenset(Hop) - {Hop.INGRESS, Hop.PICKER}
    held = told_tally({(Hop.ACTIVATOR, 504): 6}, told=told, at_least=bound, client_gone=1)
    erred = told_tally({(Hop.CONTAINER, 500): 2}, told=told, broken=3, queued=4.0)
    make_windows(model, {at: held, at + timedelta(seconds=30): erred})
    return model


def test_the_table_says_who_what_how_many_and_what_it_means(admin: Client, now: datetime) -> None:
    counted(now)
    text = panel(admin)
    assert "Requests 200" in text
    assert "5xx that callers got ≥ 8 · ≥ 4.0 %" in text
    assert "activator 504 ≥ 6 ≥ 3.0 % the revision's time limit passed while it was held" in text
    assert "model container 500 2 1.0 % the model server failed on it" in text
    assert "None made by: queue-proxy." in text
    assert "Cannot be told apart here: ingress." in text
    assert "≥ marks a lower bound" in text


def test_who_left_and_streams_that_broke_are_told_apart_from_errors(
    admin: Client, now: datetime
) -> None:
    counted(now)
    text = panel(admin)
    assert re.search(r"Callers that left first .* Nobody got an error. 1 ", text)
    assert re.search(r"Streams that broke off .* Metrics cannot tell which. 3 ", text)
    assert "Waiting, at most 4" in text


def test_revisions_are_told_apart_where_there_are_two(admin: Client, now: datetime) -> None:
    model = counted(now)
    at = now.replace(second=0, microsecond=0) - timedelta(minutes=5)
    make_windows(model, {at: told_tally({(Hop.CONTAINER, 503): 50})}, revision="new")
    text = panel(admin)
    assert "new 100 50 50 %" in text
    assert "llama-3-8b-predictor-00001 200 ≥ 8 ≥ 4.0 %" in text


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        pytest.param({}, "no metrics are connected. Connect metrics…", id="not connected"),
        pytest.param(READ, "for 6 h of it metrics were not read", id="never read"),
        pytest.param(READ | {"metrics_read_to": 0}, "No request in this time.", id="no traffic"),
    ],
)
def test_why_there_is_nothing(
    admin: Client, now: datetime, cluster: dict[str, Any], says: str
) -> None:
    read = {"metrics_read_to": now} if "metrics_read_to" in cluster else {}
    make_cluster(now=now, **cluster | read)
    make_model()
    assert says in panel(admin)


def test_trouble_of_the_last_reading_is_told(admin: Client, now: datetime) -> None:
    trouble = {"code": "refused", "text": f"answered 401 {HOSTILE}", "at": now.isoformat()}
    make_cluster(now=now, metrics_trouble=trouble, **READ)
    make_model()
    html = admin.get(PAGE).content.decode()
    assert "Metrics could not be read last time:" in html
    assert "<img" not in html


def test_its_words_are_for_who_sees_all_namespaces(client: Client, now: datetime) -> None:
    make_cluster(now=now, metrics_trouble={"text": "GET /pods/secret-pod"}, **READ)
    model = make_model()
    client.force_login(make_user(role="viewer", namespaces=[model.namespace]))
    html = client.get(PAGE).content.decode()
    assert "Metrics could not be read last time:" in html
    assert "secret-pod" not in html


def test_a_long_time_says_what_it_does_not_tell(admin: Client, now: datetime) -> None:
    counted(now)
    text = panel(admin, f"{PAGE}?range=7d")
    assert "activator 504 ≥ 6" in text
    assert "are told for a time of up to 24 hours" in text
    assert "Waiting, at most" not in text


def test_a_time_past_its_windows_is_told_by_the_hour(admin: Client, now: datetime) -> None:
    model = counted(now)
    RequestHour.objects.update(windows=None)
    assert "are told for a time of up to 24 hours" in panel(admin)
    found = rows(admin, f"/tables/requests.csv?model={model.key}&range=6h")
    assert {row["seconds"] for row in found} == {"3600"}
    assert sum(int(row["lost_5xx"]) for row in found) == 8


def test_the_chart_gets_requests_and_incidents(admin: Client, now: datetime) -> None:
    model = counted(now)
    began = now - timedelta(minutes=11)
    lost = {"requests_lost": 8, "at_least": True, "ended_at": None}
    incident = make_incident(model, started_at=began, last_error_at=now, **lost)
    columns = admin.get(f"{PAGE}timeline.json?range=1h").json()
    assert sum(n or 0 for n in columns["requests"]["n"]) == 200
    assert [each["hop"] for each in columns["requests"]["hops"]] == ["activator", "container"]
    assert columns["incidents"]["id"] == [incident.pk]
    assert columns["incidents"]["says"] == ["≥ 8 requests lost, going on"]


def rows(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(address)
    assert response.status_code == 200
    text = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


def test_windows_of_one_model_as_a_file(admin: Client, now: datetime) -> None:
    model = counted(now)
    found = rows(admin, f"/tables/requests.csv?model={model.key}&range=6h")
    assert [row["codes"] for row in found] == ["container/500=2", "activator/504=6"]
    assert found[1]["ingress_5xx"] == ""
    assert (found[1]["activator_5xx"], found[1]["queue_proxy_5xx"]) == ("6", "0")
    assert (found[1]["seconds"], found[1]["at_least"]) == ("30", "activator")


def test_hours_of_all_models_as_a_file_within_scope(client: Client, now: datetime) -> None:
    counted(now)
    at = now - timedelta(hours=1)
    make_windows(make_model("hidden", namespace="rag"), {at: told_tally()}, revision="")
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    found = rows(client, "/tables/requests.csv?range=24h")
    assert {row["name"] for row in found} == {"llama-3-8b"}
    assert {row["seconds"] for row in found} == {"3600"}
    hidden = "demo-a/InferenceService/rag/hidden"
    assert rows(client, f"/tables/requests.csv?model={hidden}&range=24h") == []


def test_hostile_revisions_are_text(admin: Client, now: datetime) -> None:
    model = counted(now)
    make_windows(model, {now - timedelta(minutes=2): told_tally()}, revision=HOSTILE)
    html = admin.get(f"{PAGE}?range=1h").content.decode()
    assert "<img" not in html
    assert "&lt;img src=x" in html


def test_what_a_start_cost_stands_with_it(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    model = make_model()
    lost = {"activator": 12, "container": 2, "ingress": None}
    start = make_start(model, started_at=now - timedelta(minutes=9), requests_lost=lost)
    dark = make_start(model, started_at=now - timedelta(minutes=30))
    html = admin.get(PAGE).content.decode()
    assert html.count("14 lost") == 1
    assert "14 (activator 12, model container 2)" in html
    alone = "/cold-starts/{}/".format
    assert "14 (activator 12, model container 2)" in admin.get(alone(start.pk)).content.decode()
    assert "not measured" in admin.get(alone(dark.pk)).content.decode()
    (row, _) = rows(admin, "/tables/cold-starts.csv?range=24h")
    assert (row["requests_lost"], row["requests_lost_by_hop"]) == ("14", "activator=12 container=2")


def test_a_start_in_flight_says_what_it_cost_so_far(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    model = make_model(state="Starting", ready=0)
    begun = now - timedelta(seconds=30)
    make_start(model, started_at=begun, outcome="running", requests_lost={"activator": 3})
    html = admin.get(PAGE).content.decode()
    assert "Requests lost to it so far: 3 (activator 3)" in html


def test_the_fleet_as_a_file_tells_5xx(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    make_model("dark", rank=1)
    make_model("lossy", rank=2, errors=told_errors({"activator": 50}, at_least=["activator"]))
    dark, lossy = rows(admin, "/tables/fleet.csv")
    assert (dark["errors_5xx_5min"], dark["errors_5xx_at_least"]) == ("", "")
    assert (lossy["errors_5xx_5min"], lossy["share_5xx_5min"]) == ("50", "0.05")
    assert (lossy["requests_5min"], lossy["errors_5xx_at_least"]) == ("1000", "true")


def test_the_head_tells_5xx_of_now(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    make_model(errors=told_errors({"queue-proxy": 50}))
    html = re.sub(r"<[^>]*>", " ", admin.get(PAGE).content.decode())
    assert re.search(r"5xx, 5 min\s+5.0 %\s+queue-proxy\s50", html)

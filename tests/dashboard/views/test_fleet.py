"""The fleet page, from rows."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from fleet.models import Membership
from tests.factories import (
    HOSTILE,
    make_cluster,
    make_model,
    make_start,
    make_user,
    start_shape,
)

pytestmark = pytest.mark.django_db


def names(html: str) -> list[str]:
    return re.findall(r'<a class="model"[^>]*>([^<]*)</a>', html)


def page(client: Client, address: str = "/") -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_nobody_sees_it_without_signing_in(client: Client) -> None:
    response = client.get("/")
    assert response.status_code == 302
    assert response["Location"] == "/sign-in/?next=/"


def test_an_account_without_a_role_is_told_so(client: Client) -> None:
    user = make_user()
    Membership.objects.filter(user=user).delete()
    client.force_login(user)
    response = client.get("/")
    assert response.status_code == 403
    assert "has no role" in response.content.decode()


def test_the_worst_comes_first(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    for name, rank in (("fine", 40), ("broken", 0), ("slow", 20)):
        make_model(name, rank=rank)
    assert names(page(admin)) == ["broken", "slow", "fine"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        pytest.param("/?cluster=demo-b", ["b-warm"], id="by cluster"),
        pytest.param("/?namespace=rag", ["a-cold"], id="by namespace"),
        pytest.param("/?team=ads", ["b-warm"], id="by team"),
        pytest.param("/?state=Cold", ["a-cold"], id="by state"),
        pytest.param("/?mode=Standard", ["b-warm"], id="by mode"),
        pytest.param("/?q=A-WA", ["a-warm"], id="by a part of the name, letters' case aside"),
        pytest.param("/?q=adapter-7", ["a-cold"], id="by a served name"),
        pytest.param("/?q=100%25", [], id="a per cent sign is only text"),
        pytest.param("/?state=Warm&cluster=demo-a", ["a-warm"], id="two filters at once"),
        pytest.param("/?sort=name", ["a-cold", "a-warm", "b-warm"], id="by name"),
        pytest.param("/?sort=slowest", ["b-warm", "a-warm", "a-cold"], id="slowest first"),
    ],
)
def test_filters_and_order(admin: Client, now: datetime, address: str, shown: list[str]) -> None:
    make_cluster("demo-a", now=now)
    make_cluster("demo-b", now=now)
    make_model("a-warm", p95_s=10)
    make_model("a-cold", state="Cold", namespace="rag", served_names=["adapter-7"])
    make_model("b-warm", cluster="demo-b", team="ads", mode="Standard", p95_s=99)
    assert names(page(admin, address)) == shown


def test_a_filtered_fleet_says_how_many_of_all_it_counts(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    make_model("one")
    make_model("two", state="Cold")
    assert ">2 models on 1 cluster<" in page(admin)
    assert ">1 of 2 models on 1 cluster<" in page(admin, "/?q=one")
    assert ">2 models on 1 cluster<" in page(admin, "/?state=Cold")


def test_old_data_is_unknown_in_rows_counts_and_filters(admin: Client, now: datetime) -> None:
    make_cluster("demo-a", now=now)
    make_cluster("demo-b", now=now - timedelta(seconds=90))
    make_model("fresh")
    make_model("old", cluster="demo-b")
    assert names(page(admin, "/?state=Unknown")) == ["old"]
    assert names(page(admin, "/?state=Warm")) == ["fresh"]
    html = page(admin)
    assert "Last seen: " in html
    assert re.search(r'class="count unknown".*?</svg>1</b>', html)
    assert "90 s</span> old" in html


def test_the_age_of_data_is_told_anew_with_each_page(admin: Client, now: datetime) -> None:
    cluster = make_cluster("demo-a", now=now)
    proofs = []
    for seconds in (2, 1):
        cluster.last_proof_at = now - timedelta(seconds=seconds)
        cluster.save()
        found = re.search(r'data-proof="([0-9]+)"', page(admin))
        proofs.append(found and int(found.group(1)))
    assert proofs == [round((now.timestamp() - seconds) * 1000) for seconds in (2, 1)]


@pytest.mark.parametrize(
    ("grant", "shown"),
    [
        pytest.param({}, ["in-a", "in-b"], id="everywhere"),
        pytest.param({"clusters": ["demo-a"]}, ["in-a"], id="one cluster"),
        pytest.param({"namespaces": ["rag"]}, ["in-b"], id="one namespace"),
        pytest.param({"clusters": ["demo-a"], "namespaces": ["rag"]}, [], id="no common part"),
    ],
)
def test_scope(client: Client, now: datetime, grant: dict[str, Any], shown: list[str]) -> None:
    make_cluster("demo-a", now=now)
    make_cluster("demo-b", now=now)
    flying = make_model("in-a")
    make_model("in-b", cluster="demo-b", namespace="rag")
    make_start(flying, started_at=now - timedelta(seconds=5), outcome="running")
    client.force_login(
        make_user(
            role="viewer",
            clusters=grant.get("clusters", []),
            namespaces=grant.get("namespaces", []),
        )
    )
    html = page(client)
    assert names(html) == shown
    assert ("in-a" in html) is ("in-a" in shown)


def test_a_start_in_flight_carries_what_the_browser_needs(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    model = make_model("waking", state="Starting", ready=0)
    start = make_start(model, started_at=now - timedelta(seconds=30), outcome="running")
    eta = {"eta_p50_s": 50, "eta_p95_s": 90, "eta_from": "model", "eta_n": 14}
    late = {"late_after_s": 120.0, "overdue_after_s": 240.0}
    model.in_flight = [{"id": start.pk, "elapsed_s": 30, **eta, **late}]
    model.save()
    html = page(admin)
    started = round(start.started_at.timestamp() * 1000)
    assert f'data-started="{started}" data-expected="80.0"' in html
    assert 'data-typical="80.0" data-slow="120.0" data-late="120.0" data-overdue="240.0"' in html
    assert html.count(">from 14 starts</span>") == 2


def test_percentiles_are_not_shown_where_there_are_none(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    make_model("few", count_7d=3)
    make_model("some", count_7d=9, p50_s=122.0)
    html = page(admin)
    assert "3 starts" in html
    assert "2:02 /" in html
    assert "a median needs 5 that became ready" in html
    assert "a p95 needs 20 that became ready" in html
    assert "finished starts" not in html


def test_hostile_names_are_text(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    hostile = {"team": HOSTILE, "environment": HOSTILE, "state_code": HOSTILE}
    make_model(HOSTILE, namespace=HOSTILE, last_start=start_shape(outcome=HOSTILE), **hostile)
    html = page(admin)
    assert "<img" not in html
    assert "&lt;img src=x" in html


@pytest.mark.parametrize(
    ("clusters", "models", "address", "text"),
    [
        pytest.param(0, 0, "/", "No cluster yet", id="no cluster"),
        pytest.param(1, 0, "/", "No model seen yet", id="no model"),
        pytest.param(1, 1, "/?q=zzz", "No model matches these filters", id="filters match none"),
    ],
)
def test_an_empty_page_says_what_to_do(
    admin: Client, now: datetime, clusters: int, models: int, address: str, text: str
) -> None:
    for n in range(clusters):
        make_cluster(f"demo-{n}", now=now)
    for n in range(models):
        make_model(f"model-{n}")
    assert text in page(admin, address)


def test_pages_of_fifty_rows(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    for n in range(120):
        make_model(f"model-{n:03d}")
    assert names(page(admin, "/?sort=name&page=3")) == [f"model-{n:03d}" for n in range(100, 120)]
    html = page(admin, "/?sort=name&page=2")
    assert 'rel="prev" href="/?sort=name"' in html
    assert 'rel="next" href="/?sort=name&amp;page=3"' in html
    assert len(names(page(admin, "/?page=999"))) == 20


def test_the_table_as_csv_keeps_to_filters_and_scope(client: Client, now: datetime) -> None:
    make_cluster(now=now)
    make_model("=cmd()", p50_s=84.5, state_code="asleep")
    make_model("elsewhere", namespace="rag")
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    response = client.get("/fleet.csv?sort=name")
    head, *rows = b"".join(response).decode().splitlines()
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert head.startswith("state,cluster,kind,namespace,name,")
    assert rows == [
        "Warm,demo-a,InferenceService,chat,'=cmd(),Knative,search,prod,1,1,0,3,0,0,84.5,,0,"
        ",,,,Asleep; a request wakes it"
    ]


def test_the_number_of_queries_does_not_grow_with_rows(
    admin: Client, now: datetime, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_cluster(now=now)
    for n in range(50):
        model = make_model(f"model-{n}", last_start=start_shape())
        make_start(model, started_at=now, outcome="running")
    with django_assert_max_num_queries(14):
        page(admin)

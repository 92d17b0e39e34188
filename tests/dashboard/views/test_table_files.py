"""Any table as CSV and JSON: filters, scope, and what spreadsheets make of names."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.tables.written import ROWS_A_PIECE
from dashboard.views.table_files import EXPORTS
from fleet.models import ServedModel
from tests.dashboard.api import rows as api_rows
from tests.factories import (
    make_cluster,
    make_model,
    make_probe_failure,
    make_revision,
    make_scale_event,
    make_start,
    make_user,
)

pytestmark = pytest.mark.django_db
KEY = "demo-a/InferenceService/chat/llama-3-8b"


def rows(client: Client, table: str, asked: str = "") -> list[dict[str, Any]]:
    """The JSON file's rows."""
    response = client.get(f"/tables/{table}.json?{asked}")
    assert response.status_code == 200, response
    items: list[dict[str, Any]] = json.loads(b"".join(response))["items"]
    return items


def history(now: datetime) -> ServedModel:
    """One row of each kind for a model, and for another one of another namespace."""
    make_cluster(now=now)
    model, other = make_model(now=now), make_model("other", namespace="rag", now=now)
    for each in (model, other):
        make_start(each, started_at=now - timedelta(hours=1))
        make_revision(each, created_at=now - timedelta(hours=2))
        make_scale_event(each, 0, 1, at=now - timedelta(hours=1))
        make_probe_failure(each, at=now - timedelta(hours=1))
    return model


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("table", [name for name in EXPORTS if name != "phases"])
def test_every_table_is_a_file_of_its_name(
    admin: Client, now: datetime, table: str, form: str
) -> None:
    history(now)
    response = admin.get(f"/tables/{table}.{form}")
    content = b"".join(response).decode()
    assert response["Content-Disposition"].startswith(f'attachment; filename="{table}')
    assert response["Content-Disposition"].endswith(f'.{form}"')
    assert content.count("\n") >= 1


@pytest.mark.parametrize(
    "address",
    [
        *("users.csv", "fleet.xml", "fleet.CSV", "phases.csv", "phases.csv?start=1"),
        pytest.param(f"phases.csv?start={'9' * 5000}", id="more digits than a number may have"),
    ],
)
def test_no_such_file(admin: Client, address: str) -> None:
    assert admin.get(f"/tables/{address}").status_code == 404


def test_nobody_gets_a_file_without_signing_in(client: Client) -> None:
    assert client.get("/tables/fleet.csv").status_code == 302


@pytest.mark.parametrize(
    "table", ["fleet", "cold-starts", "revisions", "scale-events", "probe-failures"]
)
def test_a_file_keeps_to_scope_and_model(client: Client, now: datetime, table: str) -> None:
    history(now)
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    assert [row["namespace"] for row in rows(client, table)] == ["chat"]
    if table != "fleet":
        assert len(rows(client, table, f"model={KEY}")) == 1
        assert rows(client, table, "model=demo-a/InferenceService/rag/other") == []


@pytest.mark.parametrize(
    "scope",
    [
        pytest.param({"clusters": ["demo-b"]}, id="another cluster"),
        pytest.param({"namespaces": ["rag"]}, id="another namespace"),
    ],
)
def test_replicas_actions_and_phases_out_of_scope_are_not_told(
    client: Client, scope: dict[str, Any]
) -> None:
    api_rows.replica(ready_s=60.0)
    api_rows.action()
    start = make_start(make_model())
    client.force_login(make_user("alice", role="viewer"))
    assert [len(rows(client, table)) for table in ("replicas", "actions")] == [1, 1]
    assert rows(client, "phases", f"start={start.pk}") != []
    client.force_login(make_user("bob", role="viewer", **scope))
    assert [rows(client, table) for table in ("replicas", "actions")] == [[], []]
    assert client.get(f"/tables/phases.csv?start={start.pk}").status_code == 404


@pytest.mark.parametrize("table", ["revisions", "scale-events", "probe-failures", "cold-starts"])
def test_a_file_keeps_to_a_range(admin: Client, now: datetime, table: str) -> None:
    history(now)
    until = f"{now - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    assert len(rows(admin, table, f"model={KEY}&range=24h")) == 1
    assert rows(admin, table, f"model={KEY}&until={until}") == []


def test_a_key_that_is_none_is_refused(admin: Client) -> None:
    assert admin.get("/tables/revisions.csv?model=demo-a/x").status_code == 404


def test_starts_with_their_phases_as_numbers(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    model = make_model("=cmd()", now=now)
    make_start(model, started_at=now - timedelta(hours=1), node="-gpu", unexplained_s=2.8)
    response = admin.get("/tables/cold-starts.csv")
    found = list(csv.DictReader(io.StringIO(b"".join(response).decode(), newline="")))
    assert (found[0]["name"], found[0]["node"]) == ("'=cmd()", "'-gpu")
    assert (found[0]["total_s"], found[0]["load_engine_s"]) == ("84.0", "48.0")
    assert (found[0]["pull_image_s"], found[0]["first_answer_at"]) == ("", "")
    assert found[0]["clamped"] == "false"
    assert "cold-starts-20" in response["Content-Disposition"]


def test_the_phases_of_one_start(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    start = make_start(make_model(now=now), [("decide", 1.0), ("load-engine", 48.0)])
    start.phases[1]["parts"] = [{"part": "compile_total", "seconds": 14.0, "within": ""}]
    start.save()
    told = [
        (r["phase"], r["part"], r["seconds"]) for r in rows(admin, "phases", f"start={start.pk}")
    ]
    assert told == [
        ("decide", None, 1.0),
        ("load-engine", None, 48.0),
        ("load-engine", "compile_total", 14.0),
    ]


def test_a_file_of_any_length_is_one_query(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    model = make_model(now=now)
    for n in range(2 * ROWS_A_PIECE + 1):
        make_start(model, started_at=now - timedelta(minutes=n + 1))
    with CaptureQueriesContext(connection) as queries:
        assert len(rows(admin, "cold-starts")) == 2 * ROWS_A_PIECE + 1
    assert sum('FROM "fleet_coldstart"' in query["sql"] for query in queries) == 1


def test_files_are_linked_where_the_tables_are(admin: Client, now: datetime) -> None:
    history(now)
    for address, tables in (
        ("/", ["fleet"]),
        ("/clusters/", ["clusters"]),
        ("/cold-starts/", ["cold-starts"]),
        (f"/models/{KEY}/", ["cold-starts", "revisions", "replicas", "probe-failures"]),
    ):
        html = admin.get(address).content.decode()
        for table in tables:
            assert f'href="/tables/{table}.csv' in html, (address, table)
            assert f'href="/tables/{table}.json' in html, (address, table)


def test_links_of_one_model_never_stand_on_the_page_of_another(
    admin: Client, now: datetime
) -> None:
    make_cluster(now=now)
    for name in ("one", "two"):
        make_model(name, now=now)
        html = admin.get(f"/models/demo-a/InferenceService/chat/{name}/").content.decode()
        assert html.count(f"model=demo-a%2FInferenceService%2Fchat%2F{name}") >= 8
    assert "chat%2Fone" not in html

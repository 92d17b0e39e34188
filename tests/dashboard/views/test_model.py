"""The model page, from rows."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from dashboard.access.rules import Grant, Role
from dashboard.live.views import ModelView
from dashboard.views.model_range import said_in, usual_range
from dashboard.views.model_starts import ghost_of
from fleet.history.compared import with_phases
from fleet.models import ColdStart
from tests.factories import (
    HOSTILE,
    make_cluster,
    make_model,
    make_probe_failure,
    make_revision,
    make_start,
    make_user,
)

pytestmark = pytest.mark.django_db
ADDRESS = "/models/demo-a/InferenceService/chat/llama-3-8b/"


@pytest.fixture
def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def admin(client: Client, now: datetime) -> Client:
    make_cluster(now=now)
    client.force_login(make_user(role="admin"))
    return client


def test_figures_of_all_start_modes_are_no_expectation_of_a_start_in_flight(
    admin: Client, now: datetime
) -> None:
    model = make_model(p50_s=84.0, p95_s=171.0)
    make_start(model, started_at=now - timedelta(seconds=5), outcome="running")
    for address in (ADDRESS, "/cold-starts/"):
        assert set(re.findall(r'data-expected="([^"]*)"', admin.get(address).content.decode())) == {
            ""
        }


def test_it_shows_starts_revisions_and_probe_failures(admin: Client, now: datetime) -> None:
    model = make_model()
    make_start(
        model,
        started_at=now - timedelta(minutes=9),
        outcome="failed",
        failure_class="crash",
        failure_reason="exit code 1: CUDA out of memory",
    )
    make_revision(model, 3, traffic_percent=90)
    make_probe_failure(model, 7, at=now, message=HOSTILE)
    html = admin.get(ADDRESS).content.decode()
    for text in ("CUDA out of memory", "llama-3-8b-predictor-00003", "90 %", "≥ 7"):
        assert text in html
    assert "<img" not in html


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        pytest.param([], False, id="logs may be read"),
        pytest.param(
            [{"permission": "pods/log", "costs": "engine phases"}], True, id="they may not"
        ),
        pytest.param([{"permission": "pods/proxy", "costs": "metrics"}], False, id="another right"),
    ],
)
def test_it_says_when_logs_may_not_be_read(
    client: Client, now: datetime, missing: list[dict[str, str]], *, says: bool
) -> None:
    make_cluster(now=now, missing=missing)
    client.force_login(make_user(role="admin"))
    model = make_model()
    phase = {
        "phase": "load-engine",
        "started_at": now.isoformat(),
        "ended_at": now.isoformat(),
        "seconds": 40.0,
        "source": "log",
        "error_s": 0.1,
        "parts": [{"part": "graph_capture", "seconds": 12.0, "within": ""}],
    }
    make_start(model, started_at=now - timedelta(minutes=9), phases=[phase])
    html = client.get(ADDRESS).content.decode()
    assert ("<code>pods/log</code>" in html) is says
    assert "capture CUDA graphs" in html


@pytest.mark.parametrize(
    ("log", "says"),
    [
        pytest.param({"state": "read"}, "Log: read", id="read"),
        pytest.param({"state": "json"}, "in JSON: only some facts can be read", id="in JSON"),
        pytest.param(None, "Log: nothing read yet", id="not read"),
    ],
)
def test_the_log_of_a_start_in_flight(
    admin: Client, now: datetime, log: dict[str, Any] | None, says: str
) -> None:
    phases = (("schedule", 5.0), ("load-engine", 15.0))
    began = now - timedelta(seconds=20)
    make_start(make_model(), phases, started_at=began, outcome="running", log=log)
    assert says in admin.get(ADDRESS).content.decode()


def test_a_server_that_says_nothing_any_more(admin: Client, now: datetime) -> None:
    silent = {"state": "read", "silent_since": (now - timedelta(minutes=4)).isoformat()}
    began = now - timedelta(minutes=6)
    make_start(make_model(), started_at=began, outcome="running", log=silent)
    html = admin.get(ADDRESS).content.decode()
    assert re.search(r"silent for <span[^>]*>4 min</span>", html)


def test_without_any_start_it_says_what_brings_one(admin: Client) -> None:
    make_model()
    assert "No start seen yet" in admin.get(ADDRESS).content.decode()


def test_a_deleted_model_keeps_its_page(admin: Client, now: datetime) -> None:
    make_model(gone_at=now)
    assert "This model was deleted" in admin.get(ADDRESS).content.decode()


def test_a_new_model_of_the_same_name_comes_first(admin: Client, now: datetime) -> None:
    make_model(gone_at=now)
    make_model(ready=7, desired=7)
    html = admin.get(ADDRESS).content.decode()
    assert "7 / 7" in html
    assert "was deleted" not in html


@pytest.mark.parametrize("suffix", ["", "timeline.json"])
@pytest.mark.parametrize(
    "grant",
    [
        pytest.param({"clusters": ["demo-b"]}, id="another cluster"),
        pytest.param({"namespaces": ["rag"]}, id="another namespace"),
    ],
)
def test_out_of_scope_is_not_there(
    client: Client, now: datetime, grant: dict[str, Any], suffix: str
) -> None:
    make_model()
    client.force_login(
        make_user(
            role="operator",
            clusters=grant.get("clusters", []),
            namespaces=grant.get("namespaces", []),
        )
    )
    assert client.get(ADDRESS + suffix).status_code == 404


def test_the_chart_has_its_columns_for_the_range_of_the_address(
    admin: Client, now: datetime
) -> None:
    model = make_model()
    make_start(model, started_at=now - timedelta(hours=3))
    assert admin.get(f"{ADDRESS}timeline.json?range=1h").json()["starts"]["id"] == []
    assert len(admin.get(f"{ADDRESS}timeline.json?range=24h").json()["starts"]["id"]) == 1
    assert admin.get(f"{ADDRESS}timeline.json?range=bogus").status_code == 200


@pytest.mark.parametrize(
    ("others", "median_s"),
    [
        pytest.param([("cached-image", "ready", 60.0)] * 4, None, id="four are too few"),
        pytest.param([("cached-image", "ready", 60.0)] * 5, 60.0, id="five are enough"),
        pytest.param([("cold", "ready", 60.0)] * 5, None, id="another start mode does not count"),
        pytest.param([("cached-image", "failed", 60.0)] * 5, None, id="a failed one neither"),
    ],
)
def test_comparable_starts(
    others: list[tuple[str, str, float]], median_s: float | None, now: datetime
) -> None:
    model = make_model()
    for mode, outcome, total_s in others:
        make_start(model, started_at=now, start_mode=mode, outcome=outcome, total_s=total_s)
    start = make_start(model, started_at=now)
    pool = with_phases(ColdStart.objects.all()).starts
    ghost = ghost_of(start, pool, scale_s=120.0)
    assert (ghost and ghost.total_s) == median_s
    assert ghost is None or ghost.source == "median of 5 starts of this model"


@pytest.mark.parametrize(
    ("known", "name"),
    [
        pytest.param(None, "6h", id="no start yet"),
        pytest.param(timedelta(hours=2), "6h", id="a new model"),
        pytest.param(timedelta(hours=7), "24h", id="known for some hours"),
        pytest.param(timedelta(days=40), "7d", id="known for long"),
    ],
)
def test_a_page_opens_on_a_range_that_holds_something(
    known: timedelta | None, name: str, now: datetime
) -> None:
    model = make_model()
    if known:
        make_start(model, started_at=now - known)
    assert usual_range(model.key, now=now) == name


def test_starts_are_those_of_the_range(admin: Client, now: datetime) -> None:
    model = make_model()
    old = make_start(model, started_at=now - timedelta(hours=3))
    new = make_start(model, started_at=now - timedelta(minutes=3))
    assert f'id="start-{old.pk}"' in admin.get(ADDRESS).content.decode()
    html = admin.get(f"{ADDRESS}?range=1h").content.decode()
    assert f'id="start-{new.pk}"' in html
    assert f'id="start-{old.pk}"' not in html
    past = (now - timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    html = admin.get(f"{ADDRESS}?until={past}").content.decode()
    assert f'id="start-{old.pk}"' in html
    assert f'id="start-{new.pk}"' not in html
    assert f"until={past.replace(':', '%3A')}" in html


def test_the_socket_shows_the_range_of_the_address(now: datetime) -> None:
    model = make_model()
    old = make_start(model, started_at=now - timedelta(hours=3))
    new = make_start(model, started_at=now - timedelta(minutes=3))
    everywhere = Grant(role=Role.VIEWER, who="")
    for address, shown in (("", [old, new]), ("range=1h", [new]), ("range=bogus", [old, new])):
        view = ModelView(model.key, everywhere, said_in(QueryDict(address)))
        html = view.look().fragments["model-starts"].html
        assert [s for s in (old, new) if f'id="start-{s.pk}"' in html] == shown


def test_a_socket_cannot_be_asked_with_more_than_a_range_needs() -> None:
    asked = QueryDict(f"range={'7' * 500}&other=1&since=2026-11-30T12:00:00Z")
    assert said_in(asked) == (("range", "7" * 40), ("since", "2026-11-30T12:00:00Z"))

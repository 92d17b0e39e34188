"""The page of one cold start, from rows."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from dashboard.views.start_log import log_words
from fleet.models import ColdStart, ObservedObject, ServedModel
from tests.factories import (
    HOSTILE,
    NOW,
    make_cluster,
    make_model,
    make_probe_failure,
    make_scale_event,
    make_start,
    make_user,
)

pytestmark = pytest.mark.django_db
LOG: dict[str, Any] = {
    "state": "read",
    "engine_version": "0.11.0",
    "silent_since": "2026-11-30T12:01:00+00:00",
    "facts": {
        "weights_gib": 14.99,
        "compile_cache": "miss",
        "graph_capture_s": 8.0,
        "odd": HOSTILE,
    },
    "decisive": [f"CUDA out of memory {HOSTILE}"],
}


@pytest.fixture
def model() -> ServedModel:
    make_cluster()
    return make_model()


def page(client: Client, start: ColdStart) -> str:
    response = client.get(f"/cold-starts/{start.pk}/")
    assert response.status_code == 200
    return response.content.decode()


def plain(html: str) -> str:
    """The words of a page, without markup, blanks made one."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def lines(html: str) -> dict[str, list[str]]:
    """Cells of the table of phases by the phase's or part's name: from, length, off, usual, more,
    read in."""
    table = html[html.index("Table of phases") :]
    table = table[: table.index("</table>")]
    found = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.S)[1:]:
        name, *cells = (plain(cell).strip() for cell in re.split(r"</th>|</td>", row)[:-1])
        found[name] = cells[1:]
    return found


@pytest.mark.parametrize(
    ("scope", "status"),
    [
        pytest.param({}, 200, id="everywhere"),
        pytest.param({"clusters": ["demo-a"], "namespaces": ["chat"]}, 200, id="just there"),
        pytest.param({"clusters": ["demo-b"]}, 404, id="another cluster"),
        pytest.param({"namespaces": ["rag"]}, 404, id="another namespace"),
    ],
)
def test_a_start_out_of_scope_is_not_there(
    client: Client, model: ServedModel, scope: dict[str, Any], status: int
) -> None:
    client.force_login(make_user(role="viewer", **scope))
    start = make_start(model)
    assert client.get(f"/cold-starts/{start.pk}/").status_code == status
    phases = client.get(f"/tables/phases.csv?start={start.pk}")
    assert phases.status_code == status


@pytest.mark.parametrize("address", ["/cold-starts/99999/", f"/cold-starts/{10**30}/"])
def test_no_such_start(admin: Client, address: str) -> None:
    assert admin.get(address).status_code == 404


def test_head_and_phases(admin: Client, model: ServedModel) -> None:
    start = make_start(
        model, image="vllm/vllm-openai:v0.11.0", image_digest="sha256:abc", engine_version="0.11.0"
    )
    start.phases[4] |= {
        "source": "log",
        "parts": [
            {"part": "compile_total", "seconds": 14.0, "within": ""},
            {"part": "compile_dynamo", "seconds": 5.0, "within": "compile_total"},
        ],
    }
    start.save()
    html = page(admin, start)
    words = plain(html)
    assert "ready 1:24 woken from zero · cached image" in words
    assert "vLLM 0.11.0" in words
    assert "sha256:abc" in words
    told = lines(html)
    assert told["load engine"] == ["+27 s", "48 s", "± 0.5 s", "the engine&#x27;s log"]
    assert told["compile"][1] == "14 s"
    assert 'class="part depth-2"><th scope="row">trace (Dynamo)' in html
    assert "Too few starts like it" in words


def test_a_start_against_those_like_it_before_it(admin: Client, model: ServedModel) -> None:
    for n in range(6):
        make_start(model, started_at=NOW - timedelta(days=1, hours=n))
        make_start(
            model, [("load-engine", 900.0)], start_mode="cold", started_at=NOW - timedelta(hours=n)
        )
    slow = make_start(model, [("schedule", 2.0), ("load-engine", 90.0)], started_at=NOW)
    html = page(admin, slow)
    told = lines(html)
    assert "Usually 1:24 : median of 6 starts of this model" in plain(html)
    assert told["load engine"][3:5] == ["48 s", "+42 s"]
    assert told["fetch model"][1:5] == ["–", "", "21 s", "−21 s"]
    assert list(told) == [
        *("decide", "schedule", "prepare", "fetch model", "load engine", "become ready"),
    ]


def test_a_failed_start_was_not_quicker_where_it_did_not_get(
    admin: Client, model: ServedModel
) -> None:
    for n in range(5):
        make_start(model, started_at=NOW - timedelta(hours=n + 1))
    failed = make_start(
        model,
        [("schedule", 100.0), ("load-engine", 3.0)],
        started_at=NOW,
        outcome="failed",
        failure_class="out-of-memory",
        failure_reason=HOSTILE,
    )
    html = page(admin, failed)
    told = lines(html)
    assert told["schedule"][4] == "+1:38"
    assert told["load engine"][4] == ""
    assert told["fetch model"][4] == ""
    assert f"out of memory: {escape(HOSTILE)}" in html
    assert HOSTILE not in html


def test_what_happened_around_it(admin: Client, model: ServedModel) -> None:
    start = make_start(model, started_at=NOW, replica_uid="pod-x")
    again = make_start(model, started_at=NOW + timedelta(hours=2), replica_uid="pod-x", attempt=1)
    make_scale_event(model, 0, 1, at=NOW - timedelta(seconds=5))
    make_scale_event(model, 1, 7, at=NOW - timedelta(hours=1))
    make_probe_failure(model, 9, replica_uid="pod-x", message=HOSTILE)
    make_probe_failure(model, 4, replica_uid="pod-y")
    html = page(admin, start)
    words = plain(html)
    assert "0 → 1 demand" in words
    assert "1 → 7" not in words
    assert "≥ 9 readiness" in words
    assert "≥ 4" not in words
    assert escape(HOSTILE) in html
    assert f'The same replica also started: <a href="/cold-starts/{again.pk}/">' in html


def test_its_neighbours_are_of_the_same_model(admin: Client, model: ServedModel) -> None:
    other = make_model("other")
    first, second, third = (
        make_start(model, started_at=NOW + timedelta(minutes=n)) for n in (0, 10, 10)
    )
    make_start(other, started_at=NOW + timedelta(minutes=5))
    assert _neighbours(page(admin, first)) == [("next", second.pk)]
    assert _neighbours(page(admin, second)) == [("prev", first.pk), ("next", third.pk)]
    assert _neighbours(page(admin, third)) == [("prev", second.pk)]


def _neighbours(html: str) -> list[tuple[str, int]]:
    found = re.findall(r'rel="(prev|next)" href="/cold-starts/(\d+)/"', html)
    return [(rel, int(pk)) for rel, pk in found]


def test_the_log_in_words_and_hostile_words_escaped(admin: Client, model: ServedModel) -> None:
    html = page(admin, make_start(model, log=LOG))
    words = plain(html)
    assert "silent since" in words
    assert "weights in GPU memory, GiB 14.99" in words
    assert "compile cache miss" in words
    assert f'<li class="code">CUDA out of memory {escape(HOSTILE)}</li>' in html
    assert HOSTILE not in html


@pytest.mark.parametrize(
    ("log", "missing", "says"),
    [
        pytest.param(None, [], "Nothing was read of it", id="no log"),
        pytest.param(None, ["pods/log"], "Not read: this needs the right", id="no right"),
        pytest.param({"state": "json"}, [], "in JSON: only some facts", id="somebody's JSON"),
        pytest.param({"state": "new-word"}, [], "new-word", id="a state of another release"),
    ],
)
def test_how_far_the_log_was_read(
    admin: Client, log: object, missing: list[str], says: str
) -> None:
    make_cluster(missing=[{"permission": name, "costs": ""} for name in missing])
    assert says in plain(page(admin, make_start(make_model(), log=log)))


@pytest.mark.parametrize("odd", [["x"], {"facts": 7, "decisive": 8, "silent_since": "x"}])
def test_a_log_in_another_form_tells_nothing(odd: Any) -> None:
    told = log_words(odd)
    assert told is None or (told.facts, told.lines, told.silent_since) == ((), (), None)


def test_runs_before_the_last_are_lines_and_sub_phases_are_not_told_twice() -> None:
    runs = [
        {"run": 0, "failure": "cuda_oom", "line": "CUDA out of memory", "seconds": 8.9},
        {"run": 1, "failure": "", "line": "", "seconds": None},
        "x",
    ]
    told = log_words({"facts": {"compile_s": 25.0, "kv_tokens": 4096, "runs": runs}})
    assert told is not None
    assert told.runs == (
        "run 1 · 8.9 s · cuda oom: CUDA out of memory",
        "run 2 · its log says no cause",
    )
    assert [(str(label), value) for label, value in told.facts] == [("KV cache, tokens", "4 096")]


def test_objects_that_live_are_shown_without_secrets(admin: Client) -> None:
    cluster = make_cluster()
    start = make_start(make_model(), replica_uid="pod-x")
    record = {
        "meta": {"name": "llama-pod", "labels": []},
        "declared": [{"name": "kserve-container", "args": ["--api-key=sk-abcdef123456", HOSTILE]}],
        "node": "gpu-1",
        "phase": "",
    }
    ObservedObject.objects.create(
        cluster=cluster,
        resource="pods",
        uid="pod-x",
        namespace="chat",
        name="llama-pod",
        record=json.dumps(record),
    )
    for uid, namespace in (("pod-y", "chat"), (start.model_uid, "vision")):
        ObservedObject.objects.create(
            cluster=cluster,
            resource="inferenceservices",
            uid=uid,
            namespace=namespace,
            name="not-its-own",
            record="{}",
        )
    html = page(admin, start)
    objects = html[html.index("without secrets") :]
    assert "name: kserve-container" in objects
    assert "--api-key=…" in objects
    assert "sk-abcdef" not in html
    assert "phase:" not in objects
    assert "not-its-own" not in html
    assert HOSTILE not in html


@pytest.mark.parametrize(("ago_s", "says"), [(5, "last line"), (300, "silent since")])
def test_a_server_is_silent_only_after_a_while(
    admin: Client, model: ServedModel, ago_s: float, says: str
) -> None:
    now = datetime.now(UTC)
    log = {"state": "read", "silent_since": (now - timedelta(seconds=ago_s)).isoformat()}
    begun = now - timedelta(seconds=400)
    assert says in plain(
        page(admin, make_start(model, started_at=begun, outcome="running", log=log))
    )


def test_a_start_in_flight_asks_again_by_itself(admin: Client, model: ServedModel) -> None:
    now = datetime.now(UTC)
    running = make_start(model, started_at=now - timedelta(seconds=9), outcome="running")
    html = page(admin, running)
    assert f'hx-get="/cold-starts/{running.pk}/" hx-trigger="every 5s"' in html
    assert "hx-trigger" not in page(admin, make_start(model))[: html.index("Where the time went")]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        pytest.param({"outcome": "partial", "total_s": None}, "Only its middle was", id="partial"),
        pytest.param({"clamped": True}, "Clocks disagreed", id="clamped"),
        pytest.param(
            {"requests_lost": {"activator": 4, "ingress": None}}, "activator 4", id="lost"
        ),
        pytest.param({"phases": []}, "No phase was seen", id="no phase"),
    ],
)
def test_what_else_is_told(
    admin: Client, model: ServedModel, fields: dict[str, Any], says: str
) -> None:
    assert says in plain(page(admin, make_start(model, **fields)))


def test_the_number_of_queries_does_not_grow(admin: Client, model: ServedModel) -> None:
    start = make_start(model, started_at=NOW, replica_uid="pod-x")
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            page(admin, start)
        counts.append(len(queries))
        for n in range(10):
            make_start(model, started_at=NOW - timedelta(hours=n))
            make_probe_failure(model, replica_uid="pod-x")
    assert counts[1] <= counts[0] <= 16

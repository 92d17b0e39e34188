"""One incident's page and its post-mortem."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from dashboard.hop_words import meaning
from fleet.history.incident_around import around
from fleet.models import Incident, ServedModel
from tests.factories import (
    HOSTILE,
    make_cluster,
    make_incident,
    make_model,
    make_probe_failure,
    make_revision,
    make_scale_event,
    make_start,
    make_user,
)

pytestmark = pytest.mark.django_db
FINDING: dict[str, Any] = {
    "cause": "gpu-oom",
    "confidence": 0.9,
    "phase": "engine_load",
    "rule": "device-memory-full",
    "evidence": [
        {"kind": "log", "ref": "log/kserve-container:3", "says": "CUDA out of memory", "at": None}
    ],
    "remedies": ["lower-gpu-memory-utilization"],
    "params": {},
}


@pytest.fixture
def model(now: datetime) -> ServedModel:
    make_cluster(now=now, metrics_url="http://prometheus", metrics_read_to=now)
    return make_model("llama-3-8b")


def incident(model: ServedModel, now: datetime, **fields: Any) -> Incident:
    """Four minutes of errors, an hour ago."""
    began = now - timedelta(hours=1)
    ended = began + timedelta(minutes=4)
    given: dict[str, Any] = {
        "started_at": began,
        "last_error_at": ended,
        "ended_at": ended,
        "requests": 300,
        "by_hop": {"ingress": 3, "activator": 38, "container": None},
        "around": {"errors": {"activator/504": 38, "ingress/503": 3}},
        **fields,
    }
    return make_incident(model, **given)


def page(client: Client, row: Incident) -> str:
    response = client.get(f"/incidents/{row.pk}/")
    assert response.status_code == 200
    return response.content.decode()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def post_mortem(client: Client, row: Incident) -> str:
    response = client.get(f"/incidents/{row.pk}.md")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    return response.content.decode()


def test_it_says_what_was_lost_by_whom_and_why(
    admin: Client, model: ServedModel, now: datetime
) -> None:
    row = incident(
        model, now, cause="gpu-oom", confidence=0.9, findings=[FINDING], diagnosed_at=now
    )
    html = page(admin, row)
    text = words(html)
    assert "41 requests lost 14 %" in text
    assert "4:00" in text
    assert "GPU out of memory · certain" in text
    assert str(escape(str(meaning("activator", 504)))) in text
    assert "The GPU has no memory left for the model" in text
    assert "CUDA out of memory" in text
    assert "Cannot be told apart there: model container" in text
    assert 'href="/models/demo-a/InferenceService/chat/llama-3-8b/"' in html
    assert "hx-trigger" not in html.split('<div id="incident"')[1].split(">")[0]


@pytest.mark.parametrize(
    ("mode", "dark"),
    [
        pytest.param("Knative", "activator, queue-proxy", id="Knative"),
        pytest.param("LLMInferenceService", "endpoint picker", id="no activator in its path"),
        pytest.param("odd", "endpoint picker, activator, queue-proxy", id="not known"),
    ],
)
def test_only_hops_of_its_path_can_be_missing(
    admin: Client, model: ServedModel, now: datetime, mode: str, dark: str
) -> None:
    ServedModel.objects.update(mode=mode)
    hops = {"ingress": 3, "endpoint-picker": None, "activator": None, "queue-proxy": None}
    row = incident(model, now, by_hop=hops, around={"errors": {"ingress/503": 3}})
    assert f"Cannot be told apart there: {dark} " in words(page(admin, row))


def test_what_happened_is_told_in_time(admin: Client, model: ServedModel, now: datetime) -> None:
    began = now - timedelta(hours=1)
    start = make_start(model, started_at=began - timedelta(seconds=9))
    make_scale_event(model, 0, 1, at=began - timedelta(seconds=10))
    make_probe_failure(model, at=began + timedelta(minutes=1))
    make_revision(model, 2, created_at=began - timedelta(minutes=5))
    make_start(model, started_at=began - timedelta(hours=3))
    row = incident(model, now)
    row.around |= around(row.key, row.started_at, row.last_error_at)
    row.save()
    html = page(admin, row)
    lines = re.findall(r'<li class="is-(\w+)">', html)
    kinds = ["revision", "scale", "start", "edge", "probe", "start", "edge"]
    assert [kind for kind in lines if kind in {*kinds}] == kinds
    assert f'href="/cold-starts/{start.pk}/"' in html
    assert "Nothing was done through Pilot Light" in html


def test_one_that_goes_on_renews_itself_and_ticks(
    admin: Client, model: ServedModel, now: datetime
) -> None:
    start = make_start(model, started_at=now - timedelta(minutes=59), outcome="running")
    html = page(admin, incident(model, now, ended_at=None))
    assert 'hx-trigger="every 5s"' in html
    assert "data-elapsed=" in html
    assert f"/cold-starts/{start.pk}/" in html


@pytest.mark.parametrize(
    ("role", "over", "buttons"),
    [
        pytest.param("operator", False, True, id="an operator may act while it goes on"),
        pytest.param("operator", True, False, id="not when it is over"),
        pytest.param("viewer", False, False, id="a viewer never"),
    ],
)
def test_who_may_act_has_the_buttons_at_hand(
    client: Client, model: ServedModel, now: datetime, *, role: str, over: bool, buttons: bool
) -> None:
    client.force_login(make_user(role=role))
    row = incident(model, now, **({} if over else {"ended_at": None}))
    assert ("data-plan=" in page(client, row)) is buttons


@pytest.mark.parametrize(
    ("fields", "cluster", "says"),
    [
        pytest.param(
            {"ended_at": None}, {"metrics_read_to": 40}, "not known", id="metrics stand still"
        ),
        pytest.param({"ended_at": None}, {}, "", id="metrics are read"),
        pytest.param({"around": {"unseen_end": True}}, {}, "Nobody saw its end", id="unseen end"),
    ],
)
def test_what_is_not_known_is_said(
    admin: Client,
    model: ServedModel,
    now: datetime,
    fields: dict[str, Any],
    cluster: dict[str, int],
    says: str,
) -> None:
    from fleet.models import Cluster

    for name, minutes in cluster.items():
        Cluster.objects.update(**{name: now - timedelta(minutes=minutes)})
    html = page(admin, incident(model, now, **fields))
    assert says in html
    assert ("Whether it still goes on" in html) == (says == "not known")


def test_time_that_was_not_read_is_named(admin: Client, model: ServedModel, now: datetime) -> None:
    hole = [(now - timedelta(minutes=m)).isoformat() for m in (59, 58)]
    row = incident(model, now, at_least=True, around={"unread": [hole]})
    assert "Metrics were not read from" in page(admin, row)
    assert "Metrics were not read from" in post_mortem(admin, row)


def test_earlier_ones_of_this_cause(admin: Client, model: ServedModel, now: datetime) -> None:
    earlier = [
        incident(model, now, started_at=now - timedelta(days=d), cause=c).pk
        for d, c in ((3, "gpu-oom"), (2, "overload"), (1, "gpu-oom"))
    ]
    incident(make_model("other"), now, started_at=now - timedelta(days=4), cause="gpu-oom")
    html = page(admin, incident(model, now, cause="gpu-oom"))
    similar = html.split('id="similar-title"')[1]
    assert re.findall(r"/incidents/(\d+)/", similar) == [str(earlier[2]), str(earlier[0])]
    assert f'rel="prev" href="/incidents/{earlier[2]}/"' in html


@pytest.mark.parametrize("form", ["{}/", "{}.md"])
@pytest.mark.parametrize(
    "scope",
    [
        pytest.param({"clusters": ["demo-b"]}, id="another cluster"),
        pytest.param({"namespaces": ["rag"]}, id="another namespace"),
    ],
)
def test_out_of_scope_is_not_there(
    client: Client, model: ServedModel, now: datetime, form: str, scope: dict[str, list[str]]
) -> None:
    row = incident(model, now)
    client.force_login(make_user(role="viewer", **scope))  # type: ignore[arg-type]
    assert client.get("/incidents/" + form.format(row.pk)).status_code == 404


def test_the_post_mortem_is_filled_with_what_is_known(admin: Client, model: ServedModel) -> None:
    began = datetime(2026, 11, 30, 9, 12, tzinfo=UTC)
    ended = began + timedelta(minutes=4)
    times = {"started_at": began, "last_error_at": ended, "ended_at": ended}
    row = incident(model, ended, cause="gpu-oom", confidence=0.9, findings=[FINDING], **times)
    row.around["actions"] = [
        {
            "id": "a1",
            "at": ended.isoformat(),
            "finished_at": None,
            "action": "raise-min",
            "state": "served",
            "by": "olga",
            "reason": "503s",
        }
    ]
    row.save()
    text = post_mortem(admin, row)
    for line in (
        f"# Incident {row.pk}: errors of llama-3-8b",
        "- Model: demo-a/InferenceService/chat/llama-3-8b",
        "- Began: 2026-11-30 09:12:00 UTC",
        "- Ended: 2026-11-30 09:16:00 UTC",
        "41 of 300 requests were lost in 4 min 0 s (14 %).",
        "Cause: GPU out of memory (certain).",
        f"| activator | 504 | 38 | {meaning('activator', 504)} |",
        "| 2026-11-30 09:12:00 | errors | first error of a caller |",
        "- log/kserve-container:3: CUDA out of memory",
        "- 2026-11-30 09:16:00: Raise min by olga: Served (503s)",
    ):
        assert line in text.splitlines(), line
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sections == [
        "Summary",
        "Impact",
        "Timeline (UTC)",
        "Cause",
        "What was done",
        "What we change",
        "Figures and where they are from",
    ]


def test_hostile_names_stay_text(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    hostile = f"{HOSTILE} [x](javascript:1) |\n# not a heading"
    model = make_model(HOSTILE, team=hostile[:120])
    piece = {"kind": "log", "ref": hostile, "says": hostile, "at": None}
    row = incident(model, now, cause="gpu-oom", findings=[{**FINDING, "evidence": [piece]}])
    row.around["probe_failures"] = [
        {
            "at": now.isoformat(),
            "count": 2,
            "probe": "readiness",
            "about": hostile,
            "while": "serving",
            "replica": hostile,
            "message": hostile,
        }
    ]
    row.save()
    html = page(admin, row)
    assert HOSTILE not in html
    assert escape(HOSTILE) in html
    text = post_mortem(admin, row)
    assert "<img" not in re.sub(r"\\.", "", text)
    assert "\n# not a heading" not in text
    assert not re.search(r"(?<!\\)\[x(?<!\\)\]\(", text)
    name = admin.get(f"/incidents/{row.pk}.md")["Content-Disposition"]
    assert re.fullmatch(r'attachment; filename="incident-\d+-[A-Za-z0-9_.-]+\.md"', name)

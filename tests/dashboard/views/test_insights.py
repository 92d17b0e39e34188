"""Findings and advice on the model page; its objects, its bundle, and another look on demand."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from fleet.history.insights import packed
from fleet.models import ModelInsight, ServedModel
from tests.factories import HOSTILE, make_cluster, make_model, make_user

pytestmark = pytest.mark.django_db

PAGE = "/models/demo-a/InferenceService/chat/llama-3-8b/"
FINDING: dict[str, Any] = {
    "cause": "unschedulable-gpu",
    "confidence": 0.95,
    "phase": "schedule",
    "rule": "unknown-to-this-release",
    "params": {},
    "evidence": [
        {
            "kind": "event",
            "ref": "Event/FailedScheduling/p",
            "says": HOSTILE,
            "at": "2026-11-30T12:00:00+00:00",
        }
    ],
    "remedies": ["raise-min-replicas", "add-capacity"],
}
LINT: dict[str, Any] = {
    "code": "PL020",
    "slug": "stop-not-removed",
    "severity": "warning",
    "object": "InferenceService/chat/llama-3-8b",
    "field": "metadata.annotations",
    "params": {"value": HOSTILE},
    "measured": {},
    "patch": f"metadata: {HOSTILE}\n",
    "effect": "none",
    "extra_gpus": None,
}
BUNDLE: dict[str, Any] = {
    "inferenceservice": {"kind": "InferenceService", "metadata": {"name": "m", "note": HOSTILE}},
    "pods": [{"kind": "Pod", "metadata": {"name": "p", "namespace": "chat"}}],
    "events": [
        {
            "reason": "FailedScheduling",
            "type": "Warning",
            "message": HOSTILE,
            "involvedObject": {"kind": "Pod", "name": "p"},
            "lastTimestamp": "2026-11-30T12:00:00Z",
        }
    ],
    "logs": {"kserve-container": ["first", HOSTILE]},
    "config": {"revision_timeout_s": 300.0},
    "missing": [{"what": "pods/log", "why": "forbidden", "text": ""}],
}


@pytest.fixture
def model(now: datetime) -> ServedModel:
    make_cluster(now=now)
    return make_model(
        state="Failing",
        finding={
            **{name: FINDING[name] for name in ("cause", "confidence", "phase", "rule", "params")},
            "remedies": FINDING["remedies"],
            "evidence_count": 3,
            "count": 2,
        },
        now=now,
    )


@pytest.fixture
def insight(model: ServedModel, now: datetime) -> ModelInsight:
    return ModelInsight.objects.create(
        **{name: getattr(model, name) for name in ("cluster", "kind", "namespace", "name")},
        model_uid=model.model_uid,
        findings=[FINDING],
        lint=[LINT],
        problem={"missing": BUNDLE["missing"]},
        objects_json=packed(BUNDLE),
        collected_at=now,
        diagnosed_at=now,
        linted_at=now,
        version=1,
    )


def html(client: Client, address: str = PAGE) -> str:
    response = client.get(address)
    assert response.status_code == 200
    text = response.content.decode()
    assert HOSTILE not in text
    return text


def test_a_finding_with_its_evidence_and_what_helps(admin: Client, insight: ModelInsight) -> None:
    text = html(admin)
    assert "no free GPU" in text
    assert "certain, 0.95" in text
    assert f'href="{PAGE}objects/#e' in text
    assert 'data-plan="raise-min"' in text
    assert "Add nodes or GPUs" in text
    assert "1 thing could not be read" in text
    assert "Diagnose again" in text


def test_a_viewer_sees_the_finding_without_buttons_that_act(
    client: Client, insight: ModelInsight
) -> None:
    client.force_login(make_user(role="viewer"))
    text = html(client)
    assert "no free GPU" in text
    assert "data-plan" not in text.split('id="model-findings"')[1].split("</section>")[0]


@pytest.mark.parametrize(
    ("patch", "links"), [pytest.param("spec: {}", 1, id="with"), pytest.param("", 0, id="without")]
)
def test_a_remedy_links_to_the_patch_that_does_it(
    admin: Client, insight: ModelInsight, patch: str, links: int
) -> None:
    stop = {**LINT, "patch": patch}
    finding = {**FINDING, "remedies": ["fix-probe-target", "add-capacity"]}
    params = {"path": "/v1/models", "probes": ["livenessProbe"]}
    probe = {**stop, "code": "PL006", "params": params}
    ModelInsight.objects.update(findings=[finding], lint=[stop, probe])
    html = admin.get(PAGE).content.decode()
    assert html.count('href="#advice-PL006"') == links
    assert 'href="#advice-PL020"' not in html


def test_advice_with_a_patch_to_copy(admin: Client, insight: ModelInsight) -> None:
    text = html(admin)
    assert "PL020" in text
    assert 'data-copy="patch-PL020"' in text


def test_how_the_model_fits_its_teams_profile(admin: Client, insight: ModelInsight) -> None:
    verdicts = [{"expectation": "min-one", "met": "not-met", "params": {"min": 0}}, {}]
    ModelInsight.objects.update(profile={"profile": "stability-first", "verdicts": verdicts})
    text = html(admin)
    assert "stability first" in text
    assert "At least one replica at all times" in text
    assert "not met" in text


def test_advice_of_another_release_is_left_out(admin: Client, insight: ModelInsight) -> None:
    ModelInsight.objects.update(lint=[{**LINT, "code": "PL999"}])
    assert "PL999" not in html(admin)


def test_a_model_that_nobody_looked_at(admin: Client, model: ServedModel) -> None:
    text = html(admin)
    assert "Not looked at yet" in text
    assert "Diagnose now" in text


def test_a_model_without_anything_wrong(admin: Client, insight: ModelInsight) -> None:
    ModelInsight.objects.update(findings=[], lint=[], problem={})
    text = html(admin)
    assert "Nothing wrong was found." in text
    assert "No rule has anything against these settings." in text


def test_a_look_that_failed_is_said(admin: Client, insight: ModelInsight) -> None:
    ModelInsight.objects.update(problem={"code": "not-read", "text": f"timed out {HOSTILE}"})
    assert "timed out" in html(admin)


def test_the_fleet_row_says_the_finding_how_sure_and_on_what(
    admin: Client, insight: ModelInsight
) -> None:
    text = html(admin, "/")
    assert "no free GPU" in text
    assert "certain, 0.95" in text
    assert "3 pieces of evidence" in text
    assert "1 more finding" in text


def test_the_button_that_cures_the_finding_is_the_one_to_press(
    admin: Client, insight: ModelInsight
) -> None:
    text = html(admin, "/")
    assert text.count('data-plan="raise-min" data-key="demo-a/InferenceService/chat/llama-3-8b"')
    assert 'class="main"' in text.split('data-plan="raise-min"')[1].split(">")[0]


def test_objects_events_and_logs_stand_where_evidence_points(
    admin: Client, insight: ModelInsight
) -> None:
    text = html(admin, f"{PAGE}objects/")
    anchor = html(admin).split(f"{PAGE}objects/#")[1].split('"')[0]
    assert f'id="{anchor}"' in text
    for words in (
        "Pod p",
        "FailedScheduling",
        "kserve-container",
        "pods/log",
        "revision_timeout_s",
    ):
        assert words in text


def test_htmx_gets_the_objects_without_a_frame(admin: Client, insight: ModelInsight) -> None:
    text = admin.get(f"{PAGE}objects/", headers={"HX-Request": "true"}).content.decode()
    assert "Pod p" in text
    assert "<html" not in text


def test_the_bundle_is_a_file(admin: Client, insight: ModelInsight) -> None:
    response = admin.get(f"{PAGE}bundle.json")
    assert json.loads(response.content) == BUNDLE
    assert response["Content-Disposition"] == 'attachment; filename="llama-3-8b-bundle.json"'
    assert response["Cache-Control"] == "no-store"


def test_before_the_first_look_there_is_no_bundle(admin: Client, model: ServedModel) -> None:
    assert admin.get(f"{PAGE}bundle.json").status_code == 404
    assert "Nothing was read yet" in html(admin, f"{PAGE}objects/")


def test_whoever_sees_a_model_may_ask_for_another_look(
    client: Client, insight: ModelInsight, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[bool] = []
    monkeypatch.setattr("dashboard.views.model_objects.wake", lambda: rung.append(True))
    client.force_login(make_user(role="viewer"))
    assert client.get(f"{PAGE}diagnose/").status_code == 405
    assert client.post(f"{PAGE}diagnose/").status_code == 204
    row = ModelInsight.objects.get()
    assert (row.why, bool(row.due_at), rung) == ("asked", True, [True])
    assert "another look is due" in html(client)


@pytest.mark.parametrize("what", ["objects/", "bundle.json", "diagnose/"])
def test_out_of_scope_there_is_nothing(client: Client, insight: ModelInsight, what: str) -> None:
    client.force_login(make_user(role="operator", namespaces=["other"]))
    ask = client.post if what == "diagnose/" else client.get
    assert ask(f"{PAGE}{what}").status_code == 404


@pytest.mark.parametrize("what", ["objects/", "bundle.json", "diagnose/"])
def test_nobody_is_sent_to_sign_in(client: Client, insight: ModelInsight, what: str) -> None:
    ask = client.post if what == "diagnose/" else client.get
    assert ask(f"{PAGE}{what}").status_code == 302

"""The page that diagnoses what somebody pastes or uploads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from dashboard.access import writes
from fleet.models import ModelInsight
from tests.factories import HOSTILE, make_user

pytestmark = pytest.mark.django_db

BUNDLE: dict[str, Any] = {
    "inferenceservice": {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {
            "name": f"llama{HOSTILE}",
            "namespace": "chat",
            "annotations": {"serving.kserve.io/stop": "false"},
        },
        "spec": {"predictor": {"model": {"modelFormat": {"name": "vLLM"}}}},
        "status": {"deploymentMode": "Knative"},
    },
    "pods": [
        {
            "kind": "Pod",
            "metadata": {
                "name": "llama-1",
                "namespace": "chat",
                "creationTimestamp": "2026-11-30T11:00:00Z",
            },
            "spec": {"containers": [{"name": "kserve-container"}]},
            "status": {
                "phase": "Running",
                "containerStatuses": [
                    {
                        "name": "kserve-container",
                        "restartCount": 4,
                        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                        "lastState": {
                            "terminated": {
                                "exitCode": 1,
                                "reason": "Error",
                                "finishedAt": "2026-11-30T11:59:00Z",
                            }
                        },
                    }
                ],
            },
        }
    ],
    "logs": {
        "kserve-container (previous)": [
            "INFO 11-30 11:58:50 Loading weights",
            f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB {HOSTILE}",
        ]
    },
    "config": {"observed_at": "2026-11-30T12:00:00Z"},
}


@pytest.fixture
def viewer(client: Client) -> Client:
    client.force_login(make_user(role="viewer"))
    return client


def ask(client: Client, text: str = "", *, file: bytes | None = None, status: int = 200) -> str:
    form: dict[str, Any] = {"text": text}
    if file is not None:
        form["file"] = SimpleUploadedFile("bundle.json", file)
    response = client.post("/diagnose/", form)
    assert response.status_code == status
    html = response.content.decode()
    assert HOSTILE not in html
    return html


@pytest.mark.parametrize("way", ["pasted", "uploaded"])
def test_a_bundle_is_diagnosed_and_linted(viewer: Client, way: str) -> None:
    text = json.dumps(BUNDLE)
    html = ask(viewer, text) if way == "pasted" else ask(viewer, file=text.encode())
    assert "GPU out of memory" in html
    assert "CUDA out of memory" in html
    assert "PL020" in html
    assert not ModelInsight.objects.exists()


def test_what_kubectl_prints_is_read_too(viewer: Client) -> None:
    items = [BUNDLE["inferenceservice"], *BUNDLE["pods"]]
    html = ask(viewer, json.dumps({"kind": "List", "items": items}))
    assert "What was found of llama" in html


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "Paste something", id="nothing"),
        pytest.param('{\n"pods": [}', "Line 2, column 10 is no JSON", id="no JSON"),
        pytest.param("kind: Pod", "looks like YAML", id="YAML"),
    ],
)
def test_what_was_wrong_is_said(viewer: Client, text: str, says: str) -> None:
    html = ask(viewer, text, status=422)
    assert says in html
    assert 'id="result"' not in html


def test_a_file_that_is_no_text(viewer: Client) -> None:
    assert "no text in UTF-8" in ask(viewer, file=b"\xff\xfe\x00", status=422)


def test_the_form_is_shown_to_whoever_is_signed_in(viewer: Client) -> None:
    assert "Diagnose a bundle" in viewer.get("/diagnose/").content.decode()


def test_nobody_else_may(client: Client) -> None:
    assert client.get("/diagnose/").status_code == 302
    assert client.post("/diagnose/", {"text": "{}"}).status_code == 302


def test_who_asks_too_often_waits(viewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writes, "WRITES_PER_WINDOW", 0)
    ask(viewer, json.dumps(BUNDLE), status=429)

"""What is kept of an object: nothing that anybody has to keep secret."""

from typing import Any

import pytest

from fleet.adapters.kubernetes.bare import APPLIED, bare, bare_settings

DIGEST = "vllm/vllm-openai@sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param({"metadata": {"managedFields": [{}]}}, {"metadata": {}}, id="managed fields"),
        pytest.param({APPLIED: "{}", "a": "b"}, {"a": "b"}, id="the object once more"),
        pytest.param(
            {"env": [{"name": "HF_TOKEN", "value": "hf_abcdefghij"}]},
            {"env": [{"name": "HF_TOKEN"}]},
            id="values of variables",
        ),
        pytest.param(
            {"env": [{"name": "HF_HUB_OFFLINE", "value": "1"}]},
            {"env": [{"name": "HF_HUB_OFFLINE", "value": "1"}]},
            id="but for those that explain and are harmless",
        ),
        pytest.param(
            {"env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
            {"env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
            id="where a value comes from stays",
        ),
        pytest.param(
            {"args": ["--api-key", "sesame", "--port=8080"]},
            {"args": ["--api-key", "…", "--port=8080"]},
            id="the word after a flag that takes a secret",
        ),
        pytest.param(
            {"args": ["--model=x", "--api-key=sesame"]},
            {"args": ["--model=x", "--api-key=…"]},
            id="a secret in one word with its flag",
        ),
        pytest.param({"apiToken": "sesame"}, {"apiToken": "…"}, id="a field that says so"),
        pytest.param({"clientSecret": "sesame"}, {"clientSecret": "…"}, id="so does its end"),
        pytest.param({"apiKeys": ["sesame"]}, {"apiKeys": ["…"]}, id="a list of them"),
        pytest.param(
            {
                "httpHeaders": [
                    {"name": "X-Api-Key", "value": "sesame"},
                    {"name": "A", "value": "b"},
                ]
            },
            {"httpHeaders": [{"name": "X-Api-Key", "value": "…"}, {"name": "A", "value": "b"}]},
            id="a header whose name says so",
        ),
        pytest.param(
            {"secretName": "registry"}, {"secretName": "registry"}, id="a Secret's name is none"
        ),
        pytest.param({"image": DIGEST}, {"image": DIGEST}, id="a digest is no secret"),
        pytest.param(
            {"message": "get https://u:pw@hub.example/x?X-Amz-Signature=abc failed"},
            {"message": "get https://…@hub.example/x?… failed"},
            id="an address with a password and a signature",
        ),
        pytest.param({"message": "a\nb"}, {"message": "a\nb"}, id="lines stay lines"),
        pytest.param({"n": 1, "b": True, "x": None}, {"n": 1, "b": True, "x": None}, id="numbers"),
    ],
)
def test_kept(given: dict[str, Any], kept: dict[str, Any]) -> None:
    assert bare(given) == kept


def test_depth_length_and_number_are_bounded() -> None:
    deep: dict[str, Any] = {}
    for _ in range(500):
        deep = {"a": deep}
    assert str(bare(deep)).count("a") < 50
    assert len(bare({"items": list(range(5_000))})["items"]) == 200
    assert len(bare({"message": "word " * 5_000})["message"]) <= 400


def test_a_controllers_settings_stay_readable_and_lose_their_secrets() -> None:
    raw = {
        "metadata": {"name": "inferenceservice-config"},
        "data": {
            "_example": "# long",
            "deploy": '{"defaultDeploymentMode": "Standard"}',
            "storage": '{"password": "sesame", "memoryLimit": "1Gi"}',
            "target-burst-capacity": "200",
        },
    }
    assert bare_settings(raw)["data"] == {
        "deploy": '{"defaultDeploymentMode": "Standard"}',
        "storage": '{"password": "\\u2026", "memoryLimit": "1Gi"}',
        "target-burst-capacity": "200",
    }

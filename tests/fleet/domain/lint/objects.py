"""Objects as people write them, and how long starts take, for tables of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fleet.domain.lint.measured import Lengths, Measured
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.records import LintFinding
from fleet.domain.lint.settings import Settings
from fleet.domain.lint.table import lint

Raw = dict[str, Any]
DEADLINE = "serving.knative.dev/progress-deadline"
AUTOSCALING = "autoscaling.knative.dev/"
HEALTH = {"httpGet": {"path": "/health", "port": 8080}, "timeoutSeconds": 5}
STARTUP = HEALTH | {"periodSeconds": 10, "failureThreshold": 60}
# A container of one's own is all that will run: what it lacks is absent.
SERVER: Raw = {
    "name": "kserve-container",
    "image": "vllm/vllm-openai:v0.11.0",
    "args": ["--model", "/models/llama"],
    "ports": [{"containerPort": 8080}],
    "resources": {"limits": {"nvidia.com/gpu": "1"}},
    "readinessProbe": HEALTH,
    "lifecycle": {"preStop": {"exec": {"command": ["sleep", "15"]}}},
}


def isvc(
    server: Mapping[str, Any] | None = None,
    *,
    mode: str = "Knative",
    notes: Mapping[str, str] | None = None,
    model: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    **predictor: Any,
) -> Raw:
    """An InferenceService with a container of its own, or with `model` and a runtime's."""
    part = (
        {"model": dict(model)}
        if model is not None
        else {"containers": [SERVER | dict(server or {})]}
    )
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {
            "name": "llama",
            "namespace": "chat",
            "annotations": {"serving.kserve.io/deploymentMode": mode, **(notes or {})},
            **({"labels": dict(labels)} if labels else {}),
        },
        "spec": {"predictor": part | predictor},
    }


def without(*fields: str, **more: Any) -> Raw:
    """The server's container without some fields, as an InferenceService of its own."""
    kept = {key: value for key, value in SERVER.items() if key not in fields}
    raw = isvc(**more)
    raw["spec"]["predictor"]["containers"] = [kept]
    return raw


def llm(container: Mapping[str, Any] | None = None, **spec: Any) -> Raw:
    template = {"template": {"containers": [container]}} if container else {}
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "qwen", "namespace": "llm"},
        "spec": {"model": {"uri": "hf://Qwen/Qwen3-8B"}, **template, **spec},
    }


def deployment(container: Mapping[str, Any], *, of_llm: bool = True, **spec: Any) -> Raw:
    """Of the LLMInferenceService, or of the InferenceService in Standard mode."""
    labels = (
        {"app.kubernetes.io/name": "qwen", "llm-d.ai/role": "both"}
        if of_llm
        else {"serving.kserve.io/inferenceservice": "llama", "component": "predictor"}
    )
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "qwen-kserve" if of_llm else "llama-predictor",
            "namespace": "llm" if of_llm else "chat",
            "labels": labels,
        },
        "spec": {"template": {"spec": {"containers": [dict(container)]}}, **spec},
    }


def revision(
    container: Mapping[str, Any] | None = None,
    *,
    notes: Mapping[str, str] | None = None,
    **spec: Any,
) -> Raw:
    return {
        "apiVersion": "serving.knative.dev/v1",
        "kind": "Revision",
        "metadata": {
            "name": "llama-predictor-00001",
            "namespace": "chat",
            "labels": {"serving.kserve.io/inferenceservice": "llama", "component": "predictor"},
            "annotations": dict(notes or {}),
        },
        "spec": {"containers": [dict(container or SERVER)], **spec},
    }


def runtime(container: Mapping[str, Any], *, name: str = "kserve-vllmserver") -> Raw:
    return {
        "apiVersion": "serving.kserve.io/v1alpha1",
        "kind": "ClusterServingRuntime",
        "metadata": {"name": name, "annotations": {"serving.kserve.io/server-type": "vllmserver"}},
        "spec": {"containers": [{"name": "kserve-container", **container}]},
    }


def config(name: str, /, *, version: str = "", **data: str) -> Raw:
    """A ConfigMap; keys are written with underscores."""
    labels = {"app.kubernetes.io/version": version} if version else {}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "knative-serving", "labels": labels},
        "data": {key.replace("_", "-"): value for key, value in data.items()},
    }


def cron_job(schedule: str, url: str = "http://llama-predictor.chat/v1/models") -> Raw:
    pod = {"containers": [{"name": "ask", "command": ["curl", "-s", url]}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "warm", "namespace": "chat"},
        "spec": {
            "schedule": schedule,
            "jobTemplate": {"spec": {"template": {"spec": pod}}},
        },
    }


def took(p95_s: float, *, n: int = 24, p50_s: float | None = None) -> Lengths:
    """Lengths whose p95 is told; the middle is at seven tenths of it."""
    middle_s = 0.7 * p95_s if p50_s is None else p50_s
    return Lengths(n=n, longest_s=1.1 * p95_s, p50_s=middle_s, p95_s=p95_s)


def few(longest_s: float) -> Lengths:
    """Three starts."""
    return Lengths(n=3, longest_s=longest_s)


def settings_of(*objects: object) -> Settings:
    """Of the only model among them."""
    (only,) = settings_from_objects(objects)
    return only


def linted(objects: Sequence[object], measured: Measured | None = None) -> dict[str, LintFinding]:
    """What lint says of the only model among the objects, by code."""
    found = lint(settings_of(*objects), measured or Measured())
    return {finding.code: finding for finding in found}


def severity(code: str, objects: Sequence[object], measured: Measured | None = None) -> str | None:
    """Of one rule's finding; None where it says nothing."""
    finding = linted(objects, measured).get(code)
    return None if finding is None else finding.severity.value

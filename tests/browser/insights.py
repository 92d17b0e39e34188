"""Findings and advice for the pages of the browser tests: a model with everything, hostile text in
its evidence included."""

from __future__ import annotations

from datetime import datetime
from typing import Any

# Of llama-3-8b: what it fails of, with a second cause that is less sure.
FINDINGS: list[dict[str, Any]] = [
    {
        "cause": "unschedulable-gpu",
        "confidence": 0.95,
        "phase": "schedule",
        "rule": "no-gpu-free",
        "params": {"what": "Insufficient nvidia.com/gpu"},
        "remedies": ["add-capacity", "raise-min-replicas"],
    },
    {
        "cause": "scale-from-zero",
        "confidence": 0.7,
        "phase": "routing",
        "rule": "nobody-ready",
        "params": {},
        "remedies": ["raise-min-replicas"],
    },
]
LINT: dict[str, Any] = {
    "code": "PL020",
    "slug": "stop-not-removed",
    "severity": "warning",
    "object": "InferenceService/chat/llama-3-8b",
    "field": "metadata.annotations[serving.kserve.io/stop]",
    "params": {"value": "false"},
    "measured": {},
    "patch": "metadata:\n  annotations:\n    serving.kserve.io/stop: null\n",
    "effect": "rolls-pods",
    "extra_gpus": 1,
}
POD = "llama-3-8b-predictor-00001-deployment-6c9d7b5f4-x2x7k"


def fill_insights(now: datetime) -> None:
    """Of llama-3-8b, which fails, and of gemma, with which nothing is wrong."""
    from fleet.history.insights import packed
    from fleet.models import ModelInsight, ServedModel
    from tests import factories as make

    pieces = [
        ("event", f"Event/FailedScheduling/{POD}", "4 Insufficient", None),
        ("log", "log/kserve-container:2", make.HOSTILE, now.isoformat()),
        ("metric", "metric/requests{code=503}", "12", None),
    ]
    names = ("kind", "ref", "says", "at")
    evidence = [dict(zip(names, piece, strict=True)) for piece in pieces]
    findings = [{**each, "evidence": evidence} for each in FINDINGS]
    for name, found in (("llama-3-8b", findings), ("gemma", [])):
        row = ServedModel.objects.get(name=name, namespace="chat")
        ModelInsight.objects.create(
            **{column: getattr(row, column) for column in ("cluster", "kind", "namespace", "name")},
            model_uid=row.model_uid,
            findings=found,
            lint=[LINT] if found else [],
            profile=profile() if found else {},
            problem={"missing": [{"what": "pods/log", "why": "forbidden"}]} if found else {},
            objects_json=packed(bundle()),
            collected_at=now,
            diagnosed_at=now,
            linted_at=now,
            version=1,
        )
        top = {**FINDINGS[0], "evidence_count": 3, "count": 2} if found else None
        ServedModel.objects.filter(pk=row.pk).update(finding=top)


def profile() -> dict[str, Any]:
    """Of a team that wants no start while somebody waits."""
    return {
        "profile": "stability-first",
        "verdicts": [
            {"expectation": "min-one", "met": "not-met", "params": {"min": 0}},
            {"expectation": "deadline-covers-startup", "met": "unknown", "params": {}},
        ],
    }


def bundle() -> dict[str, Any]:
    """What was read of either."""
    from tests import factories as make

    about = {"kind": "Pod", "name": POD}
    return {
        "inferenceservice": {"kind": "InferenceService", "metadata": {"name": make.HOSTILE}},
        "pods": [{"kind": "Pod", "metadata": {"name": POD, "namespace": "chat"}}],
        "events": [
            {
                "reason": "FailedScheduling",
                "type": "Warning",
                "count": 4,
                "message": f"0/4 nodes are available: 4 Insufficient gpu. {make.HOSTILE}",
                "involvedObject": about,
                "lastTimestamp": "2026-11-30T12:00:00Z",
            }
        ],
        "logs": {"kserve-container": ["Loading weights", make.HOSTILE] * 30},
        "config": {"revision_timeout_s": 300.0},
        "missing": [{"what": "pods/log", "why": "forbidden", "text": ""}],
    }

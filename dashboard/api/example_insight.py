"""Examples of findings and advice."""

from __future__ import annotations

from typing import Any

FINDING: dict[str, Any] = {
    "cause": "unschedulable-gpu",
    "confidence": 0.95,
    "phase": "schedule",
    "summary": "No free GPU: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
    "evidence": [
        {
            "kind": "event",
            "ref": "Event/FailedScheduling/llama-3-8b-predictor-00004-deployment-6c9d7b5f4-x2x7k",
            "says": "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
            "at": "2026-11-30T09:12:06Z",
        }
    ],
    "remedies": ["add-capacity", "free-old-revision-first"],
}
TOP_FINDING: dict[str, Any] = {
    "cause": FINDING["cause"],
    "confidence": FINDING["confidence"],
    "summary": FINDING["summary"],
    "evidence_count": 1,
    "count": 1,
}
LINT: dict[str, Any] = {
    "code": "PL001",
    "slug": "progress-deadline-short",
    "severity": "error",
    "object": "InferenceService/chat/llama-3-8b",
    "field": "spec.predictor.annotations",
    "title": "The progress deadline is shorter than this model's starts",
    "why": "A start takes up to 11 min 40 s, and Knative gives it up after 10 min.",
    "measured": {"p95_s": 700.0, "n": 24},
    "patch": "spec:\n  predictor:\n    annotations:\n"
    "      serving.knative.dev/progress-deadline: 20m\n",
    "effect": "new-revision",
    "extra_gpus": 1,
}
INSIGHT: dict[str, Any] = {
    "findings": [FINDING],
    "lint": [LINT],
    "diagnosed_at": "2026-11-30T09:12:16Z",
}

"""One example of an incident, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

INCIDENT: dict[str, Any] = {
    "id": 7,
    "model": "demo-a/InferenceService/chat/llama-3-8b",
    "started_at": "2026-11-30T09:12:00Z",
    "ended_at": "2026-11-30T09:16:30Z",
    "last_error_at": "2026-11-30T09:16:30Z",
    "requests": 300,
    "requests_lost": 41,
    "at_least": True,
    "by_hop": {
        "ingress": 3,
        "endpoint-picker": None,
        "activator": 38,
        "queue-proxy": 0,
        "container": 0,
    },
    "by_code": {"503": 3, "504": 38},
    "client_gone": 6,
    "cause": "timeout-shorter-than-load",
    "confidence": 0.9,
    "revisions": ["llama-3-8b-predictor-00004"],
    "cold_starts": [91],
    "actions": ["ac-77b1e0"],
}
INCIDENT_DETAIL: dict[str, Any] = INCIDENT | {
    "findings": [
        {
            "cause": "timeout-shorter-than-load",
            "confidence": 0.9,
            "phase": "routing",
            "summary": "Requests are cut after 60 s, and this model takes 84 s to start.",
            "evidence": [
                {
                    "kind": "config",
                    "ref": "config/response_start_timeout_s",
                    "says": "60 s",
                    "at": None,
                }
            ],
            "remedies": ["raise-revision-timeout", "raise-min-replicas"],
        }
    ],
    "diagnosed_at": "2026-11-30T09:13:04Z",
    "unread": [],
    "around": {
        "starts": [{"id": 91, "at": "2026-11-30T09:12:04Z", "outcome": "ready", "total_s": 84.0}],
        "scale_events": [{"at": "2026-11-30T09:12:04Z", "from": 0, "to": 1, "cause": "demand"}],
        "probe_failures": [],
        "revisions": [],
        "actions": [{"id": "ac-77b1e0", "at": "2026-11-30T09:14:02Z", "action": "raise-min"}],
    },
}

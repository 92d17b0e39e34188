"""One example of each answer, for the OpenAPI document; a test holds them to their schemas."""

from __future__ import annotations

from typing import Any

from dashboard.api.example_incident import INCIDENT, INCIDENT_DETAIL
from dashboard.api.example_insight import INSIGHT, TOP_FINDING
from dashboard.api.example_report import REPORT, REPORT_ROW

KEY = "demo-a/InferenceService/chat/llama-3-8b"
COLD_START: dict[str, Any] = {
    "id": 91,
    "model": KEY,
    "revision": "llama-3-8b-predictor-00004",
    "replica": "llama-3-8b-predictor-00004-deployment-6c9d7b5f4-x2x7k",
    "replica_uid": "5f0c1f5e-0c1b-4b8f-9a60-3a7d0e6f2f10",
    "role": "both",
    "node": "gpu-3",
    "restarts": 0,
    "trigger": "scale-from-zero",
    "start_mode": "cached-image",
    "outcome": "ready",
    "failure": None,
    "started_at": "2026-11-30T09:12:04Z",
    "ready_at": "2026-11-30T09:13:28Z",
    "ended_at": "2026-11-30T09:13:28Z",
    "first_answer_at": None,
    "ended_in_phase": None,
    "total_s": 84.0,
    "total_to_first_answer_s": None,
    "unexplained_s": 1.0,
    "clamped": False,
    "phases": [
        {
            "phase": "load-engine",
            "started_at": "2026-11-30T09:12:35Z",
            "ended_at": "2026-11-30T09:13:27Z",
            "seconds": 52.0,
            "source": "container",
            "error_s": 1.0,
        }
    ],
    "requests_lost": None,
    "image": "docker.io/vllm/vllm-openai:v0.11.0",
    "image_digest": "sha256:9d2f3c0f5f1d5e0c7a2b7c6d9b1e4a3f8c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f",
    "engine_version": "0.11.0",
    "gpus": 1,
    "node_pool": "gpu-a",
    "weights_from": "storage-initializer",
    "progress_deadline_s": 600.0,
    "image_pull": "cached",
    "image_bytes": None,
    "log": {
        "state": "read",
        "engine_version": "0.11.0",
        "silent_since": None,
        "facts": {"compile_cache": "hit"},
        "decisive": [],
    },
}
REVISION: dict[str, Any] = {
    "name": "llama-3-8b-predictor-00004",
    "uid": "0b8a4b3e-7a4e-4c0c-8a43-6f6f0f2f9c11",
    "source": "knative",
    "number": "4",
    "image": "vllm/vllm-openai:v0.11.0",
    "traffic_percent": 100,
    "min_scale": 0,
    "max_scale": 3,
    "ready": True,
    "ready_reason": None,
    "created_at": "2026-11-29T16:02:11Z",
    "gone_at": None,
}
ERRORS: dict[str, Any] = {
    "window_s": 300.0,
    "requests": 1200,
    "requests_at_least": False,
    "in_flight": 4.0,
    "share_5xx": 0.0117,
    "lost": 14,
    "by_hop": {
        "ingress": 3,
        "endpoint-picker": None,
        "activator": 9,
        "queue-proxy": 0,
        "container": 2,
    },
    "at_least": ["ingress"],
    "client_gone": 1,
}
MODEL: dict[str, Any] = {
    "key": KEY,
    "uid": "c1c7c1a2-4f0e-4f59-9f43-0d1c3a5b7e21",
    "cluster": "demo-a",
    "kind": "InferenceService",
    "namespace": "chat",
    "name": "llama-3-8b",
    "mode": "Knative",
    "state": "Starting",
    "state_reason": "waking from zero",
    "served_names": ["llama-3-8b"],
    "url": "http://llama-3-8b.chat.example.com",
    "team": "search",
    "environment": "prod",
    "replicas": {"ready": 0, "desired": 1, "min": 0, "max": 3},
    "revision": {
        "name": REVISION["name"],
        "uid": REVISION["uid"],
        "traffic_percent": 100,
        "created_at": REVISION["created_at"],
    },
    "cold_start": {
        "count_7d": 24,
        "failed_7d": 1,
        "p50_s": 84.0,
        "p95_s": 171.0,
        "last": COLD_START,
        "in_flight": [
            {
                "id": 92,
                "phase": "load-engine",
                "elapsed_s": 31.0,
                "eta_p50_s": 53.0,
                "eta_p95_s": 140.0,
                "eta_from": "revision",
                "eta_n": 24,
                "eta_p95_from": "revision",
                "eta_p95_n": 24,
                "eta_confidence": "own",
                "late": "on-time",
                "late_reason": None,
                "late_after_s": 171.0,
                "overdue_after_s": 342.0,
            }
        ],
    },
    "errors": ERRORS,
    "probe_failures_1h": {"starting": 9, "serving": 0, "at_least": True},
    "finding": TOP_FINDING,
    "data_age_s": 1.2,
}
SCALE_EVENT: dict[str, Any] = {
    "at": "2026-11-30T09:12:04Z",
    "model": KEY,
    "revision": REVISION["name"],
    "from": 0,
    "to": 1,
    "desired": 1,
    "kind": "from-zero",
    "source": "podautoscaler",
    "cause": "demand",
    "actor": None,
}
PROBE_FAILURE: dict[str, Any] = {
    "at": "2026-11-30T09:13:20Z",
    "first_at": "2026-11-30T09:12:40Z",
    "model": KEY,
    "replica": COLD_START["replica"],
    "container": "queue-proxy",
    "about": "kserve-container",
    "probe": "readiness",
    "while": "starting",
    "count": 9,
    "message": "Readiness probe failed: HTTP probe failed with statuscode: 503",
}
CLUSTER: dict[str, Any] = {
    "name": "demo-a",
    "state": "live",
    "data_age_s": 0.8,
    "kubernetes": "1.36",
    "kserve": "0.20",
    "knative": "1.21",
    "metric_era": None,
    "missing": [{"permission": "pods/log", "costs": "engine phases"}],
    "models": 9,
    "not_taken_for_vllm": 2,
    "read_only": False,
}
CHANGE: dict[str, Any] = {
    "object": f"serving.knative.dev/v1/Revision/chat/{REVISION['name']}",
    "uid": REVISION["uid"],
    "field": "metadata.annotations[autoscaling.knative.dev/min-scale]",
    "before": None,
    "after": "1",
    "when": "at-once",
}
PLANNING: dict[str, Any] = {
    "id": "pl-3f9c2a",
    "state": "previewing",
    "action": "raise-min",
    "target": KEY,
    "params": {"min": 1, "how": "in-place", "expires_in_s": 3600},
    "reason": "launch at noon",
    "made_by": "ada",
    "expires_at": "2026-11-30T09:29:00Z",
    "changes": [],
    "dry_run": None,
    "effects": None,
    "warnings": [],
    "inverse": [],
    "refusal": None,
}
PLAN: dict[str, Any] = PLANNING | {
    "state": "planned",
    "changes": [CHANGE],
    "dry_run": {"ok": True, "message": ""},
    "effects": {
        "new_revision": False,
        "rollout": False,
        "pods": 1,
        "gpus": {"nvidia.com/gpu": 1},
        "free": {"nvidia.com/gpu": 2},
        "capacity": "fits-now",
        "eta_p50_s": 40.0,
        "cost_per_hour": None,
    },
    "warnings": [
        {
            "code": "lost-with-next-revision",
            "text": "Lost with the next revision.",
            "params": {},
        }
    ],
    "inverse": [CHANGE | {"before": "1", "after": None}],
}
ACTION: dict[str, Any] = {
    "id": "ac-77b1e0",
    "plan": PLAN["id"],
    "state": "scaling",
    "steps": [
        {"state": "queued", "at": "2026-11-30T09:14:02Z", "evidence": "asked for"},
        {
            "state": "accepted",
            "at": "2026-11-30T09:14:03Z",
            "evidence": "min 1 is in force, 1 replicas wanted",
        },
    ],
    "expires_at": "2026-11-30T10:14:02Z",
    "by": "ada",
    "result": None,
    "action": "raise-min",
    "target": KEY,
    "created_at": "2026-11-30T09:14:02Z",
    "finished_at": None,
}
TIMELINE: dict[str, Any] = {
    "since": "2026-11-30T09:12:00Z",
    "until": "2026-11-30T09:14:00Z",
    "step_s": 60.0,
    "replicas": [
        {"at": "2026-11-30T09:12:00Z", "desired": 0, "ready": 0},
        {"at": "2026-11-30T09:13:00Z", "desired": 1, "ready": 0},
        {"at": "2026-11-30T09:14:00Z", "desired": 1, "ready": 1},
    ],
    "requests": [
        ERRORS
        | {
            "at": "2026-11-30T09:13:00Z",
            "window_s": 60.0,
            "by_code": {"502": 2, "503": 12},
            "broken": 0,
            "cut": 0,
            "in_flight": 7.0,
            "queued": 3.0,
            "p95_s": None,
        }
    ],
    "scale_events": [SCALE_EVENT],
    "probe_failures": [PROBE_FAILURE],
    "revisions": [],
    "actions": [],
    "cut": [],
}


def page(item: dict[str, Any]) -> dict[str, Any]:
    """A last page of one row."""
    return {"items": [item], "next": None}


EXAMPLES: dict[str, dict[str, Any]] = {
    "list_models": page(MODEL),
    "get_model": MODEL | {"revisions": [REVISION]} | INSIGHT,
    "list_starts_of_model": page(COLD_START),
    "get_timeline": TIMELINE,
    "list_cold_starts": page(COLD_START),
    "list_scale_events": page(SCALE_EVENT),
    "list_probe_failures": page(PROBE_FAILURE),
    "list_incidents": page(INCIDENT),
    "get_incident": INCIDENT_DETAIL,
    "list_clusters": page(CLUSTER),
    "list_reports": page(REPORT_ROW),
    "get_report": REPORT,
    "make_plan": PLANNING,
    "get_plan": PLAN,
    "apply_plan": ACTION | {"state": "queued", "steps": ACTION["steps"][:1]},
    "list_actions": page(ACTION),
    "get_action": ACTION,
    "revert_action": ACTION | {"state": "reverting"},
}

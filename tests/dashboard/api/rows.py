"""Rows for the API's tests, by plain constructors: each call makes one row, named like its noun."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from fleet.domain.records.keys import ModelKey
from fleet.models import (
    Action,
    ActionStep,
    ApiToken,
    Cluster,
    ColdStart,
    Incident,
    Membership,
    Plan,
    ProbeFailure,
    Replica,
    Revision,
    ScaleEvent,
    ServedModel,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PILOT = ModelKey("demo-a", "InferenceService", "chat", "pilot")
HOSTILE = "<script>alert(1)</script>'\"; DROP TABLE\u202e\U0001f600"


def ago(seconds: float) -> datetime:
    """That many seconds before NOW."""
    return NOW - timedelta(seconds=seconds)


def key_columns(key: ModelKey) -> dict[str, str]:
    """A key as columns, with a uid of its own."""
    return {
        "cluster": key.cluster,
        "kind": key.kind,
        "namespace": key.namespace,
        "name": key.name,
        "model_uid": f"uid-{key}",
    }


def cluster(name: str = "demo-a", *, age_s: float | None = 1.0, **given: Any) -> Cluster:
    """A live cluster whose last proof is `age_s` old; None = never in step."""
    defaults: dict[str, Any] = {
        "state": "live",
        "kubernetes": "1.36",
        "last_proof_at": None if age_s is None else ago(age_s),
        "created_at": ago(86400),
    }
    return Cluster.objects.create(name=name, **(defaults | given))


def served_model(key: ModelKey = PILOT, **given: Any) -> ServedModel:
    """A warm Knative model."""
    defaults: dict[str, Any] = {
        "mode": "Knative",
        "state": "Warm",
        "state_code": "serving",
        "rank": 40,
        "served_names": [key.name],
        "ready": 1,
        "desired": 1,
        "min": 0,
        "max": 3,
        "created_at": ago(86400),
        "changed_at": ago(60),
    }
    return ServedModel.objects.create(**(key_columns(key) | defaults | given))


def cold_start(key: ModelKey = PILOT, *, at_s: float = 600.0, **given: Any) -> ColdStart:
    """A start of 84 s that became ready, demanded `at_s` before NOW."""
    began = ago(at_s)
    span = {
        "phase": "load-engine",
        "started_at": began.isoformat(),
        "ended_at": (began + timedelta(seconds=84)).isoformat(),
        "seconds": 84.0,
        "source": "container",
        "error_s": 1.0,
    }
    defaults: dict[str, Any] = {
        "replica_uid": f"pod-{key}-{at_s}",
        "replica": f"{key.name}-abcde",
        "revision": f"{key.name}-00001",
        "node": "gpu-1",
        "trigger": "scale-from-zero",
        "start_mode": "cached-image",
        "outcome": "ready",
        "started_at": began,
        "ready_at": began + timedelta(seconds=84),
        "ended_at": began + timedelta(seconds=84),
        "total_s": 84.0,
        "phases": [span],
    }
    return ColdStart.objects.create(**(key_columns(key) | defaults | given))


def scale_event(key: ModelKey = PILOT, *, at_s: float = 600.0, **given: Any) -> ScaleEvent:
    """From 0 to 1 by demand."""
    defaults: dict[str, Any] = {
        "uid": f"scale-{key}-{at_s}",
        "revision": f"{key.name}-00001",
        "revision_uid": f"rev-{key.name}-1",
        "at": ago(at_s),
        "from_count": 0,
        "to_count": 1,
        "change": "from-zero",
        "source": "podautoscaler",
        "cause": "demand",
    }
    return ScaleEvent.objects.create(**(key_columns(key) | defaults | given))


def probe_failure(key: ModelKey = PILOT, *, at_s: float = 600.0, **given: Any) -> ProbeFailure:
    """Nine failures of the readiness probe while starting."""
    defaults: dict[str, Any] = {
        "event_uid": f"event-{key}-{at_s}",
        "replica": f"{key.name}-abcde",
        "replica_uid": f"pod-{key}",
        "container": "queue-proxy",
        "about": "kserve-container",
        "probe": "readiness",
        "during": "starting",
        "count": 9,
        "first_at": ago(at_s + 60),
        "at": ago(at_s),
        "message": "HTTP probe failed with statuscode: 503",
    }
    return ProbeFailure.objects.create(**(key_columns(key) | defaults | given))


def revision(key: ModelKey = PILOT, *, number: int = 1, **given: Any) -> Revision:
    """A Knative Revision that gets all traffic."""
    defaults: dict[str, Any] = {
        "uid": f"rev-{key.name}-{number}",
        "revision": f"{key.name}-{number:05d}",
        "source": "knative",
        "traffic_percent": 100,
        "ready": True,
        "created_at": ago(3600 - number),
    }
    return Revision.objects.create(**(key_columns(key) | defaults | given))


def replica(key: ModelKey = PILOT, *, ready_s: float | None, **given: Any) -> Replica:
    """A pod that became Ready `ready_s` before NOW (None = not yet)."""
    defaults: dict[str, Any] = {
        "uid": f"pod-{key.name}-{ready_s}",
        "replica": f"{key.name}-abcde",
        "facts": "{}",
        "created_at": ago((ready_s or 0) + 84),
        "ready": ready_s is not None,
        "ready_at": None if ready_s is None else ago(ready_s),
    }
    return Replica.objects.create(**(key_columns(key) | defaults | given))


def incident(key: ModelKey = PILOT, *, at_s: float = 600.0, **given: Any) -> Incident:
    """Two minutes of 503 by the activator, over."""
    began, ended = ago(at_s), ago(at_s - 120)
    defaults: dict[str, Any] = {
        "started_at": began,
        "last_error_at": ended,
        "ended_at": ended,
        "requests": 40,
        "requests_lost": 9,
        "by_hop": {"ingress": 0, "activator": 9, "container": None},
        "by_code": {"503": 9},
        "around": {"errors": {"activator/503": 9}},
        "changed_at": NOW,
    }
    return Incident.objects.create(**(key_columns(key) | defaults | given))


def plan(key: ModelKey = PILOT, *, plan_id: str = "plan-1", **given: Any) -> Plan:
    """A raise-min that is being previewed."""
    defaults: dict[str, Any] = {
        "action": "raise-min",
        "params": {"min": 1, "how": "in-place", "expires_in_s": None},
        "reason": "launch",
        "made_by": "olga",
        "created_at": ago(30),
        "expires_at": NOW + timedelta(minutes=15),
    }
    return Plan.objects.create(id=plan_id, **(key_columns(key) | defaults | given))


def action(key: ModelKey = PILOT, *, number: int = 1, at_s: float = 20.0, **given: Any) -> Action:
    """An applied plan with its first step."""
    defaults: dict[str, Any] = {
        "plan": plan(key, plan_id=f"plan-of-{key.name}-{number}", state="applied"),
        "idempotency_key": f"once-{number}",
        "action": "raise-min",
        "by": "olga",
        "created_at": ago(at_s),
    }
    row = Action.objects.create(
        id=f"action-{key.name}-{number}", **(key_columns(key) | defaults | given)
    )
    ActionStep.objects.create(action=row, state="queued", at=ago(at_s), evidence="asked for")
    return row


def user(name: str = "vera", *, role: str = "viewer", **scope: Any) -> User:
    """A person with a role; scope: lists of clusters and namespaces (none given = everywhere)."""
    person = User.objects.create_user(username=name, password="a long password of vera")
    Membership.objects.create(user=person, role=role, **scope)
    return person


def token(person: User, *, text: str = "secret-token", role: str = "admin", **given: Any) -> str:
    """A bearer token of that person; gives its text."""
    defaults: dict[str, Any] = {
        "name": "test",
        "prefix": text[:8],
        "created_at": ago(60),
        "expires_at": NOW + timedelta(days=3650),
    }
    digest = hashlib.sha256(text.encode()).hexdigest()
    ApiToken.objects.create(user=person, digest=digest, role=role, **(defaults | given))
    return text

"""Rows for tests, by plain constructors: one function a noun, every field may be given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import User

from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.history.request_hours import by_hour, hour_row
from fleet.models import (
    Cluster,
    ColdStart,
    Incident,
    Membership,
    ProbeFailure,
    RequestHour,
    Revision,
    ScaleEvent,
    ServedModel,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NUMBERS = count(1)
HOSTILE = '<img src=x onerror="document.title=1">"\'`{{7*7}}'
# Lengths in seconds of an ordinary start, in order.
ORDINARY = (
    ("decide", 1.2),
    ("schedule", 2.0),
    ("prepare", 3.0),
    ("fetch-model", 21.0),
    ("load-engine", 48.0),
    ("become-ready", 6.0),
    ("unexplained", 2.8),
)


def make_user(
    name: str = "",
    *,
    role: str = "admin",
    password: str = "",
    clusters: Sequence[str] = (),
    namespaces: Sequence[str] = (),
) -> User:
    """A user with a membership; without a password nobody can sign in as them."""
    user = User.objects.create_user(name or f"user-{next(NUMBERS)}", password=password or None)
    Membership.objects.create(
        user=user, role=role, clusters=list(clusters), namespaces=list(namespaces)
    )
    return user


def make_cluster(name: str = "demo-a", **fields: Any) -> Cluster:
    """A live cluster, proven now."""
    now = fields.pop("now", NOW)
    given = {"state": "live", "kubernetes": "1.36", "kserve": "0.20", "knative": "1.21"}
    return Cluster.objects.create(
        **{"name": name, "last_proof_at": now, "created_at": now, **given, **fields}
    )


def make_model(name: str = "llama-3-8b", **fields: Any) -> ServedModel:
    """A warm Knative model of one replica."""
    now = fields.pop("now", NOW)
    given: dict[str, Any] = {
        "cluster": "demo-a",
        "kind": "InferenceService",
        "namespace": "chat",
        "name": name,
        "model_uid": f"uid-{next(NUMBERS)}",
        "mode": "Knative",
        "state": "Warm",
        "state_code": "serving",
        "state_since": now - timedelta(hours=1),
        "rank": 500,
        "version": 1,
        "team": "search",
        "environment": "prod",
        "ready": 1,
        "desired": 1,
        "min": 0,
        "max": 3,
        "revision": f"{name}-predictor-00001",
        "created_at": now - timedelta(days=3),
        "changed_at": now,
    }
    return ServedModel.objects.create(**given | fields)


def told_errors(by_hop: Mapping[str, int | None] | None = None, **fields: Any) -> dict[str, Any]:
    """What a fleet row keeps of the last five minutes: all hops can be told, none made a 5xx."""
    counts = {hop.value: 0 for hop in Hop} | dict(by_hop or {})
    lost = sum(count or 0 for count in counts.values())
    requests = fields.get("requests", 1000)
    given = {
        "window_s": 300,
        "requests": requests,
        "share_5xx": lost / requests if requests else None,
        "by_hop": counts,
        "client_gone": 0,
        "lost": lost,
        "at_least": [],
        "requests_at_least": False,
        "in_flight": None,
    }
    return given | fields


def phases(
    lengths: Sequence[tuple[str, float]] = ORDINARY,
    *,
    started_at: datetime = NOW,
    running: bool = False,
) -> list[dict[str, Any]]:
    """Phases one after the other in the API's shape; the last one is open if `running`."""
    made: list[dict[str, Any]] = []
    at = started_at
    for number, (phase, seconds) in enumerate(lengths):
        ended = at + timedelta(seconds=seconds)
        last = running and number == len(lengths) - 1
        made.append(
            {
                "phase": phase,
                "started_at": at.isoformat(),
                "ended_at": None if last else ended.isoformat(),
                "seconds": seconds,
                "source": "event",
                "error_s": 0.5,
                "parts": [],
            }
        )
        at = ended
    return made


def start_shape(
    lengths: Sequence[tuple[str, float]] = ORDINARY,
    *,
    started_at: datetime = NOW,
    outcome: str = "ready",
    **fields: Any,
) -> dict[str, Any]:
    """A start as the API tells it and as a fleet row keeps it."""
    running = outcome == "running"
    total_s = sum(seconds for _, seconds in lengths)
    return {
        "id": next(NUMBERS),
        "started_at": started_at.isoformat(),
        "outcome": outcome,
        "trigger": "scale-from-zero",
        "start_mode": "cached-image",
        "failure": None,
        "total_s": None if running else total_s,
        "phases": phases(lengths, started_at=started_at, running=running),
        **fields,
    }


def make_start(
    model: ServedModel,
    lengths: Sequence[tuple[str, float]] = ORDINARY,
    *,
    started_at: datetime = NOW,
    outcome: str = "ready",
    **fields: Any,
) -> ColdStart:
    """A start of the model's newest revision, with its phases."""
    number = next(NUMBERS)
    running = outcome == "running"
    total_s = sum(seconds for _, seconds in lengths)
    ended_at = None if running else started_at + timedelta(seconds=total_s)
    given: dict[str, Any] = {
        "cluster": model.cluster,
        "kind": model.kind,
        "namespace": model.namespace,
        "name": model.name,
        "model_uid": model.model_uid,
        "replica_uid": f"pod-{number}",
        "replica": f"{model.name}-{number}",
        "revision": model.revision,
        "node": "gpu-1",
        "trigger": "scale-from-zero",
        "start_mode": "cached-image",
        "outcome": outcome,
        "started_at": started_at,
        "ready_at": ended_at if outcome == "ready" else None,
        "ended_at": ended_at,
        "total_s": None if running else total_s,
        "phases": phases(lengths, started_at=started_at, running=running),
    }
    return ColdStart.objects.create(**given | fields)


def make_revision(model: ServedModel, number: int = 1, **fields: Any) -> Revision:
    """A ready Knative Revision of the model."""
    given: dict[str, Any] = {
        "cluster": model.cluster,
        "kind": model.kind,
        "namespace": model.namespace,
        "name": model.name,
        "model_uid": model.model_uid,
        "uid": f"revision-{next(NUMBERS)}",
        "revision": f"{model.name}-predictor-{number:05d}",
        "source": "knative",
        "number": str(number),
        "image": "vllm/vllm-openai:v0.11.0",
        "traffic_percent": 100,
        "ready": True,
        "created_at": NOW - timedelta(hours=5 - number),
    }
    return Revision.objects.create(**given | fields)


def make_scale_event(model: ServedModel, old: int, new: int, **fields: Any) -> ScaleEvent:
    """The model's wish went from `old` to `new` replicas."""
    given: dict[str, Any] = {
        "cluster": model.cluster,
        "kind": model.kind,
        "namespace": model.namespace,
        "name": model.name,
        "model_uid": model.model_uid,
        "uid": f"scale-{next(NUMBERS)}",
        "revision": model.revision,
        "at": NOW,
        "from_count": old,
        "to_count": new,
        "change": "up" if new > old else "down",
        "source": "podautoscaler",
        "cause": "demand",
    }
    return ScaleEvent.objects.create(**given | fields)


def make_probe_failure(model: ServedModel, times: int = 3, **fields: Any) -> ProbeFailure:
    """The readiness probe failed so many times while starting."""
    number = next(NUMBERS)
    given: dict[str, Any] = {
        "cluster": model.cluster,
        "kind": model.kind,
        "namespace": model.namespace,
        "name": model.name,
        "model_uid": model.model_uid,
        "event_uid": f"event-{number}",
        "replica": f"{model.name}-{number}",
        "replica_uid": f"pod-{number}",
        "container": "queue-proxy",
        "about": "kserve-container",
        "probe": "readiness",
        "during": "starting",
        "count": times,
        "first_at": NOW - timedelta(seconds=30),
        "at": NOW,
        "message": "HTTP probe failed with statuscode: 503",
    }
    return ProbeFailure.objects.create(**given | fields)


def told_tally(errors: Mapping[tuple[Hop, int], int] | None = None, **fields: Any) -> Tally:
    """A hundred requests, every hop told, and these 5xx."""
    given: dict[str, Any] = {"requests": 100, "told": frozenset(Hop), "client_gone": 0}
    return Tally(errors=dict(errors or {}), **given | fields)


def make_windows(
    model: ServedModel, tallies: Mapping[datetime, Tally], *, revision: str | None = None
) -> list[RequestHour]:
    """Windows of one revision as rows of hours. tallies: by the beginning of their window."""
    name = model.revision if revision is None else revision
    windows = [RequestWindow(revision=name, at=at, tally=t) for at, t in tallies.items()]
    owner = Owner(uid=model.model_uid, key=model.key)
    rows = [hour_row(owner, *hour, found) for hour, found in by_hour(windows).items()]
    return RequestHour.objects.bulk_create(rows)


def make_incident(model: ServedModel, **fields: Any) -> Incident:
    """Ten minutes in which the activator gave 41 requests up."""
    given: dict[str, Any] = {
        "cluster": model.cluster,
        "kind": model.kind,
        "namespace": model.namespace,
        "name": model.name,
        "model_uid": model.model_uid,
        "started_at": NOW - timedelta(minutes=10),
        "last_error_at": NOW,
        "ended_at": NOW,
        "requests": 50,
        "requests_lost": 41,
        "by_hop": {"activator": 41},
        "by_code": {"504": 41},
        "changed_at": NOW,
    }
    return Incident.objects.create(**given | fields)

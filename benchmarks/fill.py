"""`python -m benchmarks.fill MODELS`: rows for a large fleet in the database that DATABASE_URL
names, an admin with a token and a session. Prints these as JSON. Made-up rows, for timing only."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402

from fleet.history.shown_states import RANKS  # noqa: E402
from fleet.history.start_figures import start_json  # noqa: E402
from fleet.models import ApiToken, Cluster, ColdStart, Membership, ServedModel  # noqa: E402

NOW = datetime.now(UTC)
STATES = ("Warm", "Warm", "Warm", "Warm", "Cold", "Cold", "Cold", "Starting", "Failing", "Stopped")
CLUSTERS = 6
STARTS_EACH = 5
PHASES = (
    ("decide", 1.2), ("schedule", 2.0), ("prepare", 3.0), ("fetch-model", 21.0),
    ("pull-image", 14.0), ("load-engine", 48.0), ("become-ready", 6.0), ("unexplained", 2.8),
)  # fmt: skip


def main(count: int) -> dict[str, str]:
    """Fill; gives the token and the session key of an admin."""
    for number in range(CLUSTERS):
        # In step for the whole run, though nobody follows it.
        Cluster.objects.create(
            name=f"bench-{number}",
            state="live",
            kubernetes="1.36",
            last_proof_at=NOW + timedelta(hours=6),
            created_at=NOW,
        )
    models = [_model(number) for number in range(count)]
    starts = [_start(model, nth) for model in models for nth in range(STARTS_EACH)]
    ColdStart.objects.bulk_create(starts, batch_size=500)
    for number, model in enumerate(models):
        _give_starts(model, starts[number * STARTS_EACH])
    ServedModel.objects.bulk_create(models, batch_size=500)
    return _admin()


def _errors(number: int) -> dict[str, Any]:
    """What the last five minutes told of it: some lose requests, most do not."""
    lost = number % 7 * 5
    return {
        "window_s": 300,
        "requests": 200,
        "share_5xx": lost / 200,
        "by_hop": {"ingress": 0, "activator": lost, "queue-proxy": 0, "container": 0},
        "client_gone": 0,
        "lost": lost,
        "at_least": [],
        "requests_at_least": False,
    }


def _model(number: int) -> ServedModel:
    state = STATES[number % len(STATES)]
    name = f"model-{number:05d}"
    waking = state in {"Starting", "Failing"}
    return ServedModel(
        cluster=f"bench-{number % CLUSTERS}",
        kind="InferenceService",
        namespace=f"team-{number % 40}",
        name=name,
        model_uid=f"uid-{number}",
        mode="Knative",
        state=state,
        state_since=NOW,
        rank=RANKS[state],
        version=1,
        served_names=[name],
        url=f"http://{name}.example.com",
        runtime="vllm-runtime",
        team=f"team-{number % 12}",
        environment="prod",
        ready=int(state == "Warm"),
        desired=int(state == "Warm" or waking),
        min=0,
        max=3,
        revision=f"{name}-predictor-00001",
        revision_uid=f"rev-{number}",
        revision_created_at=NOW,
        traffic=[{"revision": f"{name}-predictor-00001", "percent": 100, "latest": True}],
        count_7d=24,
        p50_s=84.0,
        p95_s=171.0,
        probe_starting_1h=number % 5,
        errors=_errors(number),
        errors_spark=[[40, number % 7 if minute > 24 else 0] for minute in range(30)],
        created_at=NOW,
        changed_at=NOW,
    )


def _start(model: ServedModel, nth: int) -> ColdStart:
    running = nth == 0 and model.state == "Starting"
    began = NOW - timedelta(hours=nth, seconds=98)
    phases = _phases(began, cut=3 if running else 0)
    return ColdStart(
        cluster=model.cluster,
        kind=model.kind,
        namespace=model.namespace,
        name=model.name,
        model_uid=model.model_uid,
        replica_uid=f"{model.model_uid}-{nth}",
        replica=f"{model.name}-predictor-00001-deployment-{nth}",
        revision=model.revision,
        node="gpu-1",
        trigger="scale-from-zero",
        start_mode="cached-image",
        outcome="running" if running else "ready",
        started_at=began,
        ready_at=None if running else began + timedelta(seconds=98),
        ended_at=None if running else began + timedelta(seconds=98),
        total_s=98.0,
        phases=phases,
    )


def _phases(began: datetime, *, cut: int) -> list[dict[str, Any]]:
    spans = []
    for phase, seconds in PHASES[: len(PHASES) - cut]:
        ended = began + timedelta(seconds=seconds)
        span = {"phase": phase, "started_at": began.isoformat(), "ended_at": ended.isoformat()}
        spans.append(span | {"seconds": seconds, "source": "event", "error_s": 1.0})
        began = ended
    return spans


def _give_starts(model: ServedModel, newest: ColdStart) -> None:
    model.last_start = start_json(newest)
    if newest.outcome == "running":
        flight = {"id": newest.pk, "phase": "load-engine", "elapsed_s": 98.0}
        began = {"started_at": newest.started_at.isoformat()}
        model.in_flight = [flight | began | {"eta_p50_s": 12.0, "eta_p95_s": 60.0}]


def _admin() -> dict[str, str]:
    user = User.objects.create_user("bench", password=secrets.token_urlsafe())
    Membership.objects.create(user=user, role="admin")
    text = secrets.token_urlsafe()
    ApiToken.objects.create(
        user=user,
        name="bench",
        prefix=text[:8],
        digest=hashlib.sha256(text.encode()).hexdigest(),
        role="admin",
        created_at=NOW,
        expires_at=NOW + timedelta(hours=6),
    )
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return {
        "token": text,
        "cookie": f"{settings.SESSION_COOKIE_NAME}={session.session_key}",
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(int(sys.argv[1]))))

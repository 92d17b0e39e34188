"""A child process: the web application on a fresh database with rows in every state.

Usage: python -m tests.browser.serve STATE_DIR PORT. Migrates, fills, serves until it is ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

PASSWORD = "a long enough phrase"


def main(state_dir: str, port: str) -> None:
    os.environ["PILOTLIGHT_STATE_DIR"] = state_dir
    os.environ["DATABASE_URL"] = f"sqlite:///{Path(state_dir) / 'rows.sqlite3'}"
    os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
    os.environ["PILOTLIGHT_DEBUG"] = "on"
    os.environ.pop("REDIS_URL", None)

    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    fill()
    threading.Thread(target=beat, daemon=True).start()

    import uvicorn

    uvicorn.run("dashboard.asgi:application", port=int(port), log_level="warning")


def fill() -> None:
    """Clusters that are live, slow and gone; models in every state; one with a history."""
    from tests import factories as make
    from tests.browser.incidents import fill_incidents
    from tests.browser.insights import fill_insights
    from tests.browser.requests import fill_requests
    from tests.browser.weeks import fill_weeks

    now = datetime.now(UTC)
    for role in ("admin", "operator", "viewer"):
        make.make_user(role, role=role, password=PASSWORD)
    make.make_user("narrow", role="viewer", password=PASSWORD, namespaces=["rag"])
    missing = [{"permission": "pods/log", "costs": "engine phases"}]
    make.make_cluster("demo-a", now=now, missing=missing, watching=["pods", "events"])
    make.make_cluster("demo-b", now=now, knative="1.20", state="slow")
    make.make_cluster("demo-c", now=now - timedelta(hours=1), knative="", state="unreachable")
    fill_models(now)
    fill_requests(now)
    fill_incidents(now)
    fill_insights(now)
    fill_weeks(now)


WHY = {"phase": "schedule", "class": "unschedulable", "reason": "4 Insufficient nvidia.com/gpu"}
FAILED = (("schedule", 545.0), ("unexplained", 20.0))
BEGUN = (("decide", 0.8), ("schedule", 9.0), ("fetch-model", 20.0), ("load-engine", 1.0))
USUAL = {"count_7d": 25, "p50_s": 81.0, "p95_s": 118.0}
NOTHING: dict[str, Any] = {"ready": 0, "desired": 0}


def models() -> list[tuple[str, dict[str, Any]]]:
    """One model in each state, and one with a very long name."""
    trouble = {"state_code": "start-failed", "state_params": WHY, **USUAL}
    beside = {**trouble, "state_code": "failed-start-beside", "cluster": "demo-b"}
    doing = {"phase": "load-engine", "trigger": "scale-from-zero"}
    starting = {"state_code": "starting", "state_params": doing, "probe_starting_1h": 9, **USUAL}
    asleep = {"state_code": "asleep", "namespace": "rag", **NOTHING, **USUAL}
    llm = {"kind": "LLMInferenceService", "mode": "LLMInferenceService"}
    return [
        ("mixtral", {"state": "Failing", "rank": 0, "ready": 0, **trouble}),
        ("llama-3-8b", {"state": "Degraded", "rank": 10, "probe_serving_1h": 17, **beside}),
        ("llama-3-70b", {"state": "Starting", "rank": 20, "ready": 0, **starting}),
        ("gemma", {"rank": 40, "state_code": "ready", **USUAL}),
        ("qwen", {"state": "Cold", "rank": 50, **asleep}),
        ("old", {"state": "Stopped", "rank": 60, "state_code": "stopped", **NOTHING}),
        ("far", {"cluster": "demo-c", "mode": "Standard", "rank": 40}),
        ("w" * 120, {"rank": 40, **llm}),
        ("seasoned", {"rank": 40, "state_code": "ready", **USUAL}),
    ]


def fill_models(now: datetime) -> None:
    from tests import factories as make

    ago = now - timedelta(hours=2)
    last = make.start_shape(started_at=ago)
    failed = make.start_shape(FAILED, started_at=ago, outcome="failed", ended_in_phase="schedule")
    made = {
        name: make.make_model(name, now=now, **{"last_start": last, **columns})
        for name, columns in models()
    }
    made["mixtral"].last_start = failed
    made["mixtral"].save()
    begun = now - timedelta(seconds=31)
    make.make_start(made["llama-3-70b"], BEGUN, started_at=begun, outcome="running")
    history(made["gemma"], now)
    seasons(made["seasoned"], now)
    odd = {"team": make.HOSTILE, "state_code": make.HOSTILE, "rank": 40}
    make.make_model(make.HOSTILE, last_start=make.start_shape(outcome=make.HOSTILE), **odd)


def history(model: object, now: datetime) -> None:
    """Starts, scale events, probe failures and revisions of the last hours."""
    from fleet.models import ServedModel
    from tests import factories as make

    assert isinstance(model, ServedModel)
    for n in range(8):
        at = now - timedelta(minutes=40 * n + 10)
        make.make_start(
            model,
            started_at=at,
            outcome="failed" if n == 3 else "ready",
            failure_class="crash" if n == 3 else "",
            failure_reason=f"exit code 1 {make.HOSTILE}" if n == 3 else "",
        )
        make.make_scale_event(model, n % 2, 1 - n % 2, at=at)
        make.make_probe_failure(model, n + 1, at=at, message=make.HOSTILE)
    for number in (1, 2):
        make.make_revision(model, number, traffic_percent=50, created_at=now - timedelta(hours=2))


def seasons(model: object, now: datetime) -> None:
    """Ten days of starts on three nodes: a slower revision came, and another one that is new."""
    from fleet.models import ServedModel
    from tests import factories as make

    assert isinstance(model, ServedModel)
    for n in range(80):
        number = 1 if n < 40 else 2 if n < 75 else 3
        cold = n % 6 == 5
        load = 40.0 + (n * 7) % 11 + (38.0 if number > 1 else 0.0)
        lengths = [("decide", 0.8), ("schedule", 2.0 + n % 3), ("prepare", 3.0)]
        lengths += [("pull-image", 90.0 + n % 13)] if cold else []
        lengths += [("load-engine", load), ("become-ready", 4.0 + n % 2), ("unexplained", 0.4)]
        make.make_start(
            model,
            lengths,
            started_at=now - timedelta(hours=3 * (80 - n)),
            revision=f"seasoned-predictor-{number:05d}",
            revision_uid=f"seasoned-{number}",
            node=f"gpu-{n % 3 + 1}",
            start_mode="cold" if cold else "cached-image",
            engine_version="0.11.0" if number < 3 else "0.12.0",
        )
    make.make_revision(model, 3, created_at=now - timedelta(hours=15))


def beat() -> None:
    """Two clusters stay in step, as a follower would keep them."""
    from fleet.models import Cluster

    while True:
        now = datetime.now(UTC)
        Cluster.objects.filter(name="demo-a").update(last_proof_at=now)
        Cluster.objects.filter(name="demo-b").update(last_proof_at=now - timedelta(seconds=41))
        time.sleep(2)


if __name__ == "__main__":
    main(*sys.argv[1:])

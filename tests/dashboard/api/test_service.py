"""Health, readiness, metrics."""

from __future__ import annotations

import pytest
from django.db import DatabaseError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from dashboard.api import health
from tests.dashboard.api import rows


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_told_to_anyone_without_names(path: str) -> None:
    rows.cluster("secret-cluster", age_s=None)
    response = Client().get(path)
    assert (response.status_code, response.content) == (200, b"ok\n")


def test_not_ready_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_self: object) -> bool:
        raise DatabaseError("could not connect to db.internal as pilot")

    monkeypatch.setattr(health.Readiness, "is_ready", gone)
    response = Client().get("/readyz")
    assert (response.status_code, response.content) == (503, b"not ready\n")


def test_not_ready_before_the_migrations_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    def behind(*_args: object, **_more: object) -> list[tuple[str, bool]]:
        return [("fleet.9999", False)]

    monkeypatch.setattr(MigrationExecutor, "migration_plan", behind)
    assert health.Readiness().is_ready() is False


def test_metrics_need_a_token() -> None:
    assert Client().get("/metrics").status_code == 401


def test_metrics_tell_of_what_is_in_scope() -> None:
    rows.cluster("demo-a", age_s=1.5, lease_expires_at=rows.NOW.replace(hour=13))
    rows.cluster("demo-b", age_s=90)
    rows.cluster("demo-c", age_s=None)
    rows.served_model()
    rows.served_model(rows.PILOT.__class__("demo-b", "InferenceService", "chat", "old"))
    rows.cold_start(outcome="running")
    rows.action()
    text = rows.token(rows.user(clusters=["demo-a", "demo-b"]))
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {text}"})
    lines = answer.content.decode().splitlines()
    assert [line for line in lines if line.startswith("pilotlight_")] == [
        'pilotlight_cluster_data_age_seconds{cluster="demo-a"} 1.5',
        'pilotlight_cluster_data_age_seconds{cluster="demo-b"} 90.0',
        'pilotlight_cluster_followed{cluster="demo-a"} 1.0',
        'pilotlight_cluster_followed{cluster="demo-b"} 0.0',
        'pilotlight_models{cluster="demo-a",state="Warm"} 1.0',
        'pilotlight_models{cluster="demo-b",state="Unknown"} 1.0',
        "pilotlight_starts_running 1.0",
        "pilotlight_actions_unfinished 1.0",
    ]
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)

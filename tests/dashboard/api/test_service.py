"""Health, readiness, metrics."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from dashboard.api import health
from fleet.history.start_counts import count_starts
from tests.dashboard.api import rows
from tests.factories import NOW, make_model, make_start


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
    rows.cluster("demo-b", age_s=90, metrics_url="http://p", metrics_read_to=rows.ago(75))
    rows.cluster("demo-c", age_s=None)
    rows.served_model()
    rows.served_model(rows.PILOT.__class__("demo-b", "InferenceService", "chat", "old"))
    rows.cold_start(outcome="running")
    rows.action()
    rows.incident(ended_at=None)
    rows.incident(at_s=900)
    rows.incident(rows.PILOT.__class__("demo-c", "InferenceService", "chat", "x"), ended_at=None)
    text = rows.token(rows.user(clusters=["demo-a", "demo-b"]))
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {text}"})
    lines = answer.content.decode().splitlines()
    assert [line for line in lines if line.startswith("pilotlight_")] == [
        'pilotlight_cluster_data_age_seconds{cluster="demo-a"} 1.5',
        'pilotlight_cluster_data_age_seconds{cluster="demo-b"} 90.0',
        'pilotlight_cluster_followed{cluster="demo-a"} 1.0',
        'pilotlight_cluster_followed{cluster="demo-b"} 0.0',
        'pilotlight_metrics_read_age_seconds{cluster="demo-b"} 75.0',
        'pilotlight_models{cluster="demo-a",state="Warm"} 1.0',
        'pilotlight_models{cluster="demo-b",state="Unknown"} 1.0',
        "pilotlight_starts_running 1.0",
        "pilotlight_actions_unfinished 1.0",
        'pilotlight_incidents_ongoing{cluster="demo-a"} 1.0',
    ]
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)


def test_metrics_tell_how_long_starts_took() -> None:
    """Cumulated buckets, from counters in the database; what is out of scope is not told."""
    make_start(make_model("mine", namespace="chat"), (("load-engine", 40.0), ("become-ready", 4.0)))
    make_start(make_model("theirs", namespace="other"), (("load-engine", 40.0),))
    count_starts(now=NOW + timedelta(hours=1))
    text = rows.token(rows.user(namespaces=["chat"]))
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {text}"})
    told = [s for s in samples(answer.content.decode()) if s.name.startswith("pilotlight_start_")]
    whole = {s.labels["le"]: s.value for s in told if s.name == "pilotlight_start_seconds_bucket"}
    assert (whole["30.0"], whole["45.0"], whole["+Inf"]) == (0.0, 1.0, 1.0)
    assert {s.labels["model"] for s in told} == {"mine"}
    phases = {s.labels["phase"]: s.value for s in told if s.name.endswith("phase_seconds_sum")}
    assert phases == {"load-engine": 40.0, "become-ready": 4.0}


def test_two_models_of_one_name_are_series_of_their_own() -> None:
    for kind in ("InferenceService", "LLMInferenceService"):
        make_start(make_model("twin", kind=kind))
    count_starts(now=NOW + timedelta(hours=1))
    text = rows.token(rows.user())
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {text}"})
    told = [(s.name, *sorted(s.labels.items())) for s in samples(answer.content.decode())]
    assert len(told) == len(set(told))


def samples(text: str) -> list[Sample]:
    """Every sample of a Prometheus text."""
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]

"""Looking at models: what wakes it, and a look at a real API server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from kombu.exceptions import OperationalError

from fleet import wiring_insights
from fleet.history.insights import unpacked
from fleet.models import ModelInsight, ServedModel
from simulator.api.hosted import HostedApi
from tests.factories import make_cluster, make_model
from tests.hosted.loading import load
from workers import diagnose
from workers.celery import app
from workers.schedule import SCHEDULE

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Iterator[HostedApi]:
    with HostedApi() as api:
        load(api, "loading")
        yield api


@pytest.fixture(autouse=True)
def hosted(api: HostedApi, tmp_path: Path) -> Iterator[None]:
    """The server's own kubeconfig names the cluster; what reads it is made anew."""
    kubeconfig = api.kubeconfig(tmp_path / "kubeconfig", users=("viewer",))
    wiring_insights._collector.cache_clear()
    with override_settings(KUBECONFIG=str(kubeconfig)):
        yield
    wiring_insights._collector.cache_clear()


def llama(**fields: Any) -> ServedModel:
    now = datetime.now(UTC)
    make_cluster("hosted", context="hosted", now=now)
    return make_model("llama", cluster="hosted", namespace="vllm", now=now, **fields)


def test_a_model_of_a_real_cluster_is_looked_at() -> None:
    llama(state="Failing", rank=0)
    (due,) = wiring_insights.models_to_look_at()
    assert wiring_insights.look_at_model(due) is True
    row = ModelInsight.objects.get()
    bundle = unpacked(row.objects_json)
    assert bundle["inferenceservice"]["metadata"]["name"] == "llama"
    assert {"what": "pods/log", "why": "forbidden"}.items() <= row.problem["missing"][0].items()
    assert row.linted_at is not None
    assert wiring_insights.look_at_model(due) is False


def test_a_paused_cluster_is_left_alone() -> None:
    now = datetime.now(UTC)
    make_cluster("hosted", context="hosted", paused=True, now=now)
    make_model("llama", cluster="hosted", namespace="vllm", state="Failing", now=now)
    assert wiring_insights.models_to_look_at() == []


def test_the_beat_finds_who_is_due_and_sends_a_task_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    llama(state="Failing", rank=0)
    sent: list[tuple[int]] = []
    monkeypatch.setattr(diagnose.look_at, "apply_async", lambda args, **_: sent.append(args))
    diagnose.sweep()
    assert sent == [(ModelInsight.objects.get().pk,)]


def test_a_broker_that_is_away_costs_a_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: Any) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(diagnose.sweep, "apply_async", away)
    diagnose.wake()


def test_settings_are_noted_and_judged_in_their_turn() -> None:
    llama()
    assert wiring_insights.models_to_look_at() == []
    diagnose.advise()
    assert wiring_insights.models_to_look_at() == [ModelInsight.objects.get().pk]


def test_every_two_seconds_in_the_queue_of_samples() -> None:
    entry = SCHEDULE["diagnose"]
    assert (entry["task"], entry["schedule"]) == ("workers.diagnose.sweep", 2.0)
    assert entry["options"]["queue"] == "sample"
    assert app.conf.task_routes["workers.diagnose.*"] == {"queue": "sample"}

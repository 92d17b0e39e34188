"""The act worker: what wakes it, what it finds by itself, and who may hold its key."""

import base64
import io
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dashboard.processes.broker import free_port
from fleet import wiring
from fleet.adapters.credentials import KeyRing, WrongKey
from fleet.history.actions import add_action
from fleet.history.plans import add_plan
from fleet.models import AuditEntry, Cluster, Plan
from tests.factories import make_cluster, make_model
from workers import act
from workers.celery import app
from workers.schedule import SCHEDULE

CACHED = (wiring.actor_ring, wiring._writer)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Rings and writers are kept per process; not from test to test."""
    for function in CACHED:
        function.cache_clear()
    yield
    for function in CACHED:
        function.cache_clear()


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Tasks that were sent, with their argument."""
    sent: list[tuple[str, str]] = []
    for task in (act.preview_plan, act.advance_action):
        name = task.name.rpartition(".")[2]

        def send(args: tuple[str], *, of: str = name, **_: Any) -> None:
            sent.append((of, args[0]))

        monkeypatch.setattr(task, "apply_async", send)
    return sent


def a_plan(*, state: str = "previewing") -> Plan:
    make_cluster()
    model = make_model("pilot")
    plan = add_plan(
        action="raise-min",
        target=model.key,
        model_uid=model.model_uid,
        params={"min": 1},
        reason="launch",
        by="olga",
        now=wiring.now(),
    )
    Plan.objects.filter(id=plan.id).update(state=state)
    return plan


@pytest.mark.django_db
def test_the_sweep_finds_what_no_bell_announced(rung: list[tuple[str, str]]) -> None:
    waiting = a_plan()
    act.sweep()
    assert rung == [("preview_plan", waiting.id)]


@pytest.mark.django_db
def test_the_sweep_finds_actions_that_are_due(rung: list[tuple[str, str]]) -> None:
    plan = a_plan(state="planned")
    action = add_action(plan.id, idempotency_key="k", by="olga", reason="", now=wiring.now())
    act.sweep()
    assert rung == [("advance_action", action.id)]


@pytest.mark.django_db
def test_the_sweep_ends_plans_that_are_too_old(rung: list[tuple[str, str]]) -> None:
    plan = a_plan(state="planned")
    Plan.objects.filter(id=plan.id).update(expires_at=wiring.now() - timedelta(seconds=1))
    act.sweep()
    plan.refresh_from_db()
    assert (plan.state, rung) == ("expired", [])


def test_the_sweep_beats_on_the_act_queue_alone() -> None:
    entry = SCHEDULE["act"]
    assert entry["task"] == "workers.act.sweep"
    assert entry["options"]["queue"] == "act"


def test_a_broker_that_is_away_costs_no_wait_and_no_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    naps: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", naps.append)
    really: Any = act.preview_plan.apply_async
    with app.connection_for_write(url=f"redis://127.0.0.1:{free_port()}/0") as nobody:

        def send(*args: Any, **options: Any) -> Any:
            return really(*args, connection=nobody, **options)

        monkeypatch.setattr(act.preview_plan, "apply_async", send)
        act.wake_plan("p1")
    assert "could not ring" in caplog.text
    assert naps == []


@pytest.mark.django_db
def test_a_process_without_the_actors_key_reaches_no_cluster(settings: Any) -> None:
    settings.ACTOR_KEY = ""
    with pytest.raises(WrongKey, match="no actor key"):
        wiring.writer_of(make_cluster())


@pytest.mark.django_db
def test_the_actor_has_a_kubeconfig_of_its_own(settings: Any) -> None:
    settings.ACTOR_KEY, settings.KUBECONFIG = "secret", "reader.yaml"
    cluster = make_cluster(context="demo-a")
    assert wiring.actor_access(cluster).kubeconfig == "reader.yaml"
    settings.ACTOR_KUBECONFIG = "actor.yaml"
    assert wiring.actor_access(cluster).kubeconfig == "actor.yaml"
    assert wiring.reader_access(cluster).kubeconfig == "reader.yaml"


@pytest.mark.django_db
def test_tokens_of_added_clusters_open_in_their_own_zone_alone(settings: Any) -> None:
    settings.ACTOR_KEY, settings.READER_KEY = "actor", "reader"
    about = "cluster/added/token"
    cluster: Cluster = make_cluster("added", source="token", server="https://10.0.0.1:6443")
    cluster.actor_secret = KeyRing("actor", zone="actor").seal("writes", about=about)
    wiring.reader_ring.cache_clear()
    cluster.reader_secret = wiring.sealed_reader_token("added", "reads")
    assert (wiring.actor_token(cluster), wiring.reader_token(cluster)) == ("writes", "reads")
    cluster.actor_secret = cluster.reader_secret
    with pytest.raises(WrongKey):
        wiring.actor_token(cluster)
    wiring.reader_ring.cache_clear()


@pytest.mark.django_db
def test_secrets_are_set_by_standard_input_and_never_shown(
    settings: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.ACTOR_KEY = "actor"
    make_cluster(source="token", server="https://a.example.com")
    monkeypatch.setattr("sys.stdin", io.StringIO("sk-1\n"))
    call_command("secret", "model-key", "demo-a", "chat/pilot")
    monkeypatch.setattr("sys.stdin", io.StringIO("writes"))
    call_command("secret", "actor-token", "demo-a")
    cluster = Cluster.objects.get()
    assert wiring.model_key(cluster, "chat/pilot") == "sk-1"
    assert wiring.actor_token(cluster) == "writes"
    told = [f"{e.what} {e.target} {e.outcome} {e.detail}" for e in AuditEntry.objects.all()]
    assert sorted(told) == ["actor token demo-a set ", "model key demo-a/chat/pilot set "]
    assert "sk-1" not in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    call_command("secret", "model-key", "demo-a", "chat/pilot")
    assert Cluster.objects.get().model_keys == {}


@pytest.mark.django_db
def test_a_secret_of_no_cluster_or_without_a_key_is_refused(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ACTOR_KEY = ""
    make_cluster()
    monkeypatch.setattr("sys.stdin", io.StringIO("x"))
    with pytest.raises(CommandError, match="no actor key"):
        call_command("secret", "actor-token", "demo-a")
    wiring.actor_ring.cache_clear()
    settings.ACTOR_KEY = "actor"
    monkeypatch.setattr("sys.stdin", io.StringIO("x"))
    with pytest.raises(CommandError, match="no cluster"):
        call_command("secret", "actor-token", "nowhere")
    monkeypatch.setattr("sys.stdin", io.StringIO("x"))
    with pytest.raises(CommandError, match="by a kubeconfig"):
        call_command("secret", "actor-token", "demo-a")


@pytest.mark.django_db
def test_a_models_key_opens_for_that_model_alone(settings: Any) -> None:
    settings.ACTOR_KEY = "actor"
    cluster = make_cluster()
    sealed = KeyRing("actor", zone="actor").seal("sk-1", about="cluster/demo-a/model/chat/pilot")
    text = base64.b64encode(sealed).decode()
    cluster.model_keys = {"chat/pilot": text, "chat/other": text}
    assert wiring.model_key(cluster, "chat/pilot") == "sk-1"
    assert wiring.model_key(cluster, "chat/none") is None
    with pytest.raises(WrongKey):
        wiring.model_key(cluster, "chat/other")

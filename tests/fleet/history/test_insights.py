"""Who is to be looked at, who looks, and what is kept of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from fleet.history import insights
from fleet.history.insights import Claimed, Concluded
from fleet.history.prune import prune
from fleet.models import Incident, ModelInsight, ServedModel
from tests.factories import NOW, make_model

pytestmark = pytest.mark.django_db

FINDING: dict[str, Any] = {
    "cause": "gpu-oom",
    "confidence": 0.9,
    "phase": "engine_load",
    "rule": "cuda-oom",
    "params": {},
    "evidence": [{"kind": "log", "ref": "log/x:1", "says": "CUDA out of memory", "at": None}],
    "remedies": ["more-or-larger-gpu"],
}
CONCLUDED = Concluded(
    findings=[FINDING],
    lint=[],
    profile={},
    linted_for="mark",
    collected={"pods": [{"kind": "Pod"}], "logs": {"x": ["ä", "\udce4 lone"]}},
    missing=[{"what": "pods/log", "why": "forbidden", "text": ""}],
)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def asked(model: ServedModel, *, why: str = "failing", now: datetime = NOW) -> int:
    insights.ask([(model, why)], now=now)
    return ModelInsight.objects.get(model_uid=model.model_uid).pk


def claimed(pk: int, *, now: datetime = NOW) -> Claimed:
    found = insights.claim(pk, now=now)
    assert found is not None
    return found


def test_who_is_asked_for_waits_until_somebody_looks() -> None:
    pk = asked(make_model())
    assert insights.waiting(now=NOW) == [("demo-a", pk, "failing")]
    assert insights.busy(now=NOW) == {}
    claimed(pk)
    assert insights.waiting(now=later(1)) == []
    assert insights.busy(now=later(1)) == {"demo-a": 1}


def test_asking_again_changes_nothing_but_for_a_person() -> None:
    model = make_model()
    pk = asked(model)
    asked(model, why="settings", now=later(5))
    row = ModelInsight.objects.get(pk=pk)
    assert (row.due_at, row.why) == (NOW, "failing")
    insights.ask_now(model, why="asked", now=later(6))
    row.refresh_from_db()
    assert (row.due_at, row.why) == (later(6), "asked")


def test_one_looks_at_a_time_and_a_claim_runs_out() -> None:
    pk = asked(make_model())
    first = claimed(pk)
    assert insights.claim(pk, now=later(1)) is None
    second = claimed(pk, now=first.until + timedelta(seconds=1))
    assert insights.conclude(first, CONCLUDED, began=NOW, now=later(60)) is False
    assert insights.conclude(second, CONCLUDED, began=NOW, now=later(60)) is True


def test_what_came_of_a_look_is_kept_and_shown_on_the_fleet_row() -> None:
    model = make_model()
    pk = asked(model)
    insights.conclude(claimed(pk), CONCLUDED, began=NOW, now=later(2))
    row = ModelInsight.objects.get(pk=pk)
    assert row.findings == [FINDING]
    assert (row.diagnosed_at, row.linted_at, row.linted_for) == (NOW, NOW, "mark")
    assert (row.due_at, row.claimed_until, row.version) == (None, None, 1)
    assert row.problem["missing"][0]["what"] == "pods/log"
    assert insights.unpacked(row.objects_json)["logs"] == {"x": ["ä", "? lone"]}
    changed = ServedModel.objects.get(pk=model.pk)
    assert changed.finding is not None
    assert changed.finding["cause"] == "gpu-oom"
    assert (changed.version, changed.changed_at) == (model.version + 1, model.changed_at)


def test_the_same_again_does_not_touch_the_fleet_row() -> None:
    model = make_model()
    pk = asked(model)
    insights.conclude(claimed(pk), CONCLUDED, began=NOW, now=later(2))
    asked(model, now=later(60))
    again = claimed(pk, now=later(60))
    assert insights.conclude(again, CONCLUDED, began=later(60), now=later(62)) is False
    assert ServedModel.objects.get(pk=model.pk).version == model.version + 1


def test_a_trouble_that_is_over_leaves_the_fleet_row() -> None:
    model = make_model()
    pk = asked(model)
    insights.conclude(claimed(pk), CONCLUDED, began=NOW, now=later(2))
    asked(model, now=later(60))
    calm = replace(CONCLUDED, findings=[])
    insights.conclude(claimed(pk, now=later(60)), calm, began=later(60), now=later(62))
    assert ServedModel.objects.get(pk=model.pk).finding is None
    assert ServedModel.objects.filter(finding__isnull=True).count() == 1


def test_what_is_asked_while_somebody_looks_is_looked_at_afterwards() -> None:
    model = make_model()
    pk = asked(model)
    look = claimed(pk)
    insights.ask_now(model, why="asked", now=later(3))
    insights.conclude(look, CONCLUDED, began=NOW, now=later(4))
    assert insights.waiting(now=later(5)) == [("demo-a", pk, "asked")]


def test_a_look_that_failed_is_said_and_tried_again_later() -> None:
    pk = asked(make_model())
    insights.set_problem(claimed(pk), {"code": "not-read", "text": "no answer"}, now=later(1))
    row = ModelInsight.objects.get(pk=pk)
    assert row.problem == {"code": "not-read", "text": "no answer"}
    assert insights.waiting(now=later(2)) == []
    assert insights.waiting(now=later(60)) == [("demo-a", pk, "failing")]


def incident_of(model: ServedModel) -> None:
    Incident.objects.create(
        **{name: getattr(model, name) for name in ("cluster", "kind", "namespace", "name")},
        model_uid=model.model_uid,
        started_at=NOW,
        last_error_at=NOW,
        changed_at=NOW,
    )


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        pytest.param({"rank": 0}, True, id="failing"),
        pytest.param({"rank": 40, "errors": {"lost": 0}}, False, id="warm without errors"),
        pytest.param({"rank": 40, "errors": {"lost": 2}}, True, id="warm with errors"),
        pytest.param({"rank": 40, "probe_serving_1h": 1}, True, id="probes fail as it serves"),
        pytest.param({"rank": 40, "in_flight": [{"id": 1}]}, True, id="a start in flight"),
        pytest.param({"rank": 50, "finding": {"cause": "x"}}, True, id="it has a finding"),
        pytest.param({"rank": 0, "gone_at": NOW}, False, id="gone"),
        pytest.param({"rank": 0, "cluster": "demo-b"}, False, id="of another cluster"),
    ],
)
def test_who_may_be_in_trouble(fields: dict[str, Any], *, found: bool) -> None:
    make_model(**fields)
    assert bool(insights.troubled(["demo-a"])) is found


def test_the_worst_comes_first_and_an_incident_counts() -> None:
    calm, bad = make_model("calm", rank=40), make_model("bad", rank=0)
    asked(bad)
    incident_of(calm)
    found = insights.troubled(["demo-a"])
    assert [(each.row.name, each.incident) for each in found] == [("bad", False), ("calm", True)]
    assert [each.insight is None for each in found] == [False, True]


@pytest.mark.parametrize(
    ("changed", "linted", "found"),
    [
        pytest.param(-60, None, True, id="never linted"),
        pytest.param(-60, -30, False, id="nothing changed since"),
        pytest.param(-10, -30, True, id="changed since"),
        pytest.param(-9000, -8000, True, id="linted too long ago"),
    ],
)
def test_whose_settings_may_be_judged(changed: float, linted: float | None, *, found: bool) -> None:
    model = make_model(changed_at=later(changed))
    make_model("gone", gone_at=NOW)
    asked(model)
    at = None if linted is None else later(linted)
    ModelInsight.objects.update(linted_at=at)
    assert bool(insights.unlinted(["demo-a"], before=later(-3600))) is found


def test_one_model_that_is_present() -> None:
    model = make_model()
    incident_of(model)
    found = insights.subject("demo-a", model.model_uid)
    assert found is not None
    assert found.incident
    assert insights.subject("demo-a", "nobody") is None


def test_a_model_that_is_gone_is_forgotten() -> None:
    model = make_model()
    pk = asked(model)
    ServedModel.objects.update(gone_at=NOW)
    assert prune(now=NOW)["model insights"] == 1
    assert not ModelInsight.objects.filter(pk=pk).exists()

"""Looking at models: from rows that are due to findings and advice that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from fleet.domain.diagnosis.records import Cause, FaultPhase, Finding
from fleet.errors import ClusterUnreachable, FleetError, NotThere
from fleet.models import Incident, ModelInsight, ServedModel
from fleet.observe import diagnosing
from fleet.observe.diagnosing import AT_ONCE, Tools, look_at, mark_advice, mark_due, worth_showing
from fleet.observe.urgency import Why
from tests.factories import HOSTILE, NOW, make_model, make_start

pytestmark = pytest.mark.django_db

POD = "llama-3-8b-predictor-00001-deployment-5d4f8-abcde"
REFUSED = "0/4 nodes are available: 4 Insufficient nvidia.com/gpu."
SINCE = (NOW - timedelta(minutes=20)).isoformat()
PENDING: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": POD, "namespace": "chat", "creationTimestamp": SINCE},
    "spec": {
        "containers": [
            {"name": "kserve-container", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        ]
    },
    "status": {
        "phase": "Pending",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": REFUSED,
                "lastTransitionTime": SINCE,
            }
        ],
    },
}
BUNDLE: dict[str, Any] = {
    "inferenceservice": {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "llama-3-8b", "namespace": "chat"},
        "spec": {"predictor": {"model": {"modelFormat": {"name": "vLLM"}}, "minReplicas": 0}},
        "status": {"deploymentMode": "Knative"},
    },
    "pods": [PENDING],
    "events": [
        {
            "kind": "Event",
            "type": "Warning",
            "reason": "FailedScheduling",
            "message": REFUSED,
            "involvedObject": {"kind": "Pod", "namespace": "chat", "name": POD},
            "eventTime": (NOW - timedelta(minutes=1)).isoformat(),
        }
    ],
    "logs": {},
    "config": {"observed_at": NOW.isoformat()},
    "missing": [],
}


@dataclass
class OneBundle:
    """An ObjectCollector with the same answer for every model."""

    answer: Mapping[str, Any] | FleetError
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def collect(self, *, kind: str, namespace: str, name: str) -> Mapping[str, Any]:
        self.asked.append((kind, namespace, name))
        if isinstance(self.answer, FleetError):
            raise self.answer
        return self.answer

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class Bell:
    """An Announcer that remembers."""

    rung: list[str] = field(default_factory=list)

    def changed(self, *, cluster: str, keys: Sequence[str]) -> None:
        self.rung += keys


@dataclass
class World:
    collector: OneBundle
    bell: Bell = field(default_factory=Bell)
    now: datetime = NOW

    def due(self) -> list[int]:
        mark_advice(["demo-a"], now=self.now)
        return mark_due(["demo-a"], now=self.now)

    def look(self) -> list[bool]:
        tools = Tools(
            clock=lambda: self.now,
            collector=lambda _: self.collector,
            announcer=self.bell,
            profile_label="example.com/profile",
        )
        return [look_at(pk, tools) for pk in self.due()]


@pytest.fixture
def world() -> World:
    return World(OneBundle(BUNDLE))


def insight() -> ModelInsight:
    return ModelInsight.objects.get()


def failing(**fields: Any) -> ServedModel:
    return make_model(**{"state": "Failing", "rank": 0, "ready": 0, **fields})


def test_a_failing_model_gets_its_finding_on_page_row_and_bell(world: World) -> None:
    model = failing()
    assert world.look() == [True]
    (first, *_) = insight().findings
    assert first["cause"] == "unschedulable-gpu"
    assert any("Insufficient nvidia.com/gpu" in each["says"] for each in first["evidence"])
    row = ServedModel.objects.get(pk=model.pk)
    assert row.finding is not None
    assert row.finding["cause"] == "unschedulable-gpu"
    assert world.bell.rung == [str(model.key)]
    assert world.collector.asked == [("InferenceService", "chat", "llama-3-8b")]


def test_what_was_read_is_kept_to_be_shown(world: World) -> None:
    failing()
    world.look()
    assert insight().collected_at == NOW
    assert bytes(insight().objects_json)


def test_nobody_is_asked_again_before_its_time(world: World) -> None:
    failing(changed_at=NOW - timedelta(minutes=1))
    world.look()
    world.now = NOW + timedelta(seconds=59)
    assert world.due() == []
    world.now = NOW + timedelta(seconds=60)
    assert len(world.due()) == 1


def test_a_healthy_model_is_linted_once_and_has_no_finding(world: World) -> None:
    model = make_model()
    assert world.look() == [True]
    assert insight().linted_at == NOW
    assert insight().findings == []
    assert ServedModel.objects.get(pk=model.pk).finding is None
    world.now = NOW + timedelta(minutes=30)
    assert world.due() == []


def test_changed_settings_are_linted_again(world: World) -> None:
    make_model()
    world.look()
    ServedModel.objects.update(min=1, changed_at=NOW + timedelta(minutes=4))
    world.now = NOW + timedelta(minutes=5)
    assert len(world.due()) == 1


def test_the_worst_come_first_and_few_at_once(world: World) -> None:
    for number in range(AT_ONCE + 2):
        make_model(f"calm-{number}")
    failing(name="bad")
    chosen = world.due()
    assert len(chosen) == AT_ONCE
    assert ModelInsight.objects.get(pk=chosen[0]).name == "bad"


def test_a_model_that_recovers_loses_its_finding(world: World) -> None:
    model = failing()
    world.look()
    ServedModel.objects.filter(pk=model.pk).update(
        state="Warm", changed_at=NOW + timedelta(seconds=20)
    )
    world.now = NOW + timedelta(seconds=40)
    assert world.look() == [True]
    assert ServedModel.objects.get(pk=model.pk).finding is None


def test_an_incident_gets_the_findings(world: World) -> None:
    model = failing()
    Incident.objects.create(
        **{name: getattr(model, name) for name in ("cluster", "kind", "namespace", "name")},
        model_uid=model.model_uid,
        started_at=NOW - timedelta(minutes=2),
        last_error_at=NOW,
        changed_at=NOW,
    )
    world.look()
    incident = Incident.objects.get()
    assert incident.cause == "unschedulable-gpu"
    assert incident.findings[0]["evidence"]


def test_a_cluster_that_does_not_answer_keeps_the_old_finding(world: World) -> None:
    failing()
    world.look()
    world.collector.answer = ClusterUnreachable("GET /apis: timed out")
    world.now = NOW + timedelta(minutes=2)
    assert world.look() == [True]
    assert insight().problem["text"] == "GET /apis: timed out"
    assert insight().findings[0]["cause"] == "unschedulable-gpu"
    world.now += timedelta(seconds=10)
    assert world.due() == []


def test_a_rule_that_breaks_is_said_and_keeps_the_old_finding(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing()
    world.look()
    before = insight().findings

    def broken(evidence: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(diagnosing, "diagnose", broken)
    world.now = NOW + timedelta(minutes=2)
    assert world.look() == [True]
    assert insight().findings == before != []
    assert insight().problem["code"] == "broken-rule"


def test_a_model_that_is_gone_from_the_cluster_is_forgotten(world: World) -> None:
    failing()
    world.collector.answer = NotThere("gone", status=404)
    assert world.look() == [True]
    assert not ModelInsight.objects.exists()


def test_hostile_objects_are_kept_as_text(world: World) -> None:
    failing()
    event = {**BUNDLE["events"][0], "message": f"{REFUSED} {HOSTILE}\x00"}
    world.collector.answer = {**BUNDLE, "events": [event], "pods": [PENDING, {"kind": 7}, None]}
    assert world.look() == [True]
    assert insight().findings


def finding(cause: Cause, confidence: float = 0.9) -> Finding:
    return Finding(cause=cause, confidence=confidence, phase=FaultPhase.NONE, rule="r")


@pytest.mark.parametrize(
    ("why", "cause", "confidence", "shown"),
    [
        pytest.param(Why.FAILING, Cause.GPU_OOM, 0.5, True, id="trouble shows what it may be"),
        pytest.param(Why.FAILING, Cause.INSUFFICIENT_EVIDENCE, 0.0, True, id="or that it is open"),
        pytest.param(Why.FAILING, Cause.NONE, 1.0, False, id="but never that nothing is wrong"),
        pytest.param(None, Cause.GPU_OOM, 0.9, False, id="no finding without trouble"),
        pytest.param(Why.RECOVERED, Cause.GPU_OOM, 0.9, False, id="nor after it"),
        pytest.param(Why.ASKED, Cause.GPU_OOM, 0.5, True, id="who asks gets an answer"),
        pytest.param(
            Why.ASKED, Cause.INSUFFICIENT_EVIDENCE, 0.0, False, id="of a healthy model: none"
        ),
        pytest.param(
            Why.START_SLOW, Cause.SCALE_FROM_ZERO, 0.9, False, id="a start under way is no finding"
        ),
        pytest.param(
            Why.PROBES, Cause.DRAINING, 0.9, False, id="a stop whose errors are over is no finding"
        ),
        pytest.param(Why.ERRORS, Cause.DRAINING, 0.7, True, id="a stop that callers feel is one"),
        pytest.param(Why.START_SLOW, Cause.UNSCHEDULABLE_GPU, 0.9, True, id="one that stands is"),
        pytest.param(Why.START_SLOW, Cause.OVERLOAD, 0.5, False, id="if it is sure"),
        pytest.param(Why.START_LATE, Cause.MODEL_DOWNLOAD_SLOW, 0.7, True, id="a late one too"),
    ],
)
def test_what_is_shown(why: Why | None, cause: Cause, confidence: float, *, shown: bool) -> None:
    assert bool(worth_showing([finding(cause, confidence)], why)) is shown


def test_advice_rests_on_the_models_own_starts(world: World) -> None:
    model = make_model()
    for number in range(25):
        make_start(model, [("load-engine", 700.0)], started_at=NOW - timedelta(hours=number + 1))
    world.look()
    measured = [each["measured"] for each in insight().lint if each["measured"]]
    assert any(figures.get("p95_s") == 700.0 for figures in measured), insight().lint


@pytest.mark.parametrize("where", ["inferenceservice", "namespace"])
def test_a_team_says_by_a_label_what_it_wants(world: World, where: str) -> None:
    make_model()
    labels = {"example.com/profile": "stability-first"}
    meta = {"name": "llama-3-8b" if where == "inferenceservice" else "chat", "labels": labels}
    labelled = {**BUNDLE.get(where, {"kind": "Namespace"}), "metadata": {**meta}}
    if where == "inferenceservice":
        labelled["metadata"]["namespace"] = "chat"
    world.collector.answer = {**BUNDLE, where: labelled}
    world.look()
    assert insight().profile["profile"] == "stability-first"
    assert {"expectation": "min-one", "met": "not-met"}.items() <= insight().profile["verdicts"][
        0
    ].items()

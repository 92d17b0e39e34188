"""One recorded model on a hosted API server, the rows a follower would leave, and the act worker's
tools with a clock that the test moves."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fleet.actions.advance import advance
from fleet.actions.preview import preview
from fleet.actions.requests import request_apply, request_plan
from fleet.actions.tools import Tools
from fleet.adapters.kubernetes.client import Access, Client
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.adapters.kubernetes.writer import KubernetesWriter
from fleet.domain.records.change import Record
from fleet.domain.records.keys import Resource
from fleet.errors import NotThere
from fleet.history.action_text import evidence_of
from fleet.history.kept import as_text
from fleet.models import Action, Cluster, ObservedObject, Plan, ServedModel
from fleet.ports import Answer, ClusterWriter
from simulator.api.hosted import HostedApi
from tests.factories import make_cluster, make_model
from tests.hosted.loading import resource

PLANS = Path(__file__).parents[2] / "fixtures" / "plans"
OBSERVED = (
    Resource.INFERENCE_SERVICES,
    Resource.LLM_INFERENCE_SERVICES,
    Resource.REVISIONS,
    Resource.POD_AUTOSCALERS,
    Resource.DEPLOYMENTS,
)
GROUPS = {
    "inferenceservices": "serving.kserve.io",
    "llminferenceservices": "serving.kserve.io",
    "revisions": "serving.knative.dev",
    "podautoscalers": "autoscaling.internal.knative.dev",
    "deployments": "apps",
}
GOOD = Answer(status=200, content_type="text/event-stream", ttft_s=0.12, total_s=0.3)
FLOOR = "autoscaling.knative.dev/min-scale"
Edit = Callable[[dict[str, Any]], None]


@dataclass
class FakeCaller:
    """Answers in turn, the last one for ever; remembers what it was asked."""

    answers: list[Answer] = field(default_factory=lambda: [GOOD])
    asked: list[dict[str, Any]] = field(default_factory=list)
    allowed: bool = True

    def allows(self, url: str) -> bool:
        return self.allowed

    def complete(self, **asked: Any) -> Answer:
        self.asked.append(asked)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@dataclass
class Bell:
    """Remembers what was announced."""

    rung: list[str] = field(default_factory=list)

    def changed(self, *, cluster: str, keys: Any) -> None:
        self.rung += keys


def listed(reader: KubernetesReader, kind: Resource) -> Sequence[Record]:
    """All of a kind; none where the cluster does not serve it."""
    try:
        return reader.list(kind).records
    except NotThere:
        return ()


def observe(reader: KubernetesReader, cluster: Cluster, *, now: datetime) -> None:
    """Rows of what actions look at, by the reading path."""
    for kind in OBSERVED:
        for record in listed(reader, kind):
            meta = record.meta
            ObservedObject.objects.update_or_create(
                cluster=cluster,
                resource=kind,
                uid=meta.uid,
                defaults={
                    "namespace": meta.namespace,
                    "name": meta.name,
                    "record": as_text(record),
                },
            )
    cluster.last_proof_at = now
    cluster.save(update_fields=["last_proof_at"])


class Bed:
    """A hosted cluster, its rows, and somebody who acts."""

    def __init__(self, api: HostedApi, kubeconfig: Path) -> None:
        self.api = api
        self.now = datetime.now(UTC)
        self.caller = FakeCaller()
        self.bell = Bell()
        self.clients: list[Client] = []
        self.kubeconfig = str(kubeconfig)
        self.writer: ClusterWriter = self.writer_as("hosted")
        access = Access(context="hosted-viewer", kubeconfig=str(kubeconfig))
        self.reader = KubernetesReader(access, clock=lambda: self.now)
        self.cluster: Cluster = make_cluster(knative="1.22.0", now=self.now)
        self.model: ServedModel

    def writer_as(self, context: str) -> KubernetesWriter:
        """hosted: the operator, who may not patch PodAutoscalers; hosted-admin: may all."""
        self.clients.append(Client(Access(context=context, kubeconfig=self.kubeconfig)))
        return KubernetesWriter(self.clients[-1])

    def load(self, snapshot: str, **row: Any) -> None:
        """Objects of a recorded snapshot, and the row of its model."""
        whole = json.loads((PLANS / f"{snapshot}.json").read_text())
        self.api.call(lambda: self._create(whole))
        given: dict[str, Any] = {"url": "http://llama.vllm.example.com", "now": self.now}
        self.model = make_model(**{**given, "desired": 0, "ready": 0, **row})
        self.observe()

    def _create(self, whole: dict[str, list[dict[str, Any]]]) -> None:
        for path, objects in whole.items():
            plural = path.rpartition("/")[2]
            for obj in objects:
                self.api.store.create(resource(plural, GROUPS[plural]), obj, manager="recorded")

    def tools(self, worker: str = "one") -> Tools:
        return Tools(
            clock=lambda: self.now,
            writer=lambda cluster: self.writer,
            caller=lambda cluster: self.caller,
            model_key=lambda cluster, model: None,
            announcer=self.bell,
            worker=worker,
        )

    def observe(self) -> None:
        """Rows as a follower would leave them; the data is of now."""
        observe(self.reader, self.cluster, now=self.now)

    def change(self, plural: str, name: str, edit: Edit, manager: str = "controller") -> None:
        """What a controller (or another person) does to an object."""
        of = resource(plural, GROUPS[plural])
        namespace = self.model.namespace
        self.api.call(lambda: self.api.store.change(of, namespace, name, edit, manager=manager))

    def get(self, plural: str, name: str) -> dict[str, Any]:
        of = resource(plural, GROUPS[plural])
        found = self.api.call(lambda: self.api.store.get(of, self.model.namespace, name))
        assert found is not None
        return found

    def floor(self, plural: str, name: str) -> str | None:
        """The floor's annotation as it stands."""
        value: str | None = self.get(plural, name)["metadata"].get("annotations", {}).get(FLOOR)
        return value

    def plan(self, action: str = "raise-min", reason: str = "launch", **params: Any) -> Plan:
        """A plan, asked for and previewed."""
        asked = request_plan(
            action=action,
            target=self.model.key,
            params=params,
            reason=reason,
            by="olga",
            now=self.now,
        )
        preview(asked.id, tools=self.tools())
        asked.refresh_from_db()
        return asked

    def apply(self, plan: Plan, key: str = "k") -> Action:
        """The plan's action, and its first look."""
        action = request_apply(plan.id, idempotency_key=key, by="olga", now=self.now)
        return self.look(action)

    def look(self, action: Action, after_s: float = 0, times: int = 1) -> Action:
        """Time passes, the follower looks, the worker looks."""
        for _ in range(times):
            self.now += timedelta(seconds=after_s)
            self.observe()
            advance(action.id, tools=self.tools())
        return Action.objects.get(id=action.id)

    def scale(self, revision: str, *, wished: int, ready: int) -> None:
        """The autoscaler and the kubelets do their part."""

        def edit(obj: dict[str, Any]) -> None:
            obj["spec"]["replicas"] = wished
            obj["status"]["readyReplicas"] = ready

        self.change("deployments", f"{revision}-deployment", edit)

    def copy_floor(self, revision: str) -> None:
        """Knative 1.21 and later: the PodAutoscaler gets the Revision's annotations."""
        self.set_floor("podautoscalers", revision, self.floor("revisions", revision))

    def set_floor(
        self, plural: str, name: str, value: str | None, manager: str = "controller"
    ) -> None:
        def edit(obj: dict[str, Any]) -> None:
            notes = obj["metadata"].setdefault("annotations", {})
            notes.pop(FLOOR, None)
            if value is not None:
                notes[FLOOR] = value

        self.change(plural, name, edit, manager=manager)

    def close(self) -> None:
        self.reader.close()
        for client in self.clients:
            client.close()


def codes(action: Action) -> list[tuple[str, str]]:
    """(state, code) of each step."""
    return [(step.state, evidence_of(step.evidence)[0]) for step in action.steps.all()]


@pytest.fixture
def hosted() -> Iterator[HostedApi]:
    with HostedApi(namespaces=("vllm", "llm")) as api:
        yield api


@pytest.fixture
def bed(db: None, hosted: HostedApi, tmp_path: Path) -> Iterator[Bed]:
    """An operator on a cluster without any model yet."""
    kubeconfig = hosted.kubeconfig(tmp_path / "kubeconfig", users=("operator", "viewer", "admin"))
    made = Bed(hosted, kubeconfig)
    yield made
    made.close()
    assert threading.active_count() < 50


PINNED = "llama-predictor-00003"


@pytest.fixture
def asleep(bed: Bed) -> Bed:
    """A Knative model at zero on 1.22: floor 0 on the Revision in traffic."""
    bed.load("revision_pinned", name="llama", namespace="vllm")
    bed.set_floor("revisions", PINNED, "0")
    bed.set_floor("podautoscalers", PINNED, "0")
    bed.scale(PINNED, wished=0, ready=0)

    def zero(obj: dict[str, Any]) -> None:
        obj["status"].update(desiredScale=0, actualScale=0)

    bed.change("podautoscalers", PINNED, zero)
    bed.observe()
    return bed

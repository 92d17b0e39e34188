"""In place on living clusters of both Knative eras: the pin brings a pod, and no revision."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fleet.actions.advance import advance
from fleet.actions.preview import preview
from fleet.actions.requests import request_apply, request_plan, request_revert
from fleet.actions.tools import Tools
from fleet.adapters.kubernetes.client import Access, Client
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.adapters.kubernetes.writer import KubernetesWriter
from fleet.adapters.openai.caller import OpenAiCaller
from fleet.domain.records.keys import Resource
from fleet.models import Action, Cluster, Plan
from tests.factories import make_cluster, make_model
from tests.fleet.actions.conftest import Bell, codes, observe

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(180)]
SPEED = "30"
ROOT = Path(__file__).parents[3]
UP_WITHIN_S = 90.0
WITHIN_S = 90.0


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What simulated demo-a (1.21) and demo-b (1.20) write of themselves, a few models each."""
    folder = tmp_path_factory.mktemp("living")
    asked = ("--clusters", "2", "--models", "4", "--speed", SPEED, "--dir", str(folder))
    command = (sys.executable, str(ROOT / "manage.py"), "simulate", *asked)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as simulated:
        try:
            yield papers(folder / "simulated.json", simulated)
        finally:
            simulated.send_signal(signal.SIGTERM)
            simulated.wait(20)


def papers(path: Path, simulated: "subprocess.Popen[bytes]") -> dict[str, Any]:
    """The papers, once they are there."""
    until = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < until and simulated.poll() is None:
        if path.exists():
            kept: dict[str, Any] = json.loads(path.read_text())
            return kept
        time.sleep(0.2)
    raise AssertionError("the simulated clusters did not come up")


class Somebody:
    """Acts on one living cluster with real adapters and the real clock."""

    def __init__(self, cluster: dict[str, Any], kubeconfig: str) -> None:
        access = Access(context=cluster["context"], kubeconfig=kubeconfig)
        self.client = Client(access)
        self.reader = KubernetesReader(access, clock=self.now)
        self.cluster: Cluster = make_cluster(
            cluster["name"], knative="", gateway_url=cluster["gateway"], now=self.now()
        )
        self.model = make_model(
            "pilot",
            cluster=cluster["name"],
            url="http://pilot-predictor.chat.example.com",
            desired=0,
            ready=0,
        )

    @staticmethod
    def now() -> datetime:
        return datetime.now(UTC)

    def tools(self) -> Tools:
        writer = KubernetesWriter(self.client)
        caller = OpenAiCaller(gateway_url=self.cluster.gateway_url, allowed=())
        return Tools(
            clock=self.now,
            writer=lambda cluster: writer,
            caller=lambda cluster: caller,
            model_key=lambda cluster, model: None,
            announcer=Bell(),
            worker="somebody",
        )

    def planned(self) -> Plan:
        observe(self.reader, self.cluster, now=self.now())
        plan = request_plan(
            action="raise-min",
            target=self.model.key,
            params={"min": 1},
            reason="test",
            by="olga",
            now=self.now(),
        )
        preview(plan.id, tools=self.tools())
        plan.refresh_from_db()
        return plan

    def followed(self, action: Action) -> Action:
        """To its end, looking twice a second."""
        until = time.monotonic() + WITHIN_S
        while time.monotonic() < until:
            observe(self.reader, self.cluster, now=self.now())
            advance(action.id, tools=self.tools())
            action = Action.objects.get(id=action.id)
            if action.finished_at is not None and not action.revert_asked_by:
                return action
            if action.state in ("reverted", "superseded"):
                return action
            time.sleep(0.3)
        raise AssertionError(codes(action))

    def count(self, resource: Resource) -> int:
        """Objects of the pilot in its namespace."""
        listed = self.reader.list(resource, namespace="chat").records
        return len([r for r in listed if getattr(r, "model", "") == "pilot"])

    def close(self) -> None:
        self.reader.close()
        self.client.close()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("demo-a", "Revision", id="1.21: the Revision"),
        pytest.param("demo-b", "PodAutoscaler", id="1.20: the PodAutoscaler"),
    ],
)
def test_the_pin_brings_a_pod_and_no_revision(living: dict[str, Any], name: str, kind: str) -> None:
    cluster = next(each for each in living["clusters"] if each["name"] == name)
    somebody = Somebody(cluster, living["kubeconfig"])
    try:
        assert somebody.count(Resource.PODS) == 0
        plan = somebody.planned()
        assert plan.state == "planned", plan.refusal
        assert [c["object"].split("/")[2] for c in plan.body["changes"]] == [kind]
        action = request_apply(plan.id, idempotency_key="k", by="olga", now=somebody.now())
        action = somebody.followed(action)
        assert action.state == "served", codes(action)
        assert somebody.count(Resource.PODS) == 1
        assert somebody.count(Resource.REVISIONS) == 1
        request_revert(action.id, by="olga", now=somebody.now())
        assert somebody.followed(action).state == "reverted"
    finally:
        somebody.close()

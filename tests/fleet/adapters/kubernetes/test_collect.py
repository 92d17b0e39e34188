"""All that belongs to one model, from a real server over HTTPS."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.collect import KubernetesCollector
from fleet.errors import ClusterUnreachable, NotThere
from simulator.api.faults import FaultKind
from simulator.api.hosted import HostedApi
from simulator.api.sources import LogLines
from tests.hosted.loading import EVENTS, PODS, load, pod, resource, snapshot

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
CONFIG_MAPS = resource("configmaps")
LLAMA = {"kind": "InferenceService", "namespace": "vllm", "name": "llama"}
QWEN = {"kind": "LLMInferenceService", "namespace": "llm", "name": "qwen"}

Collect = Callable[..., KubernetesCollector]


class Logs:
    """Every container writes two lines, one of them with a secret; storage-initializer none."""

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        if container == "storage-initializer":
            return None
        return [(AT, "Loading weights"), (AT, "api_key='sesame-open'")]


@pytest.fixture
def api() -> Iterator[HostedApi]:
    with HostedApi(logs=Logs(), namespaces=("default", "web", "knative-serving", "kserve")) as api:
        load(api, "loading")
        load(api, "llm_at_zero")
        yield api


@pytest.fixture
def collector(api: HostedApi, tmp_path: Path) -> Iterator[Collect]:
    """By the name of who asks."""
    kubeconfig = api.kubeconfig(tmp_path / "kubeconfig", users=("viewer", "admin"))
    made: list[KubernetesCollector] = []

    def make(context: str = "hosted-admin", **options: Any) -> KubernetesCollector:
        access = Access(context=context, kubeconfig=str(kubeconfig))
        made.append(KubernetesCollector(access, clock=lambda: AT, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def create(api: HostedApi, of: Any, obj: dict[str, Any]) -> None:
    api.call(lambda: api.store.create(of, obj, manager="test"))


def test_a_knative_model_with_all_that_is_made_of_it(collector: Collect) -> None:
    bundle = collector().collect(**LLAMA)
    assert bundle["inferenceservice"]["metadata"]["name"] == "llama"
    assert bundle["revision"]["metadata"]["name"] == "llama-predictor-00001"
    assert bundle["podautoscaler"]["kind"] == "PodAutoscaler"
    assert bundle["deployment"]["kind"] == "Deployment"
    assert [len(bundle[key]) for key in ("knativeservices", "routes", "pods")] == [1, 1, 2]
    assert bundle["config"] == {"observed_at": AT.isoformat()}
    assert bundle["missing"] == []
    names = {each["involvedObject"]["name"].rpartition("-")[0] for each in bundle["events"]}
    assert "llama-predictor-00001-deployment-57b7b4486" in names


def test_an_llm_model(collector: Collect) -> None:
    bundle = collector().collect(**QWEN)
    assert bundle["llminferenceservice"]["metadata"]["name"] == "qwen"
    assert "inferenceservice" not in bundle
    assert "revisions" not in bundle


def test_nothing_that_is_secret_is_kept(collector: Collect) -> None:
    bundle = collector().collect(**LLAMA)
    text = json.dumps(bundle)
    assert "managedFields" not in text
    assert "sesame" not in text
    assert "HF_HOME" in text


def test_logs_of_pods_that_do_not_serve_come_by_container(collector: Collect) -> None:
    logs = collector().collect(**LLAMA)["logs"]
    assert logs["kserve-container"] == ["Loading weights", "api_key='…'"]
    (other,) = [key for key in logs if key.startswith("kserve-container (llama-")]
    assert logs[other] == logs["kserve-container"]
    assert "storage-initializer" not in logs


def test_events_of_other_models_of_the_namespace_stay_out(
    api: HostedApi, collector: Collect
) -> None:
    event = {
        "metadata": {"name": "other.1", "namespace": "vllm"},
        "involvedObject": {"kind": "Pod", "name": "llama-big-predictor-0", "namespace": "vllm"},
        "reason": "Failed",
    }
    create(api, EVENTS, event)
    bundle = collector().collect(**LLAMA)
    assert "llama-big-predictor-0" not in json.dumps(bundle["events"])


def test_events_of_its_nodes_are_read_too(api: HostedApi, collector: Collect) -> None:
    node = collector().collect(**LLAMA)["pods"][0]["spec"]["nodeName"]
    for name in (node, "of-somebody-else"):
        event = {
            "metadata": {"name": f"{name}.1", "namespace": "default"},
            "involvedObject": {"kind": "Node", "name": name},
            "reason": "NodeNotSchedulable",
        }
        create(api, EVENTS, event)
    events = collector().collect(**LLAMA)["events"]
    found = [e["involvedObject"]["name"] for e in events if e["reason"] == "NodeNotSchedulable"]
    assert found == [node]


def test_of_many_pods_those_that_do_not_serve_come_first(
    api: HostedApi, collector: Collect
) -> None:
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    for number in range(30):
        made = pod(f"serves-{number}", namespace="vllm", model="llama")
        create(api, PODS, {**made, "status": ready})
    pods = collector().collect(**LLAMA)["pods"]
    assert len(pods) == 20
    assert {each["metadata"]["name"].rpartition("-")[0] for each in pods[:2]} == {
        "llama-predictor-00001-deployment-57b7b4486"
    }


def test_a_right_that_is_missing_is_named_and_the_rest_is_read(collector: Collect) -> None:
    bundle = collector("hosted").collect(**LLAMA)
    missing = {each["what"]: each["why"] for each in bundle["missing"]}
    assert missing["pods/log"] == "forbidden"
    assert missing["configmaps/config-autoscaler"] == "forbidden"
    assert bundle["logs"] == {}
    assert len(bundle["pods"]) == 2


def test_controllers_settings_are_read_once_for_all_models(
    api: HostedApi, collector: Collect
) -> None:
    made = {
        "metadata": {"name": "config-deployment", "namespace": "knative-serving"},
        "data": {"_example": "…", "progress-deadline": "600s"},
    }
    create(api, CONFIG_MAPS, made)
    asked = collector()
    for _ in range(2):
        (found,) = asked.collect(**LLAMA)["configmaps"]
        assert found["kind"] == "ConfigMap"
        assert found["data"] == {"progress-deadline": "600s"}
        api.call(lambda: api.server.faults.add(FaultKind.ERROR, resource="configmaps"))


def test_a_model_that_is_gone(collector: Collect) -> None:
    with pytest.raises(NotThere):
        collector().collect(**{**LLAMA, "name": "nobody"})


def test_a_cluster_that_does_not_answer(api: HostedApi, collector: Collect) -> None:
    api.call(lambda: api.server.faults.add(FaultKind.DOWN))
    with pytest.raises(ClusterUnreachable):
        collector().collect(**LLAMA)


def test_a_list_that_fails_is_named(api: HostedApi, collector: Collect) -> None:
    api.call(lambda: api.server.faults.add(FaultKind.ERROR, resource="events"))
    bundle = collector().collect(**LLAMA)
    assert bundle["events"] == []
    assert ("events", "failed") in [(each["what"], each["why"]) for each in bundle["missing"]]


def test_when_time_is_over_the_rest_is_left_out(api: HostedApi, collector: Collect) -> None:
    api.call(lambda: api.server.faults.add(FaultKind.SLOW, resource="revisions", seconds=0.8))
    bundle = collector(budget_s=1.0).collect(**LLAMA)
    late = {each["what"] for each in bundle["missing"] if each["why"] == "not-in-time"}
    assert {"pods", "events"} <= late


def test_a_runtime_whose_name_is_none_is_not_asked_for(api: HostedApi, collector: Collect) -> None:
    assert snapshot("loading")
    models = resource("inferenceservices", "serving.kserve.io")

    def point_elsewhere(obj: dict[str, Any]) -> None:
        obj["spec"]["predictor"]["model"]["runtime"] = "../../../../api/v1/nodes"

    api.call(lambda: api.store.change(models, "vllm", "llama", point_elsewhere, manager="test"))
    assert collector().collect(**LLAMA)["servingruntime"] == {}

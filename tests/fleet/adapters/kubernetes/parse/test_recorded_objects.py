"""Objects as real API servers gave them, with their managedFields, to records."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fleet.adapters.kubernetes.parse import parse_list, parse_object
from fleet.domain.records.common import condition
from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.serving import ModelRecord, RevisionRecord
from fleet.domain.records.workload import PodRecord, WorkloadRecord
from tests.fleet.domain.streams import messages, named

HTTP = Path(__file__).parents[4] / "fixtures" / "http"
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def body(name: str) -> Any:
    """The body of a recorded answer."""
    return json.loads((HTTP / f"{name}.json").read_text())["response"]["body"]


def raw(value: Any) -> bytes:
    """As the wire has it."""
    return json.dumps(value).encode()


def test_an_inference_service() -> None:
    record = parse_object(Resource.INFERENCE_SERVICES, raw(body("get-isvc")))
    assert isinstance(record, ModelRecord)
    assert (record.meta.name, record.mode, record.mode_stated) == ("demo", Mode.KNATIVE, True)
    assert record.runtime == "kserve-vllmserver"
    assert record.containers[0].name == "kserve-container"
    assert record.latest_ready_revision == "demo-predictor-00001"
    assert record.traffic[0].percent == 100
    assert record.meta.managers


def test_a_revision_and_who_wrote_it_last() -> None:
    record = parse_object(Resource.REVISIONS, raw(body("get-revision")))
    assert isinstance(record, RevisionRecord)
    assert record.model == "demo"
    assert record.component == "predictor"
    assert record.containers[0].engine == "vllm-module"
    assert record.containers[0].served_names == ("demo",)
    assert record.containers[0].startup_probe
    assert record.meta.owner_kind == "Configuration"
    assert record.meta.changed_by
    assert "status" not in record.meta.changed_by


def test_a_standard_deployment() -> None:
    record = parse_object(Resource.DEPLOYMENTS, raw(body("patch-strategic-deployment")))
    assert isinstance(record, WorkloadRecord)
    assert (record.model_kind, record.model) == ("InferenceService", "std")
    assert (record.meta.owner_kind, record.meta.owner_name) == ("InferenceService", "std")
    assert record.progress_deadline_s == 600
    assert record.revision_number == "1"
    assert record.revision == ""


def test_a_knative_deployment_of_the_newer_kind_does_not_repeat_autoscaling() -> None:
    listed = parse_list(
        Resource.DEPLOYMENTS, raw(body("list-deployments-items-kind")), received_at=NOW
    )
    assert listed.odd == ()
    for record in listed.records:
        assert isinstance(record, WorkloadRecord)
        assert record.revision
        assert record.revision_uid
        assert not record.template_autoscaling


def test_both_event_apis_give_one_shape() -> None:
    new = parse_list(Resource.EVENTS, raw(body("events-v1-api")), received_at=NOW)
    assert new.records
    for record in new.records:
        assert isinstance(record, EventRecord)
        assert record.reason
        assert record.object_uid == "49da7362-65f5-4316-908a-a65798f800fa"
        assert record.count >= 1
        assert record.first_at is not None
        assert record.last_at is not None
        assert record.message


def test_an_event_of_the_scheduler_has_only_its_event_time() -> None:
    listed = parse_list(Resource.EVENTS, raw(body("events-scheduler")), received_at=NOW)
    record = listed.records[0]
    assert isinstance(record, EventRecord)
    assert record.component == "default-scheduler"
    assert record.first_at is not None
    assert record.first_at == record.last_at
    assert record.first_at.microsecond
    assert record.count == 1


def test_llm_inference_services() -> None:
    listed = parse_list(Resource.LLM_INFERENCE_SERVICES, raw(body("list-llmisvc")), received_at=NOW)
    record = listed.records[0]
    assert isinstance(record, ModelRecord)
    assert record.mode is Mode.LLM
    assert record.model_name
    assert listed.resource_version


def test_the_first_page_of_pods() -> None:
    listed = parse_list(Resource.PODS, raw(body("list-page-1")), received_at=NOW)
    assert len(listed.records) == 2
    for record in listed.records:
        assert isinstance(record, PodRecord)


@pytest.mark.parametrize("number", ["01", "11"])
def test_pods_of_recorded_streams(number: str) -> None:
    """Their last state: what a replica needs is all there."""
    stream, _ = messages(named(number))
    pods = [m.record for m in stream if m.resource is Resource.PODS and hasattr(m, "record")]
    last = pods[-1]
    assert isinstance(last, PodRecord)
    assert last.weights_from == "storage-initializer"
    assert (last.gpus, last.gpu_resource) == (1, "nvidia.com/gpu")
    assert last.containers[0].name == "storage-initializer"
    assert last.containers[0].init
    assert condition(last.conditions, "PodScheduled")

"""Made-up objects: every mark that we read, in all its forms, and hostile ones."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from fleet.adapters.kubernetes.parse import parse_object
from fleet.adapters.kubernetes.parse.common import duration_s, gpus_of, whole
from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.serving import (
    AutoscalerRecord,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RevisionRecord,
    RuntimeRecord,
)
from fleet.domain.records.workload import NamespaceRecord, NodeRecord, PodRecord, WorkloadRecord

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
BORN = "2026-11-30T09:00:00Z"


def made(**parts: Any) -> dict[str, Any]:
    """An object with the metadata that the API always gives."""
    meta = {"name": "x", "uid": "u", "namespace": "chat", "creationTimestamp": BORN}
    return {**parts, "metadata": meta | parts.get("metadata", {})}


def read(resource: Resource, value: Any) -> Any:
    """The record."""
    return parse_object(resource, json.dumps(value).encode())


def pod(**parts: Any) -> PodRecord:
    """A pod's record."""
    record = read(Resource.PODS, made(**parts))
    assert isinstance(record, PodRecord)
    return record


def model(**parts: Any) -> ModelRecord:
    """An InferenceService's record."""
    record = read(Resource.INFERENCE_SERVICES, made(**parts))
    assert isinstance(record, ModelRecord)
    return record


@pytest.mark.parametrize(
    ("labels", "kind", "component", "role"),
    [
        ({"serving.kserve.io/inferenceservice": "m", "component": "predictor"},
         "InferenceService", "predictor", "both"),
        ({"app.kubernetes.io/part-of": "llminferenceservice", "app.kubernetes.io/name": "m",
          "app.kubernetes.io/component": "llminferenceservice-workload-prefill"},
         "LLMInferenceService", "workload", "prefill"),
        ({"app.kubernetes.io/part-of": "llminferenceservice", "app.kubernetes.io/name": "m",
          "app.kubernetes.io/component": "llminferenceservice-workload", "llm-d.ai/role": "decode"},
         "LLMInferenceService", "workload", "decode"),
        ({"app.kubernetes.io/part-of": "llminferenceservice", "app.kubernetes.io/name": "m",
          "app.kubernetes.io/component": "llminferenceservice-router-scheduler"},
         "LLMInferenceService", "router-scheduler", "both"),
        ({"app": "other"}, "", "", "both"),
    ],
)  # fmt: skip
def test_whose_pod(labels: dict[str, str], kind: str, component: str, role: str) -> None:
    record = pod(metadata={"labels": labels})
    assert (record.model_kind, record.component, record.role) == (kind, component, role)
    assert record.model == ("m" if kind else "")


def test_a_worker_of_a_leader_worker_set() -> None:
    lws = "leaderworkerset.sigs.k8s.io/"
    labels = {lws + "name": "m-mn", lws + "group-index": "2", lws + "worker-index": "1"}
    record = pod(metadata={"labels": labels, "annotations": {lws + "size": "4"}})
    assert (record.group, record.group_size, record.leader) == ("m-mn/2", 4, False)
    assert (pod().group, pod().group_size) == ("", 0)


def test_containers_in_the_order_they_run_and_sidecars_known() -> None:
    spec = {"initContainers": [{"name": "first"}, {"name": "side", "restartPolicy": "Always"}]}
    statuses = [
        {"name": "side", "state": {"running": {"startedAt": BORN}}},
        {"name": "first", "state": {"terminated": {"exitCode": 0, "startedAt": BORN}}},
    ]
    last = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": BORN}}
    main = {
        "name": "main",
        "restartCount": 2,
        "lastState": last,
        "started": True,
        "ready": True,
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
    }
    record = pod(
        spec=spec, status={"initContainerStatuses": statuses, "containerStatuses": [main]}
    )  # fmt: skip
    assert [(c.name, c.init, c.sidecar) for c in record.containers] == [
        ("first", True, False), ("side", True, True), ("main", False, False),
    ]  # fmt: skip
    crashed = record.containers[2]
    assert crashed.last is not None
    assert (crashed.last.exit_code, crashed.last.reason) == (137, "OOMKilled")
    assert crashed.waiting_reason == "CrashLoopBackOff"


def test_the_end_of_a_log_that_a_container_leaves_is_redacted_line_by_line() -> None:
    """With FallbackToLogsOnError the kubelet takes the log's last lines for the message."""
    said = (
        "Received request: prompt: 'who am I?', params\nHF_TOKEN=hf_abcdef123\nValueError: no GPU"
    )
    ended = {"terminated": {"exitCode": 1, "reason": "Error", "message": said}}
    (crashed,) = pod(status={"containerStatuses": [{"name": "m", "state": ended}]}).containers
    assert crashed.ended is not None
    assert crashed.ended.message.splitlines()[-1] == "ValueError: no GPU"
    assert [secret for secret in ("who am I", "hf_abc") if secret in crashed.ended.message] == []


def test_deletion_was_asked_for_a_grace_period_before_its_stamp() -> None:
    record = pod(
        metadata={"deletionTimestamp": "2026-11-30T09:05:00Z", "deletionGracePeriodSeconds": 300}
    )
    assert record.meta.deleted_at == datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def test_null_wherever_go_writes_null() -> None:
    record = pod(
        metadata={"labels": None, "annotations": None, "ownerReferences": None},
        spec={"containers": None, "initContainers": None, "volumes": None, "nodeName": None},
        status={"conditions": None, "containerStatuses": None, "reason": None},
    )
    assert (record.node, record.conditions, record.containers) == ("", (), ())


def test_hostile_lengths_are_bounded() -> None:
    huge = "x" * 2_000
    containers = [{"name": f"c{n}", "args": [huge] * 70} for n in range(40)]
    conditions = [{"type": huge, "status": "True", "message": huge}] * 50
    record = pod(spec={"containers": containers}, status={"conditions": conditions})
    assert len(record.declared) == 32
    assert max(len(arg) for arg in record.declared[0].args) == 512
    assert len(record.declared[0].args) == 64
    assert len(record.conditions) == 40
    assert len(record.conditions[0].message) == 1024
    labels = {f"k{n:05}": huge for n in range(100)}
    kept = model(metadata={"labels": labels}).labels
    assert len(kept) == 48
    assert len(kept[0][1]) == 256


def test_environment_values_never_reach_a_record() -> None:
    secret = {"name": "HF_TOKEN", "value": "hf_verysecret"}
    spec = {"containers": [{"name": "m", "env": [secret]}]}
    assert "verysecret" not in repr(pod(spec=spec))
    predictor = {"model": {"env": [secret], "modelFormat": {"name": "vLLM"}}}
    assert "verysecret" not in repr(model(spec={"predictor": predictor}))


@pytest.mark.parametrize(
    ("status", "annotation", "mode", "stated"),
    [
        ("Knative", None, Mode.KNATIVE, True),
        ("Serverless", None, Mode.KNATIVE, True),
        ("Standard", None, Mode.STANDARD, True),
        ("RawDeployment", "Serverless", Mode.STANDARD, True),
        (None, "RawDeployment", Mode.STANDARD, True),
        (None, None, Mode.KNATIVE, False),
        ("ModelMesh", None, Mode.KNATIVE, False),
    ],
)
def test_modes(status: str | None, annotation: str | None, mode: Mode, stated: bool) -> None:
    notes = {"serving.kserve.io/deploymentMode": annotation} if annotation else {}
    record = model(metadata={"annotations": notes}, status={"deploymentMode": status})
    assert (record.mode, record.mode_stated) == (mode, stated)


def test_marks_on_a_model() -> None:
    notes = {
        "serving.kserve.io/stop": "True",
        "serving.kserve.io/autoscalerClass": "keda",
        "serving.kserve.io/disable-auto-update": "true",
        "bed.test/pull-seconds": "7",
    }
    record = model(metadata={"annotations": notes})
    assert record.stopped
    assert record.autoscaler_class == "keda"
    assert record.auto_update_disabled
    assert all(not key.startswith("bed.test") for key, _ in record.annotations)
    plain = model()
    assert plain.fingerprint != record.fingerprint
    assert not plain.stopped


@pytest.mark.parametrize(
    ("meta", "owner"),
    [
        ({"labels": {"argocd.argoproj.io/instance": "x"}}, "argocd"),
        ({"managedFields": [{"manager": "argocd-controller"}]}, "argocd"),
        ({"labels": {"kustomize.toolkit.fluxcd.io/name": "x"}}, "flux"),
        ({"managedFields": [{"manager": "kustomize-controller"}]}, "flux"),
        ({"labels": {"app.kubernetes.io/managed-by": "Helm"}}, "helm"),
        ({"managedFields": [{"manager": "helm-controller"}]}, "helm"),
        ({}, ""),
    ],
)
def test_gitops(meta: dict[str, Any], owner: str) -> None:
    assert model(metadata=meta).gitops == owner


def test_a_predictor_with_its_own_containers_and_workers() -> None:
    predictor = {
        "containers": [{"name": "kserve-container", "image": "me/vllm:1"}],
        "workerSpec": {"containers": [{"name": "worker-container", "image": "me/vllm:1"}]},
        "minReplicas": 0, "maxReplicas": 3, "timeout": 600, "containerConcurrency": 4,
    }  # fmt: skip
    record = model(spec={"predictor": predictor})
    assert [c.name for c in record.containers] == ["kserve-container", "worker-container"]
    assert (record.min_replicas, record.max_replicas, record.timeout_s) == (0, 3, 600)


def test_an_llm_with_prefill_and_scaling() -> None:
    spec = {
        "model": {"name": "Qwen/Q", "uri": "hf://Qwen/Q"},
        "scaling": {"minReplicas": 1, "maxReplicas": 4},
        "prefill": {"replicas": 2},
    }
    record = read(Resource.LLM_INFERENCE_SERVICES, made(spec=spec))
    assert (record.scaling, record.min_replicas, record.max_replicas) == (True, 1, 4)
    assert (record.prefill_replicas, record.replicas) == (2, None)


@pytest.mark.parametrize(
    ("notes", "scale"),
    [
        ({"autoscaling.knative.dev/min-scale": "2"}, 2),
        ({"autoscaling.knative.dev/minScale": "3"}, 3),
        ({"autoscaling.knative.dev/min-scale": "1", "autoscaling.knative.dev/minScale": "9"}, 1),
        ({"autoscaling.knative.dev/min-scale": "many"}, None),
        ({}, None),
    ],
)
def test_kebab_case_goes_first(notes: dict[str, str], scale: int | None) -> None:
    revision = read(Resource.REVISIONS, made(metadata={"annotations": notes}))
    assert isinstance(revision, RevisionRecord)
    assert revision.min_scale == scale
    scaler = read(Resource.POD_AUTOSCALERS, made(metadata={"annotations": notes}))
    assert isinstance(scaler, AutoscalerRecord)
    assert scaler.min_scale == scale


@pytest.mark.parametrize(
    ("status", "desired"),
    [({"desiredScale": -1}, None), ({}, None), ({"desiredScale": 0}, 0), ({"desiredScale": 3}, 3)],
)
def test_an_autoscaler_before_its_first_decision(
    status: dict[str, int], desired: int | None
) -> None:
    record = read(Resource.POD_AUTOSCALERS, made(status=status))
    assert isinstance(record, AutoscalerRecord)
    assert record.desired_scale == desired
    assert record.revision == "x"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30m", 1800.0), ("1h30m", 5400.0), ("600s", 600.0), ("1m2.5s", 62.5), ("250ms", 0.25),
        ("", None), (None, None), ("30", None), ("m", None), ("1.2.3s", None), (".s", None),
        ("30x", None),
    ],
)  # fmt: skip
def test_durations(text: str | None, seconds: float | None) -> None:
    assert duration_s(text) == seconds


@pytest.mark.parametrize(
    ("limits", "gpus"),
    [
        ({"nvidia.com/gpu": "2", "cpu": "4"}, (2, "nvidia.com/gpu")),
        ({"nvidia.com/mig-1g.5gb": 1}, (1, "nvidia.com/mig-1g.5gb")),
        ({"habana.ai/gaudi": "8"}, (8, "habana.ai/gaudi")),
        ({"gpu.intel.com/i915": "1"}, (1, "gpu.intel.com/i915")),
        ({"amd.com/gpu": "half"}, (0, "amd.com/gpu")),
        ({"cpu": "4"}, (0, "")),
        (None, (0, "")),
    ],
)
def test_accelerators(limits: dict[str, str | int | float] | None, gpus: tuple[int, str]) -> None:
    assert gpus_of(limits) == gpus
    assert whole(None) is None


def test_a_leader_worker_set_and_a_progress_deadline_by_annotation() -> None:
    spec = {
        "replicas": 2,
        "leaderWorkerTemplate": {"workerTemplate": {"spec": {"containers": [{"name": "main"}]}}},
    }
    notes = {"serving.knative.dev/progress-deadline": "20m"}
    record = read(Resource.LEADER_WORKER_SETS, made(spec=spec, metadata={"annotations": notes}))
    assert isinstance(record, WorkloadRecord)
    assert (record.kind, record.replicas) == ("LeaderWorkerSet", 2)
    assert record.containers[0].name == "main"
    assert record.progress_deadline_s == 1200


def test_a_template_of_older_knative_repeats_autoscaling() -> None:
    template = {"metadata": {"annotations": {"autoscaling.knative.dev/min-scale": "1"}}}
    record = read(Resource.DEPLOYMENTS, made(spec={"template": template}))
    assert isinstance(record, WorkloadRecord)
    assert record.template_autoscaling


def test_the_rest_of_the_kinds() -> None:
    hpa = read(
        Resource.HORIZONTAL_POD_AUTOSCALERS,
        made(spec={"minReplicas": 1, "scaleTargetRef": {"kind": "Deployment", "name": "d"}}),
    )
    assert isinstance(hpa, HorizontalAutoscalerRecord)
    assert (hpa.target_kind, hpa.target_name, hpa.min_replicas) == ("Deployment", "d", 1)
    notes = {"serving.kserve.io/server-type": "vllmserver"}
    for resource in (Resource.SERVING_RUNTIMES, Resource.CLUSTER_SERVING_RUNTIMES):
        runtime = read(resource, made(metadata={"annotations": notes}))
        assert isinstance(runtime, RuntimeRecord)
        assert runtime.server_type == "vllmserver"
    space = read(Resource.NAMESPACES, made(metadata={"labels": {"team": "a"}}))
    assert isinstance(space, NamespaceRecord)
    assert space.labels == (("team", "a"),)
    node = read(
        Resource.NODES,
        made(
            metadata={"labels": {"pool": "gpu-a"}},
            spec={"unschedulable": True},
            status={
                "allocatable": {"nvidia.com/gpu": "4", "cpu": "8"},
                "conditions": [{"type": "Ready", "status": "True"}],
                "images": [{"names": ["a", "b"]}, {"names": None}],
            },
        ),
    )
    assert isinstance(node, NodeRecord)
    assert (node.ready, node.unschedulable, node.pool) == (True, True, "gpu-a")
    assert (node.gpus, node.images) == ((("nvidia.com/gpu", 4),), ("a", "b"))


@pytest.mark.parametrize(
    ("path", "container"),
    [
        ("spec.containers{main}", "main"),
        ("spec.initContainers{storage-initializer}", "storage-initializer"),
        ("spec.containers", ""),
        ("", ""),
    ],
)
def test_the_container_of_an_event(path: str, container: str) -> None:
    record = read(Resource.EVENTS, made(involvedObject={"fieldPath": path}, reason="Pulled"))
    assert isinstance(record, EventRecord)
    assert record.container == container
    assert record.count == 1
    assert record.first_at == datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def test_a_series_counts_and_moves_the_last_time() -> None:
    series = {"count": 7, "lastObservedTime": "2026-11-30T09:09:00.5Z"}
    record = read(
        Resource.EVENTS,
        made(
            eventTime="2026-11-30T09:01:00.25Z", series=series, deprecatedSource={"component": "k"}
        ),
    )
    assert isinstance(record, EventRecord)
    assert (record.count, record.component) == (7, "k")
    assert record.first_at == datetime(2026, 11, 30, 9, 1, 0, 250_000, tzinfo=UTC)
    assert record.last_at == datetime(2026, 11, 30, 9, 9, 0, 500_000, tzinfo=UTC)


def test_an_unknown_enum_value_is_kept_as_text() -> None:
    assert pod(status={"phase": "Hibernating"}).phase == "Hibernating"


def test_times_in_other_zones_become_utc() -> None:
    record = pod(metadata={"creationTimestamp": "2026-11-30T10:00:00+01:00"})
    assert record.meta.created_at == datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    assert record.meta.created_at.tzinfo is UTC
    naive = pod(metadata={"creationTimestamp": "2026-11-30T09:00:00"})
    assert naive.meta.created_at.tzinfo is UTC

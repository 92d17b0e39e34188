"""Phases of every form that a model takes: where its weights lie, how many pods start as one."""

from typing import Any

import pytest

from fleet.domain.coldstart.start import Outcome, Phase, StartMode, Trigger
from tests.fleet.domain.forms import (
    LWS,
    NO_INIT,
    OCI,
    PVC,
    VLLM,
    Form,
    bound,
    fetching,
    is_about,
    laid,
    present,
    pulled,
    server,
)


def test_a_storage_initializer_fetches_and_the_image_is_pulled_after_it() -> None:
    form = Form()
    form.pod()
    bound(form)
    form.wait(4)
    fetching(form, 60)
    server(form, pull_s=90, load_s=40)
    start = form.start()
    is_about(start, prepare=4, fetch_model=60, pull_image=90, load_engine=40)
    assert (start.start_mode, start.weights_from) == (StartMode.COLD, "storage-initializer")
    assert start.trigger is Trigger.SCALE_FROM_ZERO


def test_a_modelcar_is_fetched_by_pulling_it() -> None:
    form = Form()
    form.pod(initContainers=[{"name": "modelcar-init", "image": OCI}])
    bound(form)
    form.wait(3).event("Pulling", f'Pulling image "{OCI}"', of="init:modelcar-init")
    form.wait(70).event("Pulled", pulled(OCI, "69.8s", "1m9.9s"), of="init:modelcar-init")
    form.init("modelcar-init", exit_code=0)
    server(form, pull_s=20, load_s=30)
    start = form.start()
    is_about(start, prepare=3, fetch_model=70, pull_image=20, load_engine=30)
    assert (start.start_mode, start.weights_from) == (StartMode.COLD, "modelcar")


def test_a_modelcar_that_the_node_has_is_cached_weights() -> None:
    form = Form()
    form.pod(initContainers=[{"name": "modelcar-init", "image": OCI}])
    bound(form)
    form.wait(3).event("Pulled", present(OCI), of="init:modelcar-init")
    form.init("modelcar-init", exit_code=0)
    server(form, load_s=30)
    start = form.start()
    is_about(start, prepare=3, load_engine=30)
    assert start.start_mode is StartMode.CACHED_BOTH


def test_a_modelcar_as_a_native_sidecar_is_no_fetch_that_ends() -> None:
    form = Form()
    form.pod(initContainers=[{"name": "modelcar", "image": OCI, "restartPolicy": "Always"}])
    bound(form)
    form.wait(2).event("Pulling", f'Pulling image "{OCI}"', of="init:modelcar")
    form.wait(50).event("Pulled", pulled(OCI, "50s", "50s"), of="init:modelcar")
    form.init("modelcar", running=True, started=True)
    server(form, load_s=25)
    start = form.start()
    is_about(start, prepare=2, fetch_model=50, load_engine=25)
    assert start.start_mode is StartMode.CACHED_IMAGE


def test_an_image_volume_is_pulled_for_the_pod_and_for_no_container() -> None:
    form = Form()
    form.pod(**NO_INIT, volumes=[{"name": "model", "image": {"reference": OCI}}])
    bound(form)
    form.wait(2).event("Pulling", f'Pulling image "{OCI}"')
    form.wait(45).event("Pulled", pulled(OCI, "45s", "45s"))
    server(form, pull_s=30, load_s=20)
    start = form.start()
    is_about(start, prepare=2, fetch_model=45, pull_image=30, load_engine=20)
    assert start.weights_from == "modelcar"


def test_a_modelcar_without_events_is_not_called_preparation() -> None:
    """No right to read Events: what lies between the node and the first container is untold."""
    form = Form()
    form.pod(initContainers=[{"name": "modelcar-init", "image": OCI}])
    bound(form)
    form.wait(80).init("modelcar-init", exit_code=0)
    form.run()
    form.wait(20).ready()
    start = form.start()
    assert start.unexplained_s == pytest.approx(80, abs=1.1)
    assert start.start_mode is StartMode.UNKNOWN
    assert laid(start)["load-engine"] == pytest.approx(20, abs=1.1)


@pytest.mark.parametrize(
    ("metadata", "spec", "told", "mode"),
    [
        pytest.param(
            {},
            {"volumes": [PVC]},
            "pvc", StartMode.CACHED_BOTH, id="a PVC",
        ),
        pytest.param(
            {"annotations": {"internal.serving.kserve.io/localmodel-pvc-name": "c-gpu"}},
            {"volumes": [PVC]},
            "local-cache", StartMode.CACHED_BOTH, id="a LocalModelCache, which is a PVC, too",
        ),
        pytest.param(
            {},
            {"containers": {"main": {"command": ["vllm", "serve", "/srv/model"], "args": []}},
             "volumes": []},
            "baked", StartMode.CACHED_BOTH, id="in the image",
        ),
        pytest.param(
            {},
            {"containers": {"main": {"command": ["vllm", "serve", "Qwen/Qwen2.5-7B"], "args": []}}},
            "download", StartMode.CACHED_IMAGE, id="downloaded by the server itself",
        ),
    ],
)  # fmt: skip
def test_without_a_fetch_loading_follows_preparation(
    metadata: dict[str, Any], spec: dict[str, Any], told: str, mode: StartMode
) -> None:
    form = Form()
    form.pod(metadata=metadata, **NO_INIT, **spec)
    bound(form)
    form.wait(6)
    server(form, load_s=45)
    start = form.start()
    is_about(start, prepare=6, load_engine=45)
    assert (start.weights_from, start.start_mode, start.image_pull) == (told, mode, "cached")


def test_a_sidecar_with_a_startup_probe_holds_back_a_model_that_needs_no_fetch() -> None:
    form = Form()
    form.pod(
        initContainers=[{"name": "llm-d-routing-sidecar", "restartPolicy": "Always"}],
        volumes=[PVC],
    )
    bound(form)
    form.wait(1).init("llm-d-routing-sidecar", running=True, started=False)
    form.wait(12).init("llm-d-routing-sidecar", started=True)
    server(form, load_s=30)
    is_about(form.start(), prepare=13, load_engine=30)


def test_a_sidecar_after_the_fetch_is_neither_fetch_nor_pull() -> None:
    form = Form()
    form.pod(
        initContainers=[
            {"name": "storage-initializer"},
            {"name": "router", "restartPolicy": "Always"},
        ]
    )
    bound(form)
    form.wait(2)
    fetching(form, 20)
    form.init("router", running=True, started=False)
    form.wait(15).init("router", started=True)
    server(form, load_s=30)
    start = form.start()
    is_about(start, prepare=17, fetch_model=20, load_engine=30)
    assert "pull-image" not in {k for k, seconds in laid(start).items() if seconds > 1.1}


def test_a_decode_pod_waits_for_its_routing_sidecar_after_it_serves() -> None:
    form = Form()
    form.pod(
        metadata={"labels": {"llm-d.ai/role": "decode"}},
        initContainers=[
            {"name": "llm-d-routing-sidecar", "restartPolicy": "Always"},
            {"name": "storage-initializer"},
        ],
    )
    bound(form)
    form.init("llm-d-routing-sidecar", running=True, started=True)
    form.wait(1)
    fetching(form, 10)
    form.event("Pulled", present(VLLM), of="main")
    form.run(started=False)
    form.wait(30).run(ready=True, started=True)
    form.pods["pod-1"]["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = (
        form.stamp
    )
    form.wait(9).ready()
    start = form.start()
    assert (start.role, start.outcome) == ("decode", Outcome.READY)
    assert laid(start)["become-ready"] == pytest.approx(9, abs=1.1)
    assert laid(start)["load-engine"] == pytest.approx(30, abs=1.1)


def test_a_group_waits_for_the_last_of_its_pods() -> None:
    form = Form()
    group_of(form, size=3)
    form.wait(2).bind("pod-1")
    form.bind("w-1")
    form.wait(50).bind("w-2")
    for uid in ("pod-1", "w-1", "w-2"):
        form.event("Pulled", present(VLLM), of="main", uid=uid)
    form.wait(3).run("pod-1")
    form.run("w-1")
    form.wait(5).run("w-2")
    form.ready("w-1")
    form.ready("w-2")
    form.wait(60).ready("pod-1")
    starts = form.starts()
    assert set(starts) == {"pod-1"}
    is_about(starts["pod-1"], schedule=52, prepare=8, load_engine=60)
    assert (starts["pod-1"].gpus, starts["pod-1"].clamped) == (3, False)


def group_of(form: Form, *, size: int) -> None:
    """Pods of a LeaderWorkerSet group, made within a second; only the leader has no index."""
    for at in range(size):
        labels = {LWS + "name": "qwen-mn", LWS + "group-index": "0", LWS + "worker-index": str(at)}
        form.pod(
            "pod-1" if at == 0 else f"w-{at}",
            metadata={"labels": labels, "annotations": {LWS + "size": str(size)}},
            **NO_INIT,
            volumes=[PVC],
        )
        form.wait(0.1)


def test_a_group_is_not_ready_before_all_of_its_pods_were_seen() -> None:
    form = Form()
    group_of(form, size=2)
    lost = [line for line in form.written if line["object"]["metadata"].get("uid") != "w-1"]
    form.written = lost
    form.wait(1).bind("pod-1")
    form.run("pod-1")
    form.wait(20).ready("pod-1")
    assert form.start().outcome is Outcome.RUNNING


def test_what_fails_in_a_worker_fails_the_group() -> None:
    form = Form()
    group_of(form, size=2)
    form.wait(1).bind("pod-1")
    form.bind("w-1", node="gpu-b-1")
    form.run("pod-1")
    waits = {"waiting": {"reason": "ImagePullBackOff", "message": "not found"}}
    form.wait(5)._container("w-1", "containerStatuses", "main", {"state": waits})
    start = form.start()
    failure = start.failure
    assert (start.outcome, failure and failure.class_) == (Outcome.FAILED, "image-pull")
    assert start.phases[-1].phase is Phase.PREPARE


def test_a_worker_of_the_group_before_does_not_count() -> None:
    form = Form()
    labels = {LWS + "name": "qwen-mn", LWS + "group-index": "0", LWS + "worker-index": "1"}
    form.pod("w-old", metadata={"labels": labels}, **NO_INIT)
    form.wait(30)
    group_of(form, size=2)
    for uid in ("pod-1", "w-1"):
        form.bind(uid)
        form.run(uid)
        form.wait(10).ready(uid)
    assert form.start().outcome is Outcome.READY

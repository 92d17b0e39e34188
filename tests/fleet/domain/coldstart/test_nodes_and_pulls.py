"""Nodes on their way, images that were there or not, and init containers that loop."""

import pytest

from fleet.domain.coldstart.start import Outcome, StartMode
from tests.fleet.domain.forms import (
    NO_INIT,
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


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        pytest.param("pod triggered scale-up: [{g 1->2 (max: 4)}]", (20, 180), id="said"),
        pytest.param("", (20, 180), id="proven by a node younger than the pod"),
        pytest.param("pod didn't trigger scale-up", (200, 0), id="denied: there is no such pool"),
    ],
)
def test_a_node_on_its_way_is_told_apart_from_waiting(
    told: str, expected: tuple[float, float]
) -> None:
    form = Form()
    form.pod(**NO_INIT)
    form.wait(20).unschedulable()
    if told:
        reason = "NotTriggerScaleUp" if "didn't" in told else "TriggeredScaleUp"
        form.event(reason, told)
    node = "gpu-a-1"
    if not told:
        node = "gpu-new"
        form.wait(150).node(node, labels={"karpenter.sh/nodepool": "h100"})
        form.wait(-150)
    form.wait(180).bind(node=node)
    form.run()
    form.wait(30).ready()
    start = form.start()
    found = laid(start)
    assert (found["schedule"], found.get("provision-node", 0)) == pytest.approx(expected, abs=1.1)
    assert start.node_pool == ("h100" if not told else "gpu-a")


@pytest.mark.parametrize(
    ("message", "comes"),
    [
        ("Pod should schedule on: nodeclaim/default-x7", True),
        ("Pod should schedule on: machine/default-x7", True),
        ("Pod should schedule on: nodeclaim/default-x7, node/ip-10-0-0-1", False),
        ("Pod should schedule on: node/ip-10-0-0-1", False),
    ],
)
def test_a_nomination_counts_if_the_node_is_not_there_yet(message: str, comes: bool) -> None:
    form = Form()
    form.pod(**NO_INIT)
    form.wait(5).event("Nominated", message)
    form.wait(40).bind()
    assert ("provision-node" in laid(form.start())) is comes


@pytest.mark.parametrize(
    ("text", "pull", "mode", "size"),
    [
        (pulled(VLLM, "2m3.5s", "2m3.6s"), "full", StartMode.COLD, 9876543210),
        (f'Successfully pulled image "{VLLM}" in 1m2.345678901s', "full", StartMode.COLD, None),
        (pulled(VLLM, "350ms", "8.2s"), "full", StartMode.COLD, 9876543210),
        (pulled(VLLM, "350ms", "351ms"), "cached", StartMode.CACHED_IMAGE, 9876543210),
        (present(VLLM), "cached", StartMode.CACHED_IMAGE, None),
        (f'Container image "{VLLM}" already present on machine', "cached",
         StartMode.CACHED_IMAGE, None),
    ],
    ids=["pulled", "up to 1.26", "behind a pull of the same image", "imagePullPolicy Always and "
         "its layers there", "present", "present, up to 1.34"],
)  # fmt: skip
def test_how_the_image_came(text: str, pull: str, mode: StartMode, size: int | None) -> None:
    form = Form()
    form.pod()
    bound(form)
    fetching(form, 5)
    form.event("Pulled", text, of="main")
    start = form.start()
    assert (start.image_pull, start.start_mode, start.image_bytes) == (pull, mode, size)


def test_a_pull_whose_beginning_nobody_saw_is_told_by_its_end() -> None:
    form = Form()
    form.pod(**NO_INIT, volumes=[PVC])
    bound(form)
    form.wait(64).event("Pulled", pulled(VLLM, "58s", "1m0s"), of="main")
    form.run()
    form.wait(20).ready()
    is_about(form.start(), prepare=4, pull_image=60, load_engine=20)


def test_an_init_container_that_loops_stays_failing_while_it_runs_again() -> None:
    form = Form()
    form.pod()
    bound(form)
    states = []
    for run in range(4):
        last = {"terminated": {"exitCode": 1, "startedAt": form.stamp, "finishedAt": form.stamp}}
        form.init("storage-initializer", running=True, restartCount=run,
                  lastState=last if run else {})  # fmt: skip
        states.append(form.start().outcome)
        form.wait(5).init("storage-initializer", exit_code=1)
        states.append(form.start().outcome)
        form.wait(10 * run)
    assert states[2:] == [Outcome.RUNNING, *[Outcome.FAILED] * 5]
    form.init("storage-initializer", running=True, restartCount=4)
    form.wait(30).init("storage-initializer", exit_code=0)
    assert form.start().outcome is Outcome.RUNNING, "the weights have come"
    server(form)
    assert form.start().outcome is Outcome.READY

"""Following by real workers: begun by the sweep, ended by a signal, handed on, in spite of a broker
that is killed and of workers that are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.api.hosted import HostedApi
from tests.hosted.fixtures import api
from tests.hosted.loading import PODS, pod
from tests.lanes.tools import LACKS, tool
from tests.workers.stack import Broker, Stack, migrated, wait_until

__all__ = ["api"]

pytestmark = [pytest.mark.redis, pytest.mark.timeout(180)]
# A hang is longer; what the end may wait for is tested where it is followed.
ENDS_WITHIN_S = 30.0


@pytest.fixture
def broker() -> Iterator[Broker]:
    program = tool("redis")
    if program is None:
        pytest.skip(LACKS["redis"])
    started = Broker(program)
    yield started
    started.kill()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return migrated(tmp_path_factory.mktemp("empty") / "empty.sqlite3")


@pytest.fixture
def stack(tmp_path: Path, broker: Broker, api: HostedApi, empty: Path) -> Iterator[Stack]:
    kubeconfig = api.kubeconfig(tmp_path / "kubeconfig", users=("viewer",))
    made = Stack(tmp_path, broker=broker, kubeconfig=kubeconfig, context="hosted", empty=empty)
    yield made
    made.end()


def new_pod(api: HostedApi, name: str) -> None:
    made = pod(name, namespace="default", model="llama")
    recorded = api.call(lambda: api.store.list(PODS)[0])["metadata"]
    made["metadata"]["namespace"] = recorded["namespace"]
    api.call(lambda: api.store.create(PODS, made, manager="test"))


def test_a_worker_begins_by_itself_ends_when_told_and_the_next_one_goes_on(
    stack: Stack, api: HostedApi
) -> None:
    first = stack.worker("first")
    wait_until(stack.live)
    new_pod(api, "seen")
    wait_until(lambda: stack.knows("seen"))
    first.terminate()
    assert first.wait(ENDS_WITHIN_S) == 0
    epoch = stack.epoch()
    new_pod(api, "between")
    stack.worker("second")
    wait_until(lambda: stack.knows("between"))
    assert stack.epoch() > epoch
    assert stack.row("select count(*) from fleet_gap") == 0
    assert (stack.starts_of("seen"), stack.starts_of("between")) == (1, 1)


def test_a_broker_killed_and_started_again_empty_costs_no_facts(
    stack: Stack, api: HostedApi, broker: Broker
) -> None:
    stack.worker("only")
    wait_until(stack.live)
    broker.kill()
    new_pod(api, "without-broker")
    wait_until(lambda: stack.knows("without-broker"))
    broker.start_again()
    new_pod(api, "after")
    wait_until(lambda: stack.knows("after"))
    assert stack.starts_of("without-broker") == 1


def test_a_worker_that_is_killed_is_replaced_by_one_that_waits(
    stack: Stack, api: HostedApi
) -> None:
    first = stack.worker("first")
    wait_until(stack.live)
    stack.worker("second")
    wait_until(lambda: "ready" in stack.log("second"))
    epoch = stack.epoch()
    first.kill()
    new_pod(api, "after-the-kill")
    wait_until(lambda: stack.knows("after-the-kill"))
    assert stack.epoch() == epoch + 1
    assert stack.starts_of("after-the-kill") == 1
    assert stack.row("select count(*) from fleet_gap") == 0

"""The reader against a real server over HTTPS: lists, watches, time-outs, refusals, bad days."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fleet.adapters.kubernetes import lists
from fleet.domain.records.change import Change, ChangeType
from fleet.domain.records.keys import ModelKind, Resource
from fleet.errors import (
    ClusterUnreachable,
    CredentialsExpired,
    FleetError,
    Forbidden,
    NotThere,
    TooOld,
)
from fleet.ports import Bookmark, Message, Odd
from simulator.api.faults import FaultKind
from simulator.api.hosted import HostedApi
from tests.hosted.fixtures import Read
from tests.hosted.loading import MODELS, PODS, change, pod, resource

ISVC = ModelKind.INFERENCE_SERVICE.value
LLM = ModelKind.LLM_INFERENCE_SERVICE.value


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "FIRST_WAIT_S", 0.02)


@pytest.mark.parametrize(
    ("which", "model_kind", "names"),
    [
        pytest.param(Resource.INFERENCE_SERVICES, "", ["llama"], id="all models of a kind"),
        pytest.param(Resource.LLM_INFERENCE_SERVICES, "", ["qwen"], id="the newest version served"),
        pytest.param(
            Resource.DEPLOYMENTS, ISVC, ["llama-predictor-00001-deployment"], id="by KServe's label"
        ),
        pytest.param(Resource.DEPLOYMENTS, LLM, ["qwen-kserve"], id="by the part-of label"),
        pytest.param(Resource.PODS, LLM, [], id="none of that kind"),
        pytest.param(Resource.NODES, "", [], id="an empty list"),
    ],
)
def test_a_list_is_narrowed(read: Read, which: Resource, model_kind: str, names: list[str]) -> None:
    listed = read().list(which, model_kind=model_kind)
    assert [record.meta.name for record in listed.records] == names
    assert (listed.resource, listed.model_kind, listed.odd) == (which, model_kind, ())
    assert int(listed.resource_version) >= 1000


def test_a_list_comes_in_pages_of_one_moment(api: HostedApi, read: Read) -> None:
    api.call(lambda: [api.store.create(PODS, pod(f"p{i}"), manager="t") for i in range(1203)])
    listed = read().list(Resource.PODS, model_kind=ISVC)
    assert len(listed.records) == 1205
    assert len({record.meta.uid for record in listed.records}) == 1205


def test_one_namespace_alone(api: HostedApi, read: Read) -> None:
    api.call(lambda: api.store.create(PODS, pod("here", namespace="default"), manager="t"))
    listed = read().list(Resource.PODS, namespace="default", model_kind=ISVC)
    assert [record.meta.name for record in listed.records] == ["here"]
    assert listed.namespace == "default"


def test_an_object_that_cannot_be_read_is_told_and_skipped(api: HostedApi, read: Read) -> None:
    api.call(lambda: api.store.create(PODS, broken_pod("half"), manager="t"))
    listed = read().list(Resource.PODS, model_kind=ISVC)
    assert [(odd.name, bool(odd.uid)) for odd in listed.odd] == [("web/half", True)]
    assert len(listed.records) == 2


def broken_pod(name: str) -> dict[str, Any]:
    """Containers that are no list: no real server would keep it."""
    return pod(name) | {"spec": {"containers": "none"}}


class Watching:
    """A watch read in a thread, as a follower does."""

    def __init__(self, messages: Callable[[], Iterator[Message]]) -> None:
        self.messages: list[Message] = []
        self.error: FleetError | None = None
        self._read = messages
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            for message in self._read():
                self.messages.append(message)
        except FleetError as error:
            self.error = error

    def until(self, done: Callable[["Watching"], bool]) -> "Watching":
        deadline = time.monotonic() + 30
        while not done(self):
            assert time.monotonic() < deadline, (self.messages, self.error)
            time.sleep(0.005)
        return self


def opened(watching: Watching) -> bool:
    return bool(watching.messages)


def ended(watching: Watching) -> bool:
    return not watching.thread.is_alive()


@pytest.fixture
def watch_pods(read: Read) -> Callable[..., Watching]:
    """Lists the pods of InferenceServices and watches from there."""

    def start(*, since: str = "", timeout_s: float = 60) -> Watching:
        reader = read()
        version = since or reader.list(Resource.PODS, model_kind=ISVC).resource_version
        stop = threading.Event()
        return Watching(
            lambda: reader.watch(
                Resource.PODS,
                since=version,
                model_kind=ISVC,
                timeout_s=timeout_s,
                stop=stop,
            )
        ).until(lambda w: opened(w) or ended(w))

    return start


def test_a_watch_tells_that_it_is_open_and_then_each_change(
    api: HostedApi, watch_pods: Callable[..., Watching]
) -> None:
    watching = watch_pods()
    made = api.call(lambda: api.store.create(PODS, pod("new"), manager="t"))
    change(api, PODS, made, lambda o: o["status"].update(phase="Running"))
    api.call(lambda: api.store.delete(PODS, "web", "new"))
    watching.until(lambda w: len(w.messages) == 4)
    first, *rest = watching.messages
    assert isinstance(first, Bookmark)
    assert first.resource_version == ""
    changes = [m for m in rest if isinstance(m, Change)]
    assert [c.type for c in changes] == [ChangeType.ADDED, ChangeType.MODIFIED, ChangeType.DELETED]
    assert {c.record.meta.name for c in changes} == {"new"}


def test_a_broken_object_does_not_end_the_watch(
    api: HostedApi, watch_pods: Callable[..., Watching]
) -> None:
    watching = watch_pods()
    api.call(lambda: api.store.create(PODS, broken_pod("half"), manager="t"))
    api.call(lambda: api.store.create(PODS, pod("whole"), manager="t"))
    watching.until(lambda w: len(w.messages) == 3)
    odd, whole = watching.messages[1:]
    assert isinstance(odd, Odd)
    assert odd.name == "web/half"
    assert isinstance(whole, Change)


def test_the_server_ends_a_watch_at_its_time_without_an_error(
    watch_pods: Callable[..., Watching],
) -> None:
    watching = watch_pods(timeout_s=1).until(ended)
    assert watching.error is None


def test_a_watch_from_a_version_that_is_compacted(watch_pods: Callable[..., Watching]) -> None:
    assert isinstance(watch_pods(since="1").until(ended).error, TooOld)


def test_closing_the_reader_ends_a_blocked_watch_long_before_its_time(read: Read) -> None:
    reader = read()
    stop = threading.Event()
    watching = Watching(
        lambda: reader.watch(Resource.NODES, since="1000", timeout_s=240, stop=stop)
    ).until(opened)
    assert not ended(watching)
    reader.close()
    watching.until(ended)
    with pytest.raises(ClusterUnreachable, match="ended"):
        next(reader.watch(Resource.NODES, since="1000", timeout_s=60, stop=stop))


def test_a_watch_that_is_cut_is_an_error_to_try_again(
    api: HostedApi, watch_pods: Callable[..., Watching]
) -> None:
    api.call(lambda: api.server.faults.add(FaultKind.CUT, verb="watch", seconds=0.1))
    watching = watch_pods().until(ended)
    assert watching.error is None or isinstance(watching.error, ClusterUnreachable)


@pytest.mark.parametrize(
    ("which", "error"),
    [
        pytest.param(Resource.LEADER_WORKER_SETS, Forbidden, id="no right, or not installed"),
        pytest.param(Resource.HORIZONTAL_POD_AUTOSCALERS, None, id="allowed"),
    ],
)
def test_a_viewer_is_refused_what_its_role_lacks(
    read: Read, which: Resource, error: type[FleetError] | None
) -> None:
    if error is None:
        assert read().list(which).records == ()
        return
    with pytest.raises(error):
        read().list(which)


def test_a_resource_that_is_not_served(read: Read) -> None:
    with pytest.raises(NotThere):
        read("hosted-admin").get(Resource.PODS, namespace="web", name="nobody")


def test_one_object(read: Read) -> None:
    reader = read()
    listed = reader.list(Resource.INFERENCE_SERVICES).records[0].meta
    record = reader.get(Resource.INFERENCE_SERVICES, namespace=listed.namespace, name="llama")
    assert record.meta == listed


@pytest.mark.parametrize(
    ("kind", "times"),
    [
        pytest.param(FaultKind.ERROR, 2, id="500 twice"),
        pytest.param(FaultKind.THROTTLE, 1, id="429 with Retry-After"),
        pytest.param(FaultKind.DOWN, 2, id="closed without an answer, twice"),
    ],
)
def test_a_list_is_tried_again(api: HostedApi, read: Read, kind: FaultKind, times: int) -> None:
    api.call(lambda: api.server.faults.add(kind, verb="list", seconds=0.2, times=times))
    assert len(read().list(Resource.INFERENCE_SERVICES).records) == 1


def test_a_list_gives_up_at_last(api: HostedApi, read: Read) -> None:
    api.call(lambda: api.server.faults.add(FaultKind.ERROR, verb="list"))
    with pytest.raises(ClusterUnreachable, match="answered 500"):
        read().list(Resource.INFERENCE_SERVICES)


def test_nobody_listens(read: Read, api: HostedApi) -> None:
    reader = read()
    api.wait(api.server.stop())
    with pytest.raises(ClusterUnreachable):
        reader.pulse()


def test_a_token_that_is_unknown_is_read_again_for_the_next_call(
    api: HostedApi, read: Read
) -> None:
    reader = read()
    reader.pulse()
    held = api.tokens.holders.pop(api.token("viewer"))
    with pytest.raises(CredentialsExpired):
        reader.pulse()
    api.tokens.holders[api.token("viewer")] = held
    reader.pulse()


def test_an_unknown_kind_of_a_served_group_is_not_there(read: Read) -> None:
    assert resource("inferenceservices", "serving.kserve.io") is MODELS
    with pytest.raises(NotThere):
        read("hosted-admin").list(Resource.LEADER_WORKER_SETS, namespace="no-such")

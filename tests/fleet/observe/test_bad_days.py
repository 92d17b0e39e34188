"""Bad days: data age shows them, nothing is lost that the API still has, and it goes on by
itself."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from fleet.domain.ledger.ledger import Ledger
from fleet.errors import LeaseLost
from fleet.history import batch, patience
from fleet.history.leases import claim
from fleet.models import (
    Cluster,
    ColdStart,
    Gap,
    ObservedObject,
    Replica,
    ServedModel,
    WatchPosition,
)
from simulator.api.faults import FaultKind
from simulator.api.hosted import HostedApi
from tests.fleet.observe.conftest import Follow
from tests.hosted.fixtures import wall_clock
from tests.hosted.loading import DEPLOYMENTS, EVENTS, MODELS, PODS, change, pod

# Streams of the viewer, who may not read LeaderWorkerSets.
STREAMS = 16
LLM_NAMESPACE = "llm"


def cluster() -> Cluster:
    return Cluster.objects.get()


def state(name: str) -> Callable[[], bool]:
    return lambda: cluster().state == name


def known(pod_name: str) -> Callable[[], bool]:
    return lambda: Replica.objects.filter(replica=pod_name, gone_at=None).exists()


def gone(pod_name: str) -> Callable[[], bool]:
    return lambda: Replica.objects.filter(replica=pod_name).exclude(gone_at=None).exists()


def new_pod(api: HostedApi, name: str) -> dict[str, Any]:
    """Of the recorded model."""
    recorded = api.call(lambda: api.store.list(PODS)[0])["metadata"]
    made = pod(name, namespace=recorded["namespace"], model="llama")
    return api.call(lambda: api.store.create(PODS, made, manager="test"))


def order(api: HostedApi, kind: FaultKind, **more: Any) -> None:
    api.call(lambda: api.server.faults.add(kind, **more))


def clear(api: HostedApi) -> None:
    api.call(api.server.faults.clear)


def test_the_api_server_is_down_for_a_while(api: HostedApi, follow: Follow) -> None:
    following = follow()
    following.until(state("live"))
    api.wait(api.server.stop())
    following.until(state("unreachable"))
    proof = cluster().last_proof_at
    assert proof is not None
    following.turn_for(0.6)
    assert cluster().last_proof_at == proof
    assert cluster().state_detail["code"] == "unreachable"
    new_pod(api, "while-down")
    api.wait(api.server.start())
    following.until(state("live"))
    following.until(known("while-down"))
    assert proof < (cluster().last_proof_at or proof)
    assert not Gap.objects.exists()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(FaultKind.ERROR, id="500 for every list and watch"),
        pytest.param(FaultKind.THROTTLE, id="429 for every list and watch"),
        pytest.param(FaultKind.DOWN, id="connections closed without an answer"),
    ],
)
def test_an_api_server_that_is_out_of_order_from_the_start(
    api: HostedApi, follow: Follow, kind: FaultKind
) -> None:
    order(api, kind, verb="list", seconds=0.1)
    order(api, kind, verb="watch", seconds=0.1)
    following = follow()
    following.until(lambda: cluster().state_detail.get("code") == "unreachable")
    assert cluster().last_proof_at is None
    clear(api)
    following.until(state("live"))
    assert ServedModel.objects.count() == 2


def test_a_slow_api_server_is_followed_and_called_slow(
    api: HostedApi, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleet.observe.account.SLOW_S", 0.2)
    order(api, FaultKind.SLOW, seconds=0.3)
    following = follow()
    following.until(state("slow"))
    following.until(lambda: ServedModel.objects.count() == 2)


def test_watches_that_are_cut_again_and_again_lose_nothing(api: HostedApi, follow: Follow) -> None:
    order(api, FaultKind.CUT, verb="watch", seconds=0.2)
    following = follow()
    following.until(lambda: ServedModel.objects.count() == 2)
    for number in range(5):
        new_pod(api, f"cut-{number}")
        following.until(known(f"cut-{number}"))
    assert not Gap.objects.exists()


def test_a_storm_of_410_lists_again_keeps_gaps_and_loses_nothing(
    api: HostedApi, follow: Follow
) -> None:
    following = follow()
    following.until(state("live"))
    starts = ColdStart.objects.count()
    order(api, FaultKind.EXPIRED, verb="watch", times=40)
    api.call(api.server.backend.hub.cut)
    new_pod(api, "in-the-storm")
    following.until(known("in-the-storm"))
    following.until(state("live"))
    assert Gap.objects.exists()
    assert all(gap.until is not None and gap.since < gap.until for gap in Gap.objects.all())
    assert ColdStart.objects.count() == starts + 1


def test_a_half_broken_object_is_told_and_the_others_go_on(api: HostedApi, follow: Follow) -> None:
    broken = pod("half") | {"spec": {"containers": "none"}}
    made = api.call(lambda: api.store.create(PODS, broken, manager="test"))
    following = follow()
    following.until(lambda: "odd" in cluster().state_detail)
    assert cluster().state_detail["odd"][0]["name"] == "pods/web/half"
    following.until(lambda: ServedModel.objects.count() == 2)
    change(api, PODS, made, lambda o: o.update(spec=pod("half")["spec"]))
    following.until(lambda: "odd" not in cluster().state_detail)


def test_values_that_no_release_knew_yet(api: HostedApi, follow: Follow) -> None:
    made = new_pod(api, "odd-values")
    condition = {"type": "Blessed", "status": "Perhaps", "lastTransitionTime": None}
    change(api, PODS, made, lambda o: o["status"].update(phase="Zombie", conditions=[condition]))
    following = follow()
    following.until(known("odd-values"))
    following.until(state("live"))
    assert "odd" not in cluster().state_detail


@pytest.mark.parametrize("skew_s", [30, -30], ids=["our clock is ahead", "our clock is behind"])
def test_clocks_that_differ(api: HostedApi, follow: Follow, skew_s: int) -> None:
    following = follow(clock=lambda: wall_clock() + timedelta(seconds=skew_s))
    following.until(state("live"))
    new_pod(api, "skewed")
    following.until(known("skewed"))
    following.until(lambda: ColdStart.objects.filter(replica="skewed").exists())
    start = ColdStart.objects.get(replica="skewed")
    assert start.total_s is None or start.total_s >= 0
    assert all(phase["seconds"] >= 0 for phase in start.phases)


def test_a_token_that_expires_is_said_and_a_new_one_taken(api: HostedApi, follow: Follow) -> None:
    following = follow()
    following.until(state("live"))
    held = api.tokens.holders.pop(api.token("viewer"))
    following.until(lambda: cluster().state_detail.get("code") == "credentials-expired")
    assert cluster().state == "unreachable"
    api.tokens.holders[api.token("viewer")] = held
    following.until(state("live"))


def test_hostile_text_goes_through_as_text(api: HostedApi, follow: Follow) -> None:
    made = new_pod(api, "hostile")
    text = '<script>alert("x")</script>\u0000\u202e' + "y" * 20_000
    involved = {"kind": "Pod", "name": "hostile", "namespace": made["metadata"]["namespace"]}
    event = {
        "metadata": {"name": "hostile.1", "namespace": made["metadata"]["namespace"]},
        "involvedObject": involved | {"uid": made["metadata"]["uid"]},
        "reason": "Unhealthy",
        "message": f"Readiness probe failed: {text}",
        "type": "Warning",
        "source": {"component": "kubelet"},
        "firstTimestamp": made["metadata"]["creationTimestamp"],
        "lastTimestamp": made["metadata"]["creationTimestamp"],
        "count": 2,
    }
    following = follow()
    following.until(known("hostile"))
    api.call(lambda: api.store.create(EVENTS, event, manager="test"))
    new_pod(api, "after")
    following.until(known("after"))
    texts = [o.record for o in ObservedObject.objects.all()] + [
        r.facts for r in Replica.objects.all()
    ]
    assert all("\0" not in text and len(text) < 40_000 for text in texts)


def test_two_workers_with_one_cluster_only_one_writes(api: HostedApi, follow: Follow) -> None:
    first = follow()
    first.until(state("live"))
    assert claim("hosted", owner="second", now=first.task.clock()) is None
    Cluster.objects.update(lease_expires_at=first.task.clock() - timedelta(minutes=1))
    assert claim("hosted", owner="second", now=first.task.clock()) is not None
    new_pod(api, "late")
    with pytest.raises(LeaseLost):
        first.turn_for(5)
    assert not Replica.objects.filter(replica="late").exists()


def test_a_worker_killed_in_mid_batch_is_followed_by_one_that_misses_nothing(
    api: HostedApi, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = follow()
    first.until(state("live"))
    with monkeypatch.context() as patched:
        patched.setattr(batch, "_write_fleet", _killed)
        new_pod(api, "unwritten")
        with pytest.raises(SystemExit):
            first.turn_for(5)
    assert not Replica.objects.filter(replica="unwritten").exists()
    first.end()
    second = follow()
    second.until(known("unwritten"))
    assert ColdStart.objects.filter(replica="unwritten").count() == 1
    assert not Gap.objects.exists()


def _killed(*_: object, **__: object) -> None:
    raise SystemExit


def test_the_next_follower_goes_on_without_listing(api: HostedApi, follow: Follow) -> None:
    first = follow()
    first.until(state("live"))
    new_pod(api, "old")
    first.until(known("old"))
    starts = set(ColdStart.objects.values_list("id", "replica_uid"))
    first.end()
    namespace = new_pod(api, "between")["metadata"]["namespace"]
    api.call(lambda: api.store.delete(PODS, namespace, "old"))
    order(api, FaultKind.ERROR, verb="list")
    second = follow()
    second.until(known("between"))
    second.until(gone("old"))
    second.until(state("live"))
    assert starts < set(ColdStart.objects.values_list("id", "replica_uid"))
    assert not Gap.objects.exists()


def test_a_follower_that_comes_too_late_lists_and_ends_what_went_unseen(
    api: HostedApi, follow: Follow
) -> None:
    first = follow()
    first.until(state("live"))
    namespace = new_pod(api, "old")["metadata"]["namespace"]
    first.until(known("old"))
    first.end()
    api.call(lambda: api.store.delete(PODS, namespace, "old"))
    api.call(api.store.compact)
    second = follow()
    second.until(gone("old"))
    gap = Gap.objects.get(resource="pods/InferenceService")
    assert gap.until is not None
    assert gap.since < gap.until


# Between two tries an unusable connection is shut: a test's own transaction would not outlive it.
@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_locked_for_a_while(
    api: HostedApi, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    following = follow()
    following.until(state("live"))
    monkeypatch.setattr(patience, "WAIT_S", 0.01)
    left = [2]

    def locked_twice(*args: Any, **kwargs: Any) -> tuple[str, ...]:
        if left[0]:
            left[0] -= 1
            raise OperationalError("database is locked")
        return batch.write_batch(*args, **kwargs)

    monkeypatch.setattr(patience, "write_batch", locked_twice)
    new_pod(api, "in-spite")
    following.until(known("in-spite"))
    assert left == [0]


def test_a_message_that_the_ledger_cannot_take_does_not_end_the_following(
    api: HostedApi, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    following = follow()
    following.until(state("live"))
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "apply", _refusing)
        new_pod(api, "refused")
        following.until(skipped("refused"))
    new_pod(api, "taken")
    following.until(known("taken"))


def skipped(pod_name: str) -> Callable[[], bool]:
    """Whether the clusters page tells that an object of that name was left out."""
    told = "skipped: it could not be taken in; see the log"
    return lambda: any(
        odd["name"].endswith(f"/{pod_name}") and odd["problem"] == told
        for odd in cluster().state_detail.get("odd", [])
    )


def _refusing(*_: object) -> None:
    raise KeyError("a fact that nobody foresaw")


def test_a_kind_that_the_cluster_lacks_is_a_feature_absent(api: HostedApi, follow: Follow) -> None:
    following = follow()
    following.until(state("live"))
    assert "leaderworkersets" not in cluster().watching
    assert WatchPosition.objects.count() == STREAMS


def test_models_come_change_and_go(api: HostedApi, follow: Follow) -> None:
    following = follow()
    following.until(lambda: ServedModel.objects.count() == 2)
    qwen = api.call(lambda: api.store.get(DEPLOYMENTS, LLM_NAMESPACE, "qwen-kserve"))
    change(api, DEPLOYMENTS, qwen or {}, lambda o: o["spec"].update(replicas=2))
    following.until(lambda: ServedModel.objects.get(name="qwen").desired == 2)
    llama = api.call(lambda: api.store.list(MODELS)[0])
    change(api, MODELS, llama, lambda o: o["metadata"].pop("finalizers", None))
    api.call(lambda: api.store.delete(MODELS, llama["metadata"]["namespace"], "llama"))
    following.until(lambda: ServedModel.objects.get(name="llama").gone_at is not None)

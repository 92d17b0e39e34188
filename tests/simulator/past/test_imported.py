"""A past that clusters lived through becomes their history: as many starts as really were, however
often it is read, and handed over to whoever follows the cluster now."""

from __future__ import annotations

import gzip
import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from fleet.adapters.kubernetes.past import PastFile
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.records.keys import Resource
from fleet.errors import BadInput, LeaseLost
from fleet.history.kept import kept
from fleet.history.leases import claim, renew
from fleet.models import (
    Cluster,
    ColdStart,
    ObservedObject,
    ProbeFailure,
    Replica,
    ScaleEvent,
    ServedModel,
    WatchPosition,
)
from fleet.observe import past as observing
from fleet.observe.past import PastRead, PastTask, read_past
from simulator.store.resources import INFERENCESERVICES
from tests.simulator.past.pasts import UNTIL, Lived, lived

NOW = UNTIL + timedelta(seconds=20)
pytestmark = pytest.mark.django_db


@dataclass
class Bell:
    """Remembers whose rows were announced."""

    keys: Counter[str]

    def changed(self, *, cluster: str, keys: Sequence[str]) -> None:
        self.keys.update(keys)


@pytest.fixture(scope="module")
def hours(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    return lived(tmp_path_factory.mktemp("past"), past=timedelta(hours=3))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody adds clusters or takes lists here later on; every settling is written."""
    monkeypatch.setattr(observing, "AWAITED_S", 0.0)
    monkeypatch.setattr(observing, "WRITE_EVERY_S", 0.0)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster.objects.create(name="west", context="west", created_at=UNTIL)


def read(path: Path, *, stop: threading.Event | None = None, bell: Bell | None = None) -> PastRead:
    task = PastTask(
        past=PastFile(path),
        announcer=bell or Bell(Counter()),
        clock=lambda: NOW,
        stop=stop or threading.Event(),
        settings=LedgerSettings(),
    )
    return read_past(task)


def rows() -> dict[str, list[tuple[object, ...]]]:
    """History as it can be compared: everything but the numbers of rows."""
    return {
        "starts": list(
            ColdStart.objects.order_by("replica_uid", "attempt").values_list(
                "replica_uid",
                "attempt",
                "trigger",
                "outcome",
                "start_mode",
                "total_s",
                "started_at",
            )
        ),
        "replicas": list(Replica.objects.order_by("uid").values_list("uid", "gone_at")),
        "scaled": list(ScaleEvent.objects.order_by("uid").values_list("uid", "at", "cause")),
        "failures": list(
            ProbeFailure.objects.order_by("event_uid").values_list("event_uid", "count")
        ),
    }


def serving(past: Lived) -> set[str]:
    """uids of the pods of models that are there now."""
    world = past.world
    pods = (world.kubelet.pod_of(state) for state in world.kubelet.pods.values())
    return {
        pod["metadata"]["uid"]
        for pod in pods
        if pod is not None and world.behaviours.profile_of(pod) is not None
    }


def part_of(whole: Path, folder: Path, *, lines: int) -> Path:
    """A past that was not written to its end."""
    path = folder / whole.name
    with gzip.open(whole) as source, gzip.open(path, "wb", compresslevel=1) as out:
        for _ in range(lines):
            out.write(next(iter(source)))
    return path


def test_as_many_starts_as_really_were_with_outcomes_triggers_and_parts_of_loading(
    cluster: Cluster, tmp_path: Path
) -> None:
    day = lived(tmp_path)
    result = read(day.path)
    measured = {
        start.replica_uid: start
        for start in ColdStart.objects.filter(attempt=0).exclude(outcome="running")
    }
    truth = {start.pod_uid: start for start in day.starts if not start.attempt}
    assert len(truth) > 30
    assert measured.keys() == truth.keys()
    assert [uid for uid, start in measured.items() if start.outcome != truth[uid].outcome] == []
    agree = sum(start.trigger == truth[uid].trigger for uid, start in measured.items())
    assert agree / len(measured) >= 0.97
    ready = [start for start in measured.values() if start.outcome == "ready"]
    assert sum(_tells_parts(start) for start in ready) / len(ready) > 0.9
    cluster.refresh_from_db()
    assert cluster.simulated
    assert (cluster.past["state"], cluster.past["skipped"]) == ("done", 0)
    assert cluster.past["read_to"] == cluster.past["until"] == UNTIL.isoformat()
    assert cluster.past["starts"] == result.starts


def _tells_parts(start: ColdStart) -> bool:
    return any(span["phase"] == "load-engine" and span["parts"] for span in start.phases)


@pytest.mark.usefixtures("cluster")
def test_a_past_that_was_read_is_not_read_again(hours: Lived) -> None:
    read(hours.path)
    before = rows()
    assert read(hours.path) == PastRead(cluster="west", state="known")
    assert rows() == before


class StopsAfter(threading.Event):
    """Set after it was looked at so often."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._left = looks

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0


def test_stopped_half_way_and_read_again_gives_the_same_rows(
    hours: Lived, cluster: Cluster
) -> None:
    messages = len(hours.messages())
    assert read(hours.path, stop=StopsAfter(messages // 2)).state == "stopped"
    half = ColdStart.objects.count()
    cluster.refresh_from_db()
    assert cluster.past["state"] == "reading"
    read(hours.path)
    twice = rows()
    for model in (ColdStart, Replica, ScaleEvent, ProbeFailure):
        model._default_manager.all().delete()
    Cluster.objects.filter(pk=cluster.pk).update(past={})
    read(hours.path)
    assert 0 < half < len(twice["starts"])
    assert twice == rows()


def test_while_it_is_read_nothing_that_still_lives_is_written(
    hours: Lived, cluster: Cluster
) -> None:
    read(hours.path, stop=StopsAfter(len(hours.messages()) // 2))
    assert not ColdStart.objects.running().exists()
    assert not Replica.objects.filter(gone_at=None).exists()
    assert not ObservedObject.objects.filter(cluster=cluster).exists()
    assert not ServedModel.objects.exists()


def test_a_past_that_breaks_off_keeps_what_was_read_and_says_so(
    hours: Lived, cluster: Cluster, tmp_path: Path
) -> None:
    part = part_of(hours.path, tmp_path, lines=len(hours.messages()) // 2)
    part.write_bytes(part.read_bytes()[:-40])
    with pytest.raises(BadInput, match=r"west\.jsonl\.gz breaks off"):
        read(part)
    cluster.refresh_from_db()
    assert cluster.past["state"] == "failed"
    assert "breaks off" in cluster.past["problem"]
    assert ColdStart.objects.exists()


def test_a_past_without_an_end_is_not_handed_over(
    hours: Lived, cluster: Cluster, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="has no end"):
        read(part_of(hours.path, tmp_path, lines=len(hours.messages()) // 2))
    cluster.refresh_from_db()
    assert cluster.past["state"] == "failed"
    assert not ObservedObject.objects.filter(cluster=cluster).exists()


def test_there_is_no_such_cluster(hours: Lived) -> None:
    with pytest.raises(BadInput, match="there is no cluster 'west'"):
        read(hours.path)


@pytest.fixture
def followed(cluster: Cluster, hours: Lived) -> Cluster:
    """Somebody follows it, has taken the lists, and knows one model by its own uid."""
    WatchPosition.objects.create(
        cluster=cluster, resource="pods/InferenceService", resource_version="999999", in_step_at=NOW
    )
    service = next(
        each["object"]
        for each in hours.messages()
        if each["resource"] == "inferenceservices" and each["type"] == "ADDED"
    )
    meta = service["metadata"]
    ServedModel.objects.create(
        cluster="west",
        kind="InferenceService",
        namespace=meta["namespace"],
        name=meta["name"],
        model_uid=meta["uid"],
        mode="Knative",
        state="Cold",
        rank=50,
        created_at=UNTIL,
        changed_at=UNTIL,
        state_since=UNTIL,
    )
    return cluster


def test_the_next_follower_goes_on_from_where_the_past_ends(
    hours: Lived, followed: Cluster
) -> None:
    lease = claim("west", owner="live", now=NOW)
    assert lease is not None
    assert read(hours.path).state == "done"
    with pytest.raises(LeaseLost):
        renew(lease, now=NOW)
    assert claim("west", owner="next", now=NOW) is not None
    left = kept(followed.pk, "west", now=NOW)
    version = str(hours.world.store.resource_version)
    assert {each.resource_version for each in left.positions.values()} == {version}
    alive = serving(hours)
    assert {each.uid for each in left.replicas if each.gone_at is None} == alive
    services = {each.name for each in left.objects if each.resource is Resource.INFERENCE_SERVICES}
    assert services == {"busy", "slow", "warm", "seldom"}


def test_starts_between_the_past_and_its_reading_are_told_with_their_own_times(
    followed: Cluster, tmp_path: Path
) -> None:
    past = lived(tmp_path, past=timedelta(hours=2))
    known = len(past.starts)
    past.world.timeline.run_for(1200.0)
    assert len(past.starts) > known
    ServedModel.objects.update(model_uid=_uid_of(past, "busy"))
    assert read(past.path).state == "done"
    position = WatchPosition.objects.get(cluster=followed)
    assert position.in_step_at is not None
    assert position.in_step_at > UNTIL + timedelta(seconds=600)
    for start in past.starts[known:]:
        row = ColdStart.objects.get(replica_uid=start.pod_uid)
        assert row.outcome == start.outcome
        late = row.started_at - start.marks["demanded"]
        assert abs(late.total_seconds()) < 2.0


def _uid_of(past: Lived, name: str) -> str:
    service = past.world.store.get(INFERENCESERVICES, "chat", name)
    assert service is not None
    return str(service["metadata"]["uid"])


def test_what_a_follower_saw_only_the_middle_of_is_told_whole(
    hours: Lived, followed: Cluster
) -> None:
    uid = next(iter(serving(hours)))
    pod = Replica.objects.create(
        cluster="west", kind="InferenceService", namespace="chat", name="warm", model_uid="m",
        uid=uid, replica="r", created_at=UNTIL - timedelta(hours=3), facts="{}",
    )  # fmt: skip
    late = Replica.objects.create(
        cluster="west", kind="InferenceService", namespace="chat", name="warm", model_uid="m",
        uid="born-after-the-past", replica="s", created_at=UNTIL + timedelta(seconds=3), facts="{}",
    )  # fmt: skip
    read(hours.path)
    pod.refresh_from_db()
    assert pod.facts != "{}"
    assert not Replica.objects.filter(pk=late.pk).exists(), "met again by the watch, from its birth"


@pytest.mark.usefixtures("followed")
def test_the_fleet_row_counts_what_was_read_while_it_is_read(hours: Lived) -> None:
    bell = Bell(Counter())
    read(hours.path, bell=bell)
    row = ServedModel.objects.get()
    assert row.count_7d == ColdStart.objects.filter(model_uid=row.model_uid).count() > 0
    assert bell.keys[str(row.key)] > 1
    assert bell.keys["west"] > 1


def test_a_past_of_another_cluster_of_that_name_moves_no_watch(
    hours: Lived, followed: Cluster
) -> None:
    ServedModel.objects.update(model_uid="another")
    assert read(hours.path).state == "apart"
    position = WatchPosition.objects.get(cluster=followed)
    assert position.resource_version == "999999"
    assert not ObservedObject.objects.filter(cluster=followed).exists()
    assert ColdStart.objects.exists()


def test_of_two_readers_the_first_gives_way(
    hours: Lived, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = PastFile.messages

    def second_begins(file: PastFile) -> Iterator[object]:
        for number, message in enumerate(whole(file)):
            if number == 1000:
                cluster.refresh_from_db()
                Cluster.objects.filter(pk=cluster.pk).update(past=cluster.past | {"by": "second"})
            yield message

    monkeypatch.setattr(PastFile, "messages", second_begins)
    with pytest.raises(LeaseLost, match="somebody else"):
        read(hours.path)
    cluster.refresh_from_db()
    assert (cluster.past["by"], cluster.past["state"]) == ("second", "reading")


@pytest.mark.usefixtures("cluster")
def test_hostile_lines_are_skipped_with_a_count(hours: Lived, tmp_path: Path) -> None:
    path = tmp_path / "west.jsonl"
    with gzip.open(hours.path) as lines:
        whole = lines.read().splitlines()
    strange = json.loads(whole[-5])
    strange["object"]["metadata"] = {"name": "\0" * 5000}
    path.write_bytes(b"\n".join([*whole[:-1], b"{oops", json.dumps(strange).encode(), whole[-1]]))
    result = read(path)
    assert result.skipped == 2
    assert result.starts >= len(hours.starts)

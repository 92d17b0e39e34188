"""Each fault shows itself where it should, its callers feel it, and it can be taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import pytest

from simulator.metering.meters import Meters
from simulator.store.resources import EVENTS, PODS, REVISIONS
from simulator.world.calling import Callers
from simulator.world.catalogue import SETTINGS
from simulator.world.cluster import Settings
from simulator.world.fault_schedule import FaultSchedule
from simulator.world.faults import FAULTS, Faults, Seeded
from simulator.world.faulty import KNATIVE, STANDARD, faulty_plan
from simulator.world.passages import Passage
from simulator.world.profiles import Profile
from simulator.world.seeding import seed
from simulator.world.shapes import condition
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.world import World
from tests.simulator.world.worlds import START

QUIET_S = 300.0
LASTED_S = 290.0
A, _, C = SETTINGS


@dataclass
class Lived:
    """A world in the last minute of its faults. felt: errors of callers by model."""

    world: World
    faults: Faults
    felt: dict[str, list[Passage]]

    def events(self, model: str) -> str:
        found = self.world.store.list(EVENTS, "chat")
        return "\n".join(
            f"{each['reason']}: {each['message']}"
            for each in found
            if each["involvedObject"]["name"].startswith(f"{model}-")
        )

    def log(self, model: str, container: str, *, previous: bool = False) -> str:
        lines = []
        for state in self.world.kubelet.pods.values():
            if state.key[1].startswith(f"{model}-"):
                log = self.world.kubelet.log(state.uid, container, previous=previous)
                lines += [text for _, text in log or []]
        return "\n".join(lines)


@cache
def lived(settings: Settings, *, until_s: float = QUIET_S + LASTED_S) -> Lived:
    table = KNATIVE if settings.knative else STANDARD
    world = World(faulty_plan(settings, seed=1), Timeline(START))
    callers = Callers(world)
    Meters(callers)
    felt: dict[str, list[Passage]] = {}

    def hear(passage: Passage) -> None:
        if passage.model and (passage.status is None or passage.status >= 500):
            felt.setdefault(passage.model[1], []).append(passage)

    callers.at_ingress.append(hear)
    faults = Faults(callers, Traffic(callers))
    seed(world)
    FaultSchedule(faults, table).begin(quiet_s=QUIET_S)
    world.timeline.run_for(until_s)
    return Lived(world, faults, felt)


def codes(passages: list[Passage]) -> set[int | None]:
    return {each.status for each in passages}


CASES = [
    *((A, how, profile) for how, profile in KNATIVE.items()),
    *((C, how, profile) for how, profile in STANDARD.items()),
]
IDS = [f"{settings.name}: {how}" for settings, how, _ in CASES]


@pytest.mark.parametrize(("settings", "how", "profile"), CASES, ids=IDS)
def test_callers_feel_it_only_once_it_began(settings: Settings, how: str, profile: Profile) -> None:
    at = lived(settings)
    seeded, _ = at.faults.running[profile.key]
    felt = at.felt.get(profile.name, [])
    if FAULTS[how].silent:
        assert felt == []
        return
    assert felt, "nobody felt it"
    assert seeded.first_error_at == felt[0].at
    assert felt[0].at >= seeded.began_at
    assert (felt[0].at - seeded.began_at).total_seconds() < 150


@pytest.mark.parametrize(
    ("how", "event"),
    [
        pytest.param("liveness", "failed liveness probe, will be restarted", id="liveness"),
        pytest.param("startup-probe", "failed startup probe, will be restarted", id="startup"),
        pytest.param("image", "Failed to pull image", id="image"),
        pytest.param("no-gpu", "Insufficient nvidia.com/gpu", id="no gpu"),
        pytest.param("rollout", "Insufficient nvidia.com/gpu", id="rollout"),
        pytest.param("gpu-oom", "Back-off restarting failed container", id="gpu oom"),
        pytest.param("denied", "Back-off restarting failed container", id="download denied"),
    ],
)
def test_events_tell_it(how: str, event: str) -> None:
    assert event in lived(A).events(KNATIVE[how].name)


@pytest.mark.parametrize(
    ("how", "container", "previous", "line"),
    [
        pytest.param("gpu-oom", "kserve-container", True, "CUDA out of memory", id="gpu oom"),
        pytest.param("denied", "storage-initializer", True, "401 Client Error", id="denied"),
        pytest.param("hub-busy", "storage-initializer", True, "429 Client Error", id="hub"),
        pytest.param("slow-download", "storage-initializer", False, "Fetching 90 files", id="slow"),
        pytest.param("engine", "kserve-container", False, "EngineDeadError", id="engine"),
        pytest.param("overload", "kserve-container", False, "Waiting: 41 reqs", id="overload"),
    ],
)
def test_logs_tell_it(how: str, container: str, line: str, *, previous: bool) -> None:
    log = lived(A).log(KNATIVE[how].name, container, previous=previous)
    assert line in (log or lived(A).log(KNATIVE[how].name, container))


def test_the_deadline_is_told_by_the_revision() -> None:
    revision = lived(A).world.store.get(REVISIONS, "chat", "late-predictor-00002")
    assert revision is not None
    said = condition(revision, "ResourcesAvailable")
    assert said is not None
    assert (said["status"], said["reason"]) == ("False", "ProgressDeadlineExceeded")


def test_memory_is_told_by_the_pod() -> None:
    for settings in (A, C):
        pods = lived(settings).world.store.list(PODS, "chat")
        mine = next(each for each in pods if each["metadata"]["name"].startswith("hungry-"))
        ended = mine["status"]["containerStatuses"][0]["lastState"]["terminated"]
        assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)


@pytest.mark.parametrize(
    ("settings", "how", "codes_felt"),
    [
        pytest.param(A, "timeout", {504}, id="the revision's timeout"),
        pytest.param(A, "ingress-timeout", {504}, id="the ingress's timeout"),
        pytest.param(A, "engine", {500}, id="a dead engine"),
        pytest.param(A, "overload", {503}, id="a full queue"),
        pytest.param(A, "host-oom", {502, 504}, id="a server that ends, and is long away"),
        pytest.param(C, "drain", {503}, id="no endpoint while the model moves"),
        pytest.param(C, "host-oom", {503}, id="no endpoint while the server restarts"),
        pytest.param(C, "overload", {504}, id="the route's timeout"),
    ],
)
def test_what_callers_get(settings: Settings, how: str, codes_felt: set[int]) -> None:
    table = KNATIVE if settings.knative else STANDARD
    assert codes(lived(settings).felt[table[how].name]) == codes_felt


def test_afterwards_all_is_well_again() -> None:
    table: Mapping[str, Profile] = {how: STANDARD[how] for how in ("engine", "overload", "drain")}
    world = World(faulty_plan(C, seed=2), Timeline(START))
    callers = Callers(world)
    kept: list[Seeded] = []
    faults = Faults(callers, Traffic(callers), lambda seeded: kept.append(replace(seeded)))
    seed(world)
    FaultSchedule(faults, table).begin(quiet_s=QUIET_S)
    world.timeline.run_for(QUIET_S + 300 + 120)
    late: list[Passage] = []
    callers.at_ingress.append(late.append)
    world.timeline.run_for(300)
    assert faults.running == {}
    assert {each.status for each in late if each.model in {p.key for p in table.values()}} == {200}
    assert [each.ended_at is not None for each in kept].count(True) == len(table)
    assert {each.cause for each in kept} == {FAULTS[how].cause for how in table}

"""The demo clusters as planned: what the demo's visitors rely on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from simulator.store.resources import INFERENCESERVICES, PODS
from simulator.world.calling import Callers
from simulator.world.catalogue import PILOT_POOL, plans
from simulator.world.happenings import Happenings
from simulator.world.profiles import Profile, Trouble
from simulator.world.seeding import PAST_S, seed
from simulator.world.shapes import condition_status
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic, day_share
from simulator.world.truth import Start
from simulator.world.world import World, WorldPlan
from tests.simulator.world.worlds import START


def vllm(plan: WorldPlan) -> list[Profile]:
    return [each for each in plan.models if each.runtime.is_vllm]


@pytest.mark.parametrize(
    ("clusters", "models"),
    [
        pytest.param(3, 24, id="as shipped"),
        pytest.param(1, 1, id="one of each"),
        pytest.param(2, 9, id="fewer than the tables"),
        pytest.param(3, 60, id="more than the tables"),
        pytest.param(5, 30, id="more clusters than tables"),
    ],
)
def test_there_are_as_many_clusters_and_models_as_asked(clusters: int, models: int) -> None:
    made = plans(clusters=clusters, models=models, seed=1)
    assert len({plan.settings.name for plan in made}) == clusters
    assert sum(len(vllm(plan)) for plan in made) == models
    for plan in made:
        keys = [each.key for each in plan.models]
        assert len(keys) == len(set(keys))


# Only faults bring them. Source: simulator/world/faults.py.
SEEDED_LATER = {Trouble.DOWNLOAD_SLOW, Trouble.HUB_BUSY, Trouble.LOAD_SLOW}


def test_as_shipped_every_trouble_is_there_and_the_pilot_has_none() -> None:
    made = plans(clusters=3, models=24, seed=1)
    troubles = {each.trouble for plan in made for each in plan.models}
    assert troubles == set(Trouble) - SEEDED_LATER
    for plan in made[:2]:
        (pilot,) = [each for each in plan.models if each.key == ("chat", "pilot")]
        assert pilot.trouble is Trouble.NONE
        (node,) = [each for each in plan.nodes if each.pool == PILOT_POOL]
        assert (node.gpus, node.taint) == (2, "reserved=pilot")
        assert pilot.image in node.images


def test_each_cluster_holds_a_service_that_is_no_vllm() -> None:
    for plan in plans(clusters=3, models=24, seed=1):
        assert [each.runtime.is_vllm for each in plan.models].count(False) == 1


def test_night_is_quieter_than_the_afternoon() -> None:
    assert day_share(2.0) < 0.4 < 0.9 < day_share(14.0) <= 1.0


class Lived:
    """The first Knative cluster after its past, without HTTP."""

    def __init__(self, seed_number: int) -> None:
        self.starts: list[Start] = []
        plan = plans(clusters=3, models=24, seed=seed_number)[0]
        self.timeline = Timeline(START)
        self.world = World(plan, self.timeline, keep=self.starts.append)
        self.traffic = Traffic(Callers(self.world))
        seed(self.world)
        self.traffic.begin()
        self.timeline.run_for(PAST_S)


@pytest.fixture(scope="module")
def lived() -> Lived:
    return Lived(1)


def test_at_the_end_of_its_past_the_fleet_is_mostly_well_and_the_pilot_sleeps(lived: Lived) -> None:
    store = lived.world.store
    ready = {
        isvc["metadata"]["name"]: condition_status(isvc, "Ready")
        for isvc in store.list(INFERENCESERVICES)
    }
    assert sum(value == "True" for value in ready.values()) >= 8
    assert ready["gemma-gated"] == "Unknown"
    pods = [pod["metadata"]["name"] for pod in store.list(PODS, "chat")]
    assert not any(name.startswith("pilot-") for name in pods)


def test_starts_are_under_way_within_fifteen_seconds_of_going_live(lived: Lived) -> None:
    before = {pod["metadata"]["uid"] for pod in lived.world.store.list(PODS)}
    Happenings(lived.world, lived.traffic).begin()
    lived.timeline.run_for(15)
    after = {pod["metadata"]["uid"] for pod in lived.world.store.list(PODS)}
    assert len(after - before) >= 2


def test_the_same_seed_lives_the_same_life(lived: Lived) -> None:
    again = Lived(1)
    early = START + timedelta(seconds=PAST_S)

    def lines(starts: list[Start]) -> list[tuple[str, str, dict[str, object]]]:
        kept = [each for each in starts if max(each.marks.values()) < early]
        return [(each.model, each.pod_uid, dict(each.marks)) for each in kept]

    assert lines(again.starts) == lines(lived.starts)
    assert len(again.starts) > 10


def test_another_seed_lives_another(lived: Lived) -> None:
    other = Lived(2)
    assert [each.pod_uid for each in other.starts] != [each.pod_uid for each in lived.starts]

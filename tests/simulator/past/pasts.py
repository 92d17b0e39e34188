"""A small cluster with a past: two models that sleep and wake, one that is always warm, a job."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from simulator.past.living import live_through
from simulator.world.calling import Callers
from simulator.world.catalogue import THIRD
from simulator.world.cluster import Settings
from simulator.world.profiles import Profile, Rhythm
from simulator.world.seeding import PAST_S, seed
from simulator.world.timeline import Timeline
from simulator.world.traffic import Traffic
from simulator.world.truth import Start
from simulator.world.world import World, WorldPlan
from tests.simulator.world.worlds import GPU_NODE, MODEL

# A Monday evening.
UNTIL = datetime(2026, 11, 30, 18, tzinfo=UTC)
DAY = timedelta(days=1)
NODE = replace(GPU_NODE, gpus=12)
MODELS = (
    replace(MODEL, name="busy", rhythm=Rhythm.BURSTS),
    replace(MODEL, name="slow", namespace="rag", rhythm=Rhythm.BURSTS, eager=False),
    replace(MODEL, name="warm", rhythm=Rhythm.STEADY, min_replicas=1),
    replace(MODEL, name="seldom", rhythm=Rhythm.RARE),
)
STANDARD = tuple(each for each in THIRD if each.name in ("night-batch", "qwen-14b"))


@dataclass(frozen=True)
class Lived:
    """A past as it is written, what really happened, and the world as it stands now."""

    path: Path
    starts: Sequence[Start]
    world: World

    def messages(self) -> list[dict[str, Any]]:
        with gzip.open(self.path) as lines:
            return [json.loads(line) for line in lines]


def lived(
    folder: Path,
    models: Sequence[Profile] = MODELS,
    *,
    name: str = "west",
    knative: tuple[int, int] | None = (1, 21),
    past: timedelta = DAY,
) -> Lived:
    """A cluster that lived so long until UNTIL."""
    starts: list[Start] = []
    plan = WorldPlan(settings=Settings(name=name, knative=knative), nodes=[NODE], models=models)
    world = World(plan, Timeline(UNTIL - past), keep=starts.append)
    traffic, path = Traffic(Callers(world)), folder / f"{name}.jsonl.gz"
    seed(world, past_s=past.total_seconds())
    ordinary_from = UNTIL - timedelta(seconds=PAST_S)
    live_through(world, traffic, ordinary_from=ordinary_from, until=UNTIL, path=path)
    return Lived(path, starts, world)

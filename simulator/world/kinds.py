"""The worlds that can be asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from simulator.world.catalogue import SETTINGS, plans
from simulator.world.faulty import faulty_plan, healthy_plans
from simulator.world.papers import Options
from simulator.world.world import WorldPlan

DEMO, FAULTY, HEALTHY = "demo", "faulty", "healthy"


def _demo(options: Options) -> list[WorldPlan]:
    return plans(clusters=options.clusters, models=options.models, seed=options.seed)


def _faulty(options: Options) -> list[WorldPlan]:
    """Knative 1.21 and Standard mode: the others would show the same."""
    return [faulty_plan(each, seed=options.seed) for each in (SETTINGS[0], SETTINGS[2])]


def _healthy(options: Options) -> list[WorldPlan]:
    return healthy_plans(seed=options.seed)


WORLDS: Mapping[str, Callable[[Options], list[WorldPlan]]] = {
    DEMO: _demo,
    FAULTY: _faulty,
    HEALTHY: _healthy,
}


def plans_of(options: Options) -> list[WorldPlan]:
    return WORLDS[options.world](options)

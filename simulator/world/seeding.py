"""Fills a new cluster: what a platform team applied, some time ago."""

from __future__ import annotations

from simulator.store.resources import (
    CLUSTERSERVINGRUNTIMES,
    CRDS,
    DEPLOYMENTS,
    INFERENCESERVICES,
    LLMINFERENCESERVICES,
    PERSISTENTVOLUMECLAIMS,
)
from simulator.store.resources import NAMESPACES as NAMESPACE
from simulator.world import manifests
from simulator.world.catalogue import NAMESPACES
from simulator.world.profiles import Profile, Runtime, Trouble
from simulator.world.world import World, WorldPlan

# Before going live, divided by the speed. Models that cannot start come shortly before, so that
# their attempts are still to be seen.
PAST_S = 1500.0
# A big fleet gets a shorter one: living through it takes time.
BIG_FLEET = 40
BIG_PAST_S = 600.0
LATE_S = {
    Trouble.DOWNLOAD_DENIED: 150.0,
    Trouble.LIVENESS_KILL: 100.0,
    Trouble.CRASH_LOOP: 130.0,
    Trouble.HOLDS_GPUS: 700.0,
}
APPLIED_WITHIN_S = 60.0


def past_seconds(plan: WorldPlan) -> float:
    """How long a cluster has lived when it goes live, at speed 1."""
    return PAST_S if len(plan.models) <= BIG_FLEET else BIG_PAST_S


def seed(world: World, *, past_s: float | None = None) -> None:
    """Applies everything, spread over the first minutes of the world's past.

    past_s: how long that is, if it is not the usual time.
    """
    past = past_seconds(world.plan) if past_s is None else past_s
    create = world.store.create
    for name, (team, environment) in NAMESPACES.items():
        labels = {"kubernetes.io/metadata.name": name, "team": team, "environment": environment}
        create(NAMESPACE, manifests.namespace(name, labels), manager="kubectl-create")
    for name in ("default", "kserve", "knative-serving"):
        create(NAMESPACE, manifests.namespace(name, {}), manager="kubectl-create")
    for each in world.store.resources:
        if each.custom:
            made = manifests.definition(each.plural, each.group, each.kind, each.version)
            create(CRDS, made, manager="kubectl-create")
    for runtime in manifests.runtimes(world.plan.settings):
        create(CLUSTERSERVINGRUNTIMES, runtime, manager="helm")
    for deployment in manifests.control_planes(world.plan.settings):
        create(DEPLOYMENTS, deployment, manager="helm")
    for number, profile in enumerate(world.plan.models):
        _claim(world, profile)
        _apply_later(world, profile, number, past=past)


def _claim(world: World, profile: Profile) -> None:
    """The volume that holds the weights of a model that mounts them."""
    if not profile.storage.startswith("pvc://"):
        return
    claim = {
        "metadata": {
            "name": profile.storage.removeprefix("pvc://").partition("/")[0],
            "namespace": profile.namespace,
        },
        "spec": {
            "accessModes": ["ReadOnlyMany"],
            "resources": {"requests": {"storage": "20Gi"}},
        },
        "status": {"phase": "Bound"},
    }
    world.cluster.ensure(PERSISTENTVOLUMECLAIMS, claim, manager="kubectl-create")


def _apply_later(world: World, profile: Profile, number: int, *, past: float) -> None:
    late = LATE_S.get(profile.trouble)
    step = APPLIED_WITHIN_S / len(world.plan.models)
    after = step * number if late is None else past - min(late, past / 2)
    world.timeline.after(after, lambda: apply(world, profile))


def apply(world: World, profile: Profile) -> None:
    resource = LLMINFERENCESERVICES if profile.runtime is Runtime.LLMISVC else INFERENCESERVICES
    world.cluster.ensure(
        resource, manifests.inference_service(profile), manager="kubectl-client-side-apply"
    )

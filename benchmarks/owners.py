"""Whose the series of a simulated cluster are, as history would know them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fleet.domain.records.keys import Mode, ModelKey
from fleet.domain.requests.owners import Member, Names, Owner, names_of
from simulator.store.resources import INFERENCESERVICES, LLMINFERENCESERVICES, PODS, REVISIONS
from simulator.world.knative import names
from simulator.world.replicasets import model_of
from simulator.world.world import World


def owners_of(world: World) -> Names:
    mode = Mode.KNATIVE if world.plan.settings.knative else Mode.STANDARD
    owners, uids = dict[Owner, Mode](), dict[tuple[str, str], str]()
    for resource in (INFERENCESERVICES, LLMINFERENCESERVICES):
        if resource not in world.store.resources:
            continue
        for each in world.store.list(resource):
            meta = each["metadata"]
            key = ModelKey(world.plan.settings.name, resource.kind, meta["namespace"], meta["name"])
            llm = resource is LLMINFERENCESERVICES
            owners[Owner(meta["uid"], key)] = Mode.LLM if llm else mode
            uids[meta["namespace"], meta["name"]] = meta["uid"]
    return names_of(owners, revisions=list(_revisions(world, uids)), pods=list(_pods(world, uids)))


def _revisions(world: World, uids: Mapping[tuple[str, str], str]) -> Iterator[Member]:
    if REVISIONS in world.store.resources:
        for each in world.store.list(REVISIONS):
            meta = each["metadata"]
            model_name = meta["labels"][names.SERVICE].removesuffix("-predictor")
            uid = uids.get((meta["namespace"], model_name), "")
            yield Member(meta["namespace"], meta["name"], "", uid)


def _pods(world: World, uids: Mapping[tuple[str, str], str]) -> Iterator[Member]:
    for pod in world.store.list(PODS):
        meta, name = pod["metadata"], model_of(pod)
        if name is not None:
            revision = meta.get("labels", {}).get(names.REVISION, "")
            uid = uids.get((meta["namespace"], name), "")
            yield Member(meta["namespace"], meta["name"], revision, uid)

"""Raise min: which fields of which objects, what comes of it, and when not to."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from fleet.domain.plans.capacity import Capacity, fit
from fleet.domain.plans.facts import Facts, Part, TrafficRevision
from fleet.domain.plans.fields import annotation
from fleet.domain.plans.params import How, RaiseMin
from fleet.domain.plans.plan import (
    MAX_SCALE,
    MIN_SCALE,
    Change,
    Draft,
    Effects,
    Notice,
    When,
)
from fleet.domain.plans.refusals import raise_min_refusal, touches_model
from fleet.domain.plans.starts import median_s
from fleet.domain.plans.way import Way, choose
from fleet.domain.records.keys import Mode


def plan_raise_min(wanted: RaiseMin, facts: Facts) -> Draft | Notice:
    """The draft, or the Notice why it is refused."""
    way = _way(wanted, facts)
    refused = raise_min_refusal(wanted, facts, way=way)
    if refused:
        return refused
    changes = tuple(_changes(wanted, facts, way=way))
    if not changes:
        return Notice(code="nothing-to-change", params={"min": wanted.min})
    draft = Draft(
        changes=changes, effects=_effects(wanted, facts), way=way.value if way is not None else ""
    )
    return replace(draft, warnings=tuple(_warnings(wanted, facts, draft)))


def in_place(wanted: RaiseMin, facts: Facts) -> bool:
    """Whether a Revision or PodAutoscaler is changed: only Knative mode has them."""
    return facts.model.mode is Mode.KNATIVE and wanted.how is not How.DURABLE


def _way(wanted: RaiseMin, facts: Facts) -> Way | None:
    if not in_place(wanted, facts):
        return None
    return choose(facts.knative, (revision.template_repeats for revision in facts.revisions))


def _changes(wanted: RaiseMin, facts: Facts, *, way: Way | None) -> Iterable[Change]:
    if way is not None:
        for revision in facts.revisions:
            yield from _in_place(wanted.min, revision, way=way)
    if touches_model(wanted, facts):
        when = When.AT_ONCE if way is None else When.AFTER_READY
        yield from _on_model(wanted.min, facts, when=when)


def _in_place(floor: int, revision: TrafficRevision, *, way: Way) -> Iterable[Change]:
    pa = revision.autoscaler
    if way is not Way.REVISION and pa is not None:
        before = (pa.min_scale, pa.max_scale)
        ceiling = int(pa.max_scale) if pa.max_scale and pa.max_scale.isdigit() else 0
        yield from _scales(floor, pa.object, pa.uid, before=before, ceiling=ceiling)
    if way is not Way.AUTOSCALER:
        when = When.AT_ONCE if way is Way.REVISION else When.IF_UNDONE
        before = (revision.min_scale, revision.max_scale)
        for change in _scales(
            floor, revision.object, revision.uid, before=before, ceiling=revision.ceiling
        ):
            yield replace(change, when=when)


def _scales(
    floor: int, object_: str, uid: str, *, before: tuple[str | None, str | None], ceiling: int
) -> Iterable[Change]:
    """The floor's annotation; the ceiling's too where it would stand below. A ceiling of 0 is
    none; one written in the old spelling is overruled by the new one."""
    low, high = before
    text = str(floor)
    if low != text:
        field = annotation(MIN_SCALE)
        yield Change(object=object_, uid=uid, field=field, before=low, after=text)
    if 0 < ceiling < floor:
        field = annotation(MAX_SCALE)
        yield Change(object=object_, uid=uid, field=field, before=high, after=text)


def _on_model(floor: int, facts: Facts, *, when: When) -> Iterable[Change]:
    model = facts.model
    pairs = [(model.main, floor)]
    if model.prefill is not None and floor > 0 and (model.prefill.min or 0) == 0:
        # Decode without prefill answers nothing.
        pairs.append((model.prefill, 1))
    for part, least in pairs:
        for field, before, after in _fields(part, least):
            yield Change(
                object=model.object,
                uid=model.uid,
                field=field,
                before=before,
                after=after,
                when=when,
            )


def _fields(part: Part, floor: int) -> Iterable[tuple[str, int | None, int]]:
    if part.min != floor:
        yield part.min_field, part.min, floor
    if part.max and part.max < floor:
        yield part.max_field, part.max, floor


def _effects(wanted: RaiseMin, facts: Facts) -> Effects:
    pods = pods_that_start(wanted, facts)
    per_pod = facts.model.gpus
    capacity, free = fit(
        pods=pods,
        per_pod=per_pod,
        nodes=facts.nodes,
        held=facts.gpu_pods,
        placement=facts.model.placement,
        home=facts.home_nodes,
    )
    new_revision = touches_model(wanted, facts) and facts.model.mode is Mode.KNATIVE
    return Effects(
        new_revision=new_revision,
        rollout=new_revision,
        pods=pods,
        gpus={resource: count * pods for resource, count in per_pod.items()} if pods else {},
        free=free,
        capacity=capacity.value,
        eta_p50_s=median_s(facts.ready_starts_s) if pods else None,
    )


def pods_that_start(wanted: RaiseMin, facts: Facts) -> int:
    """In place: what is missing to the floor, per revision in traffic. A new Revision starts its
    own max(initial, min) beside what runs. Elsewhere: what is missing to the floor."""
    if facts.model.mode is not Mode.KNATIVE:
        return max(0, _floor_in_force(wanted, facts) - (facts.desired or 0))
    missing = sum(max(0, wanted.min - _wished(revision)) for revision in facts.revisions)
    fresh = max(wanted.min, facts.model.initial_scale)
    return (missing if in_place(wanted, facts) else 0) + (
        fresh if touches_model(wanted, facts) else 0
    )


def _wished(revision: TrafficRevision) -> int:
    pa = revision.autoscaler
    return (pa.desired or 0) if pa is not None else 0


def _floor_in_force(wanted: RaiseMin, facts: Facts) -> int:
    return max(wanted.min, 1) if _hpa(facts) else wanted.min


def _hpa(facts: Facts) -> bool:
    """KServe gives an HPA a floor of at least 1, without saying so. Source: kserve/kserve
    pkg/controller/v1beta1/inferenceservice/reconcilers/hpa."""
    return facts.model.mode is Mode.STANDARD and facts.model.autoscaler_class in ("", "hpa")


Rule = Callable[[RaiseMin, Facts, Draft], dict[str, object] | None]


def _when(holds: object, **params: object) -> dict[str, object] | None:
    return params if holds else None


WARNINGS: tuple[tuple[str, Rule], ...] = (
    (
        "no-free-gpu",
        lambda w, f, d: _when(
            d.effects.capacity == Capacity.NO_FREE_GPU, gpus=d.effects.gpus, free=d.effects.free
        ),
    ),
    (
        "capacity-unknown",
        lambda w, f, d: _when(d.effects.capacity == Capacity.UNKNOWN and d.effects.pods),
    ),
    (
        "new-revision",
        lambda w, f, d: _when(
            d.effects.new_revision, pods=max(w.min, f.model.initial_scale), gpus=f.model.gpus
        ),
    ),
    (
        "undo-is-another-revision",
        lambda w, f, d: _when(d.effects.new_revision),
    ),
    (
        "lost-with-next-revision",
        lambda w, f, d: _when(in_place(w, f) and not touches_model(w, f)),
    ),
    (
        "way-undecided",
        lambda w, f, d: _when(d.way == Way.AUTOSCALER_FIRST),
    ),
    (
        "max-raised",
        lambda w, f, d: _when(
            any("max" in change.field.lower() for change in d.changes), max=w.min
        ),
    ),
    ("hpa-floor-one", lambda w, f, d: _when(_hpa(f) and w.min == 0)),
    (
        "prefill-raised",
        lambda w, f, d: _when(any(".prefill." in change.field for change in d.changes)),
    ),
    (
        "gitops-owned",
        lambda w, f, d: _when(touches_model(w, f) and f.model.gitops, owner=f.model.gitops),
    ),
    (
        "auto-update-disabled",
        lambda w, f, d: _when(f.model.auto_update_disabled and not touches_model(w, f)),
    ),
    (
        "several-revisions",
        lambda w, f, d: _when(in_place(w, f) and len(f.revisions) > 1, revisions=len(f.revisions)),
    ),
    ("lowers-floor", lambda w, f, d: _when(w.min < current_floor(f), floor=current_floor(f))),
)


def _warnings(wanted: RaiseMin, facts: Facts, draft: Draft) -> Iterable[Notice]:
    for code, rule in WARNINGS:
        params = rule(wanted, facts, draft)
        if params is not None:
            yield Notice(code=code, params=params)


def current_floor(facts: Facts) -> int:
    """The floor in force now, 0 where none is written. An absent minReplicas means 1 on an
    InferenceService."""
    if facts.revisions:
        return max(_kept_floor(revision) for revision in facts.revisions)
    absent = 0 if facts.model.mode is Mode.LLM else 1
    return absent if facts.model.main.min is None else facts.model.main.min


def _kept_floor(revision: TrafficRevision) -> int:
    """What stands on the PodAutoscaler counts; the Revision's own is what it began with."""
    pa = revision.autoscaler
    if pa is not None and pa.min_scale is not None and pa.min_scale.isdigit():
        return int(pa.min_scale)
    return revision.floor

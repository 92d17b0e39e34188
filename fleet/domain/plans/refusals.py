"""When an action is not to be done at all. First match wins; each row is a code and a test."""

from collections.abc import Callable

from fleet.domain.plans.facts import Facts, TrafficRevision
from fleet.domain.plans.params import How, RaiseMin
from fleet.domain.plans.plan import Notice
from fleet.domain.plans.way import Way
from fleet.domain.records.keys import Mode

Found = dict[str, object] | None
ModelRule = Callable[[Facts], Found]
RaiseRule = Callable[[RaiseMin, Facts, Way | None], Found]


def _when(holds: object, **params: object) -> Found:
    return params if holds else None


def touches_model(wanted: RaiseMin, facts: Facts) -> bool:
    """Whether the model's own object would be changed."""
    return facts.model.mode is not Mode.KNATIVE or wanted.how is not How.IN_PLACE


def _unreachable(revision: TrafficRevision) -> bool:
    """Knative ignores the floor of a Revision that nothing reaches. Source: knative/serving
    pkg/apis/autoscaling/v1alpha1/pa_lifecycle.go, ScaleBounds."""
    return revision.autoscaler is not None and revision.autoscaler.reachability == "Unreachable"


def _activation(wanted: RaiseMin, facts: Facts) -> Found:
    scales = [r.activation_scale for r in facts.revisions if r.activation_scale is not None]
    least = min(scales, default=None)
    return _when(least is not None and least < wanted.min, activation_scale=least, min=wanted.min)


MODEL_REFUSALS: tuple[tuple[str, ModelRule], ...] = (
    ("cluster-read-only", lambda f: _when(f.read_only)),
    ("being-deleted", lambda f: _when(f.model.deleting)),
    ("stopped", lambda f: _when(f.model.stopped)),
)
RAISE_REFUSALS: tuple[tuple[str, RaiseRule], ...] = (
    (
        "auto-update-disabled",
        lambda w, f, way: _when(f.model.auto_update_disabled and touches_model(w, f)),
    ),
    (
        "external-autoscaler",
        lambda w, f, way: _when(
            f.model.mode is Mode.STANDARD and f.model.autoscaler_class == "external"
        ),
    ),
    (
        "floor-too-low",
        lambda w, f, way: _when(w.min < f.model.floor_least, least=f.model.floor_least),
    ),
    ("no-revision-in-traffic", lambda w, f, way: _when(way is not None and not f.revisions)),
    (
        "autoscaler-unreadable",
        lambda w, f, way: _when(
            way in (Way.AUTOSCALER, Way.AUTOSCALER_FIRST)
            and any(revision.autoscaler is None for revision in f.revisions)
        ),
    ),
    ("unreachable", lambda w, f, way: _when(way and any(map(_unreachable, f.revisions)))),
    ("activation-scale-below", lambda w, f, way: _activation(w, f) if way else None),
    (
        "gitops-unconfirmed",
        lambda w, f, way: _when(
            f.model.gitops and touches_model(w, f) and not w.gitops_confirmed, owner=f.model.gitops
        ),
    ),
)


def model_refusal(facts: Facts) -> Notice | None:
    """What speaks against any action on this model."""
    for code, rule in MODEL_REFUSALS:
        params = rule(facts)
        if params is not None:
            return Notice(code=code, params=params)
    return None


def raise_min_refusal(wanted: RaiseMin, facts: Facts, *, way: Way | None) -> Notice | None:
    """What speaks against raising min as wanted."""
    found = model_refusal(facts)
    if found:
        return found
    for code, rule in RAISE_REFUSALS:
        params = rule(wanted, facts, way)
        if params is not None:
            return Notice(code=code, params=params)
    return None

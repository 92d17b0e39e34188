"""Raise min: which object, which field, what comes of it, and when not."""

from typing import Any

import pytest

from fleet.domain.plans.capacity import Node
from fleet.domain.plans.facts import Facts, Part
from fleet.domain.plans.params import How, RaiseMin
from fleet.domain.plans.plan import Draft, Notice
from fleet.domain.plans.raise_min import plan_raise_min
from tests.fleet.domain.plans.made import (
    CEILING,
    FLOOR,
    ISVC,
    LLM,
    MAX,
    MIN,
    PA,
    REVISION,
    knative,
    llm,
    revision,
    standard,
)


def drafted(wanted: RaiseMin, facts: Facts) -> Draft:
    found = plan_raise_min(wanted, facts)
    assert isinstance(found, Draft), found
    return found


def rows(draft: Draft) -> list[tuple[str, str, Any, Any, str]]:
    return [(c.object, c.field, c.before, c.after, c.when.value) for c in draft.changes]


def codes(draft: Draft) -> set[str]:
    return {notice.code for notice in draft.warnings}


IN_PLACE_REVISION = (REVISION, FLOOR, "0", "1", "at-once")
IN_PLACE_PA = (PA, FLOOR, "0", "1", "at-once")


@pytest.mark.parametrize(
    ("wanted", "facts", "expected"),
    [
        pytest.param(
            RaiseMin(min=1), knative(), [IN_PLACE_REVISION], id="1.21 and later: the Revision"
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(knative="v1.20.2", revision={"template_repeats": True}),
            [IN_PLACE_PA],
            id="1.20 and older: the PodAutoscaler, never the Revision, which would roll its pods",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(knative="devel", revision={"template_repeats": True}),
            [IN_PLACE_PA],
            id="a source build whose pod template repeats the annotations: the PodAutoscaler",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(knative="", revision={"template_repeats": False}),
            [IN_PLACE_REVISION],
            id="an unknown version whose template lacks them: the Revision",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(knative="", revision={"template_repeats": None}),
            [IN_PLACE_PA, (REVISION, FLOOR, "0", "1", "if-undone")],
            id="undecided: the PodAutoscaler first, the Revision only if that is undone",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(knative="1.22.0", revision={"template_repeats": True}),
            [IN_PLACE_PA, (REVISION, FLOOR, "0", "1", "if-undone")],
            id="version and template disagree: undecided",
        ),
        pytest.param(
            RaiseMin(min=5),
            knative(),
            [
                (REVISION, FLOOR, "0", "5", "at-once"),
                (REVISION, CEILING, "3", "5", "at-once"),
            ],
            id="a ceiling below the new floor is raised in the same patch",
        ),
        pytest.param(
            RaiseMin(min=5),
            knative(revision={"max_scale": "0", "ceiling": 0}),
            [(REVISION, FLOOR, "0", "5", "at-once")],
            id="a ceiling of 0 is no ceiling",
        ),
        pytest.param(
            RaiseMin(min=5),
            knative(revision={"max_scale": None, "ceiling": 3}),
            [
                (REVISION, FLOOR, "0", "5", "at-once"),
                (REVISION, CEILING, None, "5", "at-once"),
            ],
            id="a ceiling in the old spelling is overruled in the new one",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(revision={"min_scale": None}),
            [(REVISION, FLOOR, None, "1", "at-once")],
            id="an absent annotation is kept as absent, so that undo removes it",
        ),
        pytest.param(
            RaiseMin(min=1, how=How.DURABLE),
            knative(),
            [(ISVC, MIN, 0, 1, "at-once")],
            id="durable: the InferenceService alone",
        ),
        pytest.param(
            RaiseMin(min=1, how=How.IN_PLACE_THEN_DURABLE),
            knative(),
            [IN_PLACE_REVISION, (ISVC, MIN, 0, 1, "after-ready")],
            id="both: the source is written once the pinned pods serve",
        ),
        pytest.param(
            RaiseMin(min=4, how=How.DURABLE),
            knative(model={"main": Part(min_field=MIN, min=None, max_field=MAX, max=3)}),
            [(ISVC, MIN, None, 4, "at-once"), (ISVC, MAX, 3, 4, "at-once")],
            id="durable above maxReplicas raises both, absent stays absent for the undo",
        ),
        pytest.param(
            RaiseMin(min=2),
            standard(),
            [(ISVC, MIN, 0, 2, "at-once")],
            id="Standard has one place, whatever the way",
        ),
        pytest.param(
            RaiseMin(min=1), llm(), [(LLM, "spec.replicas", 0, 1, "at-once")], id="LLM: replicas"
        ),
        pytest.param(
            RaiseMin(min=3),
            llm(
                model={
                    "main": Part(
                        min_field="spec.scaling.minReplicas",
                        min=1,
                        max_field="spec.scaling.maxReplicas",
                        max=2,
                    ),
                    "floor_least": 1,
                }
            ),
            [
                (LLM, "spec.scaling.minReplicas", 1, 3, "at-once"),
                (LLM, "spec.scaling.maxReplicas", 2, 3, "at-once"),
            ],
            id="LLM with scaling: both bounds",
        ),
        pytest.param(
            RaiseMin(min=1),
            llm(model={"prefill": Part(min_field="spec.prefill.replicas", min=0)}),
            [
                (LLM, "spec.replicas", 0, 1, "at-once"),
                (LLM, "spec.prefill.replicas", 0, 1, "at-once"),
            ],
            id="LLM split in two: decode without prefill answers nothing",
        ),
    ],
)
def test_what_is_written_where(
    wanted: RaiseMin, facts: Facts, expected: list[tuple[str, str, Any, Any, str]]
) -> None:
    assert rows(drafted(wanted, facts)) == expected


GITOPS = {"gitops": "argocd-controller"}
EVERY_ACTION = [
    pytest.param({"read_only": True}, {}, "cluster-read-only", id="a cluster set read-only"),
    pytest.param({}, {"deleting": True}, "being-deleted", id="being deleted"),
    pytest.param({}, {"stopped": True}, "stopped", id="stopped by intent"),
]


@pytest.mark.parametrize(("given", "model", "code"), EVERY_ACTION)
def test_refused_whatever_is_asked(given: dict[str, Any], model: dict[str, Any], code: str) -> None:
    found = plan_raise_min(RaiseMin(min=1), knative(model=model, **given))
    assert isinstance(found, Notice)
    assert found.code == code


@pytest.mark.parametrize(
    ("wanted", "facts", "code"),
    [
        pytest.param(
            RaiseMin(min=1, how=How.DURABLE),
            knative(model={"auto_update_disabled": True}),
            "auto-update-disabled",
            id="KServe does not look at this object: the change would do nothing",
        ),
        pytest.param(
            RaiseMin(min=1),
            standard(model={"autoscaler_class": "external"}),
            "external-autoscaler",
            id="an external autoscaler: minReplicas has no effect",
        ),
        pytest.param(
            RaiseMin(min=0),
            llm(
                model={"floor_least": 1, "main": Part(min_field="spec.scaling.minReplicas", min=2)}
            ),
            "floor-too-low",
            id="an LLM with scaling has at least one replica",
        ),
        pytest.param(
            RaiseMin(min=1), knative(revisions=()), "no-revision-in-traffic", id="nothing to pin"
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(knative="1.20.0", revision={"template_repeats": None, "autoscaler": None}),
            "autoscaler-unreadable",
            id="the PodAutoscaler may not be read",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(revision={"pa": {"reachability": "Unreachable"}}),
            "unreachable",
            id="Knative ignores the floor of a Revision that nothing reaches",
        ),
        pytest.param(
            RaiseMin(min=3),
            knative(revision={"activation_scale": 2}),
            "activation-scale-below",
            id="a floor above activation-scale is refused at admission",
        ),
        pytest.param(
            RaiseMin(min=1, how=How.DURABLE),
            knative(model=GITOPS),
            "gitops-unconfirmed",
            id="owned by Git, not confirmed",
        ),
        pytest.param(
            RaiseMin(min=0), knative(), "nothing-to-change", id="the floor stands there already"
        ),
    ],
)
def test_refused(wanted: RaiseMin, facts: Facts, code: str) -> None:
    found = plan_raise_min(wanted, facts)
    assert isinstance(found, Notice), found
    assert found.code == code


@pytest.mark.parametrize(
    ("wanted", "facts", "said"),
    [
        pytest.param(
            RaiseMin(min=1), knative(), "lost-with-next-revision", id="in place only: not for good"
        ),
        pytest.param(
            RaiseMin(min=1, how=How.DURABLE), knative(), "new-revision", id="durable: a second copy"
        ),
        pytest.param(
            RaiseMin(min=1, how=How.DURABLE),
            knative(),
            "undo-is-another-revision",
            id="and so is undoing it",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(knative="", revision={"template_repeats": None}),
            "way-undecided",
            id="undecided version: one short flap",
        ),
        pytest.param(RaiseMin(min=5), knative(), "max-raised", id="the ceiling moves too"),
        pytest.param(
            RaiseMin(min=0),
            standard(model={"main": Part(min_field=MIN, min=2)}),
            "hpa-floor-one",
            id="an HPA never goes to zero",
        ),
        pytest.param(
            RaiseMin(min=1, how=How.DURABLE, gitops_confirmed=True),
            knative(model=GITOPS),
            "gitops-owned",
            id="owned by Git, confirmed",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(model={"auto_update_disabled": True}),
            "auto-update-disabled",
            id="in place works, though KServe sleeps",
        ),
        pytest.param(
            RaiseMin(min=0),
            knative(revision={"min_scale": "2", "pa": {"min_scale": "2"}}),
            "lowers-floor",
            id="lowering is planned like raising",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(nodes=(Node(name="n", usable=True, gpus={"nvidia.com/gpu": 0}),)),
            "no-free-gpu",
            id="no GPU is free",
        ),
        pytest.param(RaiseMin(min=1), knative(), "capacity-unknown", id="nodes may not be read"),
        pytest.param(
            RaiseMin(min=1),
            knative(revisions=(revision(), revision(object=f"{REVISION}2", uid="rev2"))),
            "several-revisions",
            id="a split in traffic pins each side",
        ),
    ],
)
def test_said_before_it_is_done(wanted: RaiseMin, facts: Facts, said: str) -> None:
    assert said in codes(drafted(wanted, facts))


def test_git_cannot_see_what_knative_generates() -> None:
    assert "gitops-owned" not in codes(drafted(RaiseMin(min=1), knative(model=GITOPS)))

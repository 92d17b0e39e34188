"""What comes of raising min: pods, GPUs, room for them, time, and the way back."""

import pytest

from fleet.domain.plans.capacity import GpuPod, Node, Placement
from fleet.domain.plans.facts import Facts, Part
from fleet.domain.plans.params import How, RaiseMin
from fleet.domain.plans.plan import Draft
from fleet.domain.plans.raise_min import plan_raise_min
from tests.fleet.domain.plans.made import ISVC, MIN, REVISION, knative, standard


def drafted(wanted: RaiseMin, facts: Facts) -> Draft:
    found = plan_raise_min(wanted, facts)
    assert isinstance(found, Draft), found
    return found


NODES = (Node(name="a", usable=True, gpus={"nvidia.com/gpu": 2}),)
HELD = (GpuPod(node="a", resource="nvidia.com/gpu", gpus=1),)


@pytest.mark.parametrize(
    ("wanted", "facts", "pods", "capacity", "new_revision"),
    [
        pytest.param(
            RaiseMin(min=1), knative(nodes=NODES, gpu_pods=HELD), 1, "fits-now", False, id="asleep"
        ),
        pytest.param(
            RaiseMin(min=2), knative(nodes=NODES, gpu_pods=HELD), 2, "no-free-gpu", False, id="2"
        ),
        pytest.param(
            RaiseMin(min=2),
            knative(nodes=NODES, gpu_pods=HELD, revision={"pa": {"desired": 1}}),
            1,
            "fits-now",
            False,
            id="what runs already counts",
        ),
        pytest.param(
            RaiseMin(min=2, how=How.DURABLE),
            knative(nodes=NODES, revision={"pa": {"desired": 2}}),
            2,
            "fits-now",
            True,
            id="a new Revision starts all its pods anew",
        ),
        pytest.param(
            RaiseMin(min=0, how=How.DURABLE),
            knative(nodes=NODES, model={"main": Part(min_field=MIN, min=1)}),
            1,
            "fits-now",
            True,
            id="even lowering starts one pod of the new Revision",
        ),
        pytest.param(
            RaiseMin(min=3), standard(nodes=NODES, desired=1), 2, "fits-now", False, id="Standard"
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(nodes=NODES, model={"placement": Placement(selector={"pool": "b"})}),
            1,
            "no-free-gpu",
            False,
            id="a node selector that no node fits",
        ),
        pytest.param(
            RaiseMin(min=1),
            knative(nodes=NODES, model={"placement": Placement(affinity=True)}),
            1,
            "unknown",
            False,
            id="affinity is not compared",
        ),
    ],
)
def test_effects(
    wanted: RaiseMin, facts: Facts, pods: int, capacity: str, new_revision: bool
) -> None:
    effects = drafted(wanted, facts).effects
    assert (effects.pods, effects.capacity, effects.new_revision) == (pods, capacity, new_revision)
    assert effects.gpus == {"nvidia.com/gpu": pods}


def test_eta_is_the_models_own_median() -> None:
    assert drafted(RaiseMin(min=1), knative(ready_starts_s=(30.0, 40.0))).effects.eta_p50_s is None
    lengths = (30.0, 40.0, 90.0)
    assert drafted(RaiseMin(min=1), knative(ready_starts_s=lengths)).effects.eta_p50_s == 40.0


def test_undo_goes_backwards_and_restores_absence() -> None:
    facts = knative(revision={"min_scale": None})
    draft = drafted(RaiseMin(min=1, how=How.IN_PLACE_THEN_DURABLE), facts)
    assert [(c.object, c.before, c.after) for c in draft.inverse] == [
        (ISVC, 1, 0),
        (REVISION, "1", None),
    ]

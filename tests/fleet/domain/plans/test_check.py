"""Still as planned, warm-up plans, free GPUs."""

from dataclasses import replace
from typing import Any

import pytest

from fleet.domain.plans.capacity import GpuPod, Node, Placement, fit, free_gpus
from fleet.domain.plans.check import differs, seen_of, traffic_differs
from fleet.domain.plans.facts import Facts, ModelNow, Part
from fleet.domain.plans.params import WarmUp
from fleet.domain.plans.plan import Change, Draft, Notice
from fleet.domain.plans.warm_up import plan_warm_up
from fleet.domain.records.keys import Mode

CHANGE = Change(object="o", uid="u1", field="spec.replicas", before=0, after=1)


def raw(value: Any, uid: str = "u1", owner: str = "", **meta: Any) -> dict[str, Any]:
    spec = {} if value is None else {"replicas": value}
    fields = [{"manager": owner, "fieldsV1": {"f:spec": {"f:replicas": {}}}}] if owner else []
    return {"metadata": {"uid": uid, "managedFields": fields, **meta}, "spec": spec}


@pytest.mark.parametrize(
    ("now", "code"),
    [
        pytest.param(raw(0), None, id="nothing moved"),
        pytest.param(raw(1, owner="pilot-light"), None, id="our new value is there already: done"),
        pytest.param(raw(1, owner="kubectl-edit"), "value-changed", id="theirs, though the same"),
        pytest.param(raw(2), "value-changed", id="somebody set another value"),
        pytest.param(raw(None), "value-changed", id="somebody removed the field"),
        pytest.param(raw("0"), "value-changed", id="another type is another value"),
        pytest.param(raw(0, uid="u2"), "another-object", id="deleted and made again"),
        pytest.param(raw(0, deletionTimestamp="2026-11-30T10:00:00Z"), "being-deleted", id="going"),
        pytest.param(raw(0, owner="argocd-controller"), "owner-changed", id="Git took the field"),
        pytest.param(raw(0, owner="pilot-light"), None, id="our own writes are no stranger's"),
    ],
)
def test_differs(now: dict[str, Any], code: str | None) -> None:
    found = differs(CHANGE, now, owners=())
    assert (found.code if found else None) == code


def test_a_removed_field_has_no_owner_to_ask_for() -> None:
    assert differs(replace(CHANGE, before=1, after=None), raw(None), owners=()) is None


def test_what_is_kept_with_a_plan() -> None:
    kept = seen_of([CHANGE], {"o": raw(0, owner="kubectl")})
    assert kept == {"o": {"uid": "u1", "owners": {"spec.replicas": ["kubectl"]}}}


def test_traffic_that_moved_to_another_revision() -> None:
    assert traffic_differs([["a", 100]], (("a", 90),)) is None
    found = traffic_differs([["a", 100]], (("b", 100),))
    assert found is not None
    assert found.code == "traffic-changed"


def asleep(**given: Any) -> Facts:
    model = ModelNow(
        object="o", uid="u", mode=Mode.KNATIVE, main=Part(min_field="f", min=0), gpus={"x/gpu": 2}
    )
    model = replace(model, **given.pop("model", {}))
    return Facts(**{"model": model, "desired": 0, "can_ask": True, **given})


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        pytest.param(asleep(model={"mode": Mode.STANDARD}), "no-activator", id="Standard at zero"),
        pytest.param(asleep(model={"mode": Mode.LLM}), "no-activator", id="LLM at zero"),
        pytest.param(asleep(has_address=False), "no-address", id="never became ready"),
        pytest.param(asleep(can_ask=False), "route-not-allowed", id="no host allowed"),
        pytest.param(asleep(model={"stopped": True}), "stopped", id="stopped"),
    ],
)
def test_warm_up_refused(facts: Facts, code: str) -> None:
    found = plan_warm_up(WarmUp(), facts)
    assert isinstance(found, Notice)
    assert found.code == code


def test_warm_up_of_a_sleeping_model_needs_its_gpus() -> None:
    found = plan_warm_up(WarmUp(timeout_s=30), asleep(ready_starts_s=(50.0, 60.0, 70.0)))
    assert isinstance(found, Draft)
    assert (found.changes, found.effects.pods, found.effects.gpus) == ((), 1, {"x/gpu": 2})
    assert [n.code for n in found.warnings] == ["counts-as-traffic", "timeout-below-start"]


def test_warm_up_of_a_standard_model_that_runs() -> None:
    facts = asleep(model={"mode": Mode.STANDARD}, desired=1, ready=1)
    found = plan_warm_up(WarmUp(), facts)
    assert isinstance(found, Draft)
    assert found.effects.pods == 0


def test_free_gpus_leave_out_what_cannot_be_used() -> None:
    nodes = (
        Node(name="a", usable=True, gpus={"x/gpu": 4}),
        Node(name="b", usable=False, gpus={"x/gpu": 8}),
    )
    pods = (GpuPod(node="a", resource="x/gpu", gpus=3), GpuPod(node="", resource="x/gpu", gpus=1))
    assert free_gpus(nodes, pods) == {"a": {"x/gpu": 1}}


def test_a_pod_never_spans_nodes() -> None:
    nodes = tuple(Node(name=n, usable=True, gpus={"x/gpu": 1}) for n in "ab")
    found = fit(
        pods=1,
        per_pod={"x/gpu": 2},
        nodes=nodes,
        held=(),
        placement=Placement(),
        home=frozenset(),
    )
    assert found == ("no-free-gpu", {"x/gpu": 2})


RESERVED = ("reserved", "pilot", "NoSchedule")


@pytest.mark.parametrize(
    ("node", "placement", "expected"),
    [
        pytest.param({}, {}, True, id="nothing asked, nothing in the way"),
        pytest.param({"labels": {"pool": "h"}}, {"selector": {"pool": "h"}}, True, id="selected"),
        pytest.param({"labels": {"pool": "h"}}, {"selector": {"pool": "l"}}, False, id="another"),
        pytest.param({"taints": (RESERVED,)}, {}, False, id="a taint that is not tolerated"),
        pytest.param(
            {"taints": (RESERVED,)},
            {"tolerations": (("reserved", "pilot", "NoSchedule"),)},
            True,
            id="tolerated",
        ),
        pytest.param(
            {"taints": (RESERVED,)},
            {"tolerations": (("reserved", "other", ""),)},
            False,
            id="tolerated with another value only",
        ),
        pytest.param(
            {"taints": (RESERVED,)}, {"tolerations": (("", None, ""),)}, True, id="tolerates all"
        ),
        pytest.param(
            {"taints": (("x/gpu", "present", "NoSchedule"),)},
            {},
            True,
            id="a taint named like the GPU that is asked for",
        ),
        pytest.param(
            {"taints": (("slow", "", "PreferNoSchedule"),)}, {}, True, id="a mere preference"
        ),
    ],
)
def test_where_a_pod_may_go(
    node: dict[str, Any], placement: dict[str, Any], expected: bool
) -> None:
    made = Node(name="n", usable=True, **node)
    assert Placement(**placement).allows(made, resources=["x/gpu"]) is expected


def test_with_affinity_only_its_old_nodes_are_sure() -> None:
    nodes = (Node(name="a", usable=True, gpus={"x/gpu": 1}),)
    given: dict[str, Any] = {"per_pod": {"x/gpu": 1}, "nodes": nodes, "held": ()}
    bound = Placement(affinity=True)
    home = frozenset({"a"})
    assert fit(pods=1, placement=bound, home=home, **given)[0] == "fits-now"
    assert fit(pods=2, placement=bound, home=home, **given)[0] == "unknown"
    assert fit(pods=1, placement=bound, home=frozenset(), **given) == ("unknown", None)

"""What a plan is made from: the live objects, read just before, and what history knows."""

from dataclasses import dataclass, field
from typing import Any

from fleet.domain.plans.capacity import GpuPod, Node, Placement
from fleet.domain.records.keys import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Autoscaler:
    """A Knative PodAutoscaler as read. desired, actual: None before its first decision.
    min_scale, max_scale: annotations as written, None where absent."""

    object: str
    uid: str
    min_scale: str | None = None
    max_scale: str | None = None
    reachability: str = ""
    deployment: str = ""
    desired: int | None = None
    actual: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficRevision:
    """A Knative Revision that gets traffic. min_scale, max_scale: annotations as written, None
    where absent. template_repeats: whether its Deployment's pod template repeats autoscaling
    annotations; None = could not be read."""

    object: str
    uid: str
    name: str
    percent: int
    min_scale: str | None = None
    max_scale: str | None = None
    floor: int = 0
    ceiling: int = 0
    activation_scale: int | None = None
    template_repeats: bool | None = None
    autoscaler: Autoscaler | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Where a floor is written on the model's own object: field names and what stands there. A
    ceiling of None is not written; max_field is "" where the object has no such field."""

    min_field: str
    min: int | None
    max_field: str = ""
    max: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNow:
    """The InferenceService or LLMInferenceService as read.

    autoscaler_class: hpa, keda, none, external ("" = not said, hpa). floor_least: what the object
    accepts at least. gitops: mark or manager of a GitOps tool, "" = none seen. gpus: per
    pod, by resource name.
    """

    object: str
    uid: str
    mode: Mode
    deleting: bool = False
    stopped: bool = False
    auto_update_disabled: bool = False
    autoscaler_class: str = ""
    gitops: str = ""
    main: Part
    prefill: Part | None = None
    floor_least: int = 0
    initial_scale: int = 1
    gpus: dict[str, int] = field(default_factory=dict)
    placement: Placement = field(default_factory=Placement)
    traffic: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """knative: version of the controller, "" = unknown. desired, ready: replicas as last observed.
    nodes: None = may not be read. home_nodes: where this model's pods ran. ready_starts_s: lengths
    of its comparable ready starts. has_address: it has a route. can_ask: a request may be sent
    there."""

    read_only: bool = False
    knative: str = ""
    model: ModelNow
    revisions: tuple[TrafficRevision, ...] = ()
    desired: int | None = None
    ready: int = 0
    nodes: tuple[Node, ...] | None = None
    gpu_pods: tuple[GpuPod, ...] = ()
    home_nodes: frozenset[str] = frozenset()
    ready_starts_s: tuple[float, ...] = ()
    has_address: bool = True
    can_ask: bool = False

    def seen(self) -> dict[str, Any]:
        """Traffic as kept with the plan, for "still as planned"."""
        return {"traffic": [list(target) for target in self.model.traffic]}

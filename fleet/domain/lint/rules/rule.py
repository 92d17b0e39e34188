"""What a rule is, and what its check may find."""

import dataclasses
import math
from collections.abc import Callable, Mapping

from fleet.domain.lint.given import Given
from fleet.domain.lint.measured import Lengths, Measured
from fleet.domain.lint.patches import template_effect, template_gpus
from fleet.domain.lint.records import Effect, Severity
from fleet.domain.lint.settings import Settings
from fleet.domain.records.keys import Mode


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding without its rule's name. object_ref: "" = the model's own object."""

    severity: Severity
    field: str = ""
    params: Mapping[str, object] = dataclasses.field(default_factory=dict)
    measured: Mapping[str, float] = dataclasses.field(default_factory=dict)
    patch: str = ""
    effect: Effect = Effect.NONE
    extra_gpus: int | None = None
    object_ref: str = ""


Check = Callable[[Settings, Measured], Found | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """code, slug: as in docs/rules. check: None where nothing is to be said."""

    code: str
    slug: str
    check: Check


def retemplated(
    settings: Settings,
    severity: Severity,
    *,
    field: str,
    patch: str,
    params: Mapping[str, object],
    measured: Mapping[str, float] | None = None,
) -> Found:
    """A finding whose patch changes the pod's template."""
    return Found(
        severity=severity,
        field=field,
        params=params,
        measured=measured or {},
        patch=patch,
        effect=template_effect(settings),
        extra_gpus=template_gpus(settings),
    )


def figures(lengths: Lengths) -> dict[str, float]:
    """What a finding rests on: the p95 or the longest, and of how many."""
    return {f"{lengths.basis}_s": round(lengths.reach_s, 1), "n": lengths.n}


def unless_raised(given: Given[float]) -> Severity:
    """An error, or a warning where a ConfigMap that was not read may say otherwise."""
    return Severity.ERROR if given.certain else Severity.WARNING


def minutes_up(seconds: float) -> int:
    return max(math.ceil(seconds / 60.0), 1)


def is_asleep_at_times(settings: Settings) -> bool:
    """Whether Knative takes it to zero. Source: knative/serving pkg/reconciler/autoscaling: the
    class hpa never does."""
    scaling = settings.scaling
    knative = settings.mode is Mode.KNATIVE and scaling.class_.value == "kpa"
    return knative and scaling.sleeps and scaling.min.value == 0

"""What lint says of one model's settings."""

import dataclasses
from collections.abc import Mapping
from enum import StrEnum


class Severity(StrEnum):
    """error: it fails, or will at the next start. warning: it costs requests or minutes. advice:
    it could be better."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


class Effect(StrEnum):
    """What following the advice does to what runs."""

    NONE = "none"
    IN_PLACE = "in-place"
    NEW_REVISION = "new-revision"
    ROLLS_PODS = "rolls-pods"
    ROLLS_ALL_MODELS = "rolls-all-models"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LintFinding:
    """One advice.

    code: such as PL001; its page is docs/rules/PL001.md. slug: its name in words. object_ref:
    whose setting it is, "Kind/namespace/name"; field: the setting. params: what the sentence needs.
    measured: figures of this model that it rests on, by name with unit; empty = it rests on
    settings alone. patch: to copy, as YAML; "" where there is none. extra_gpus: further GPUs
    while it is followed, None = not known.
    """

    code: str
    slug: str
    severity: Severity
    object_ref: str
    field: str = ""
    params: Mapping[str, object] = dataclasses.field(default_factory=dict)
    measured: Mapping[str, float] = dataclasses.field(default_factory=dict)
    patch: str = ""
    effect: Effect = Effect.NONE
    extra_gpus: int | None = None

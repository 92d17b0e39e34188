"""The next best step for a model's starts, as its page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dashboard.charts.spoken import clock_text
from dashboard.next_steps import Advice, advice
from dashboard.words import PHASE_LABELS, Words, word
from fleet.domain.compare.next_step import NextSteps
from fleet.domain.compare.numbers import ENOUGH_FOR_P50
from fleet.domain.compare.remedies import NextStep, StepCode

# Where the makers say more; a step that is not here has no page of its own.
DOCS: Mapping[StepCode, str] = {
    StepCode.KEEP_WEIGHTS_NEAR: (
        "https://kserve.github.io/website/docs/model-serving/generative-inference/modelcache/"
        "localmodel"
    ),
    StepCode.PERSIST_COMPILE_CACHE: "https://docs.vllm.ai/en/latest/design/torch_compile/",
    StepCode.PREFETCH_WEIGHTS: "https://docs.vllm.ai/en/latest/api/vllm/config/load/",
    StepCode.FASTER_LOADER: "https://docs.vllm.ai/en/latest/api/vllm/config/load/",
    StepCode.KEEP_WARM: "https://knative.dev/docs/serving/autoscaling/scale-bounds/",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """One step. gain: what it saves, and how that is known. docs: "" = none."""

    advice: Advice
    gain: str
    docs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStepCard:
    """n: starts that were looked at, too_few: under what a median needs. worst: the longest phase,
    "" = none known."""

    n: int
    too_few: bool
    enough: int
    worst: Words
    worst_s: float | None
    best: StepLine | None
    others: tuple[StepLine, ...]


def next_step_card(found: NextSteps) -> NextStepCard:
    lines = tuple(_line(step) for step in found.steps)
    return NextStepCard(
        n=found.n,
        too_few=found.n < ENOUGH_FOR_P50,
        enough=ENOUGH_FOR_P50,
        worst=word(PHASE_LABELS, found.worst) if found.worst else "",
        worst_s=found.worst_s,
        best=lines[0] if lines else None,
        others=lines[1:],
    )


def _line(step: NextStep) -> StepLine:
    return StepLine(advice=advice(step), gain=gain(step), docs=DOCS.get(step.code, ""))


def gain(step: NextStep) -> str:
    """Seconds saved by own starts, or the most that it can be."""
    named = {"spends": clock_text(step.spends_s), "n": step.n, "with": step.n_with}
    if step.avoids:
        return _("avoids a wait of %(spends)s, the median of %(n)d starts") % named
    if step.saves_s is None:
        most = _("saves at most %(spends)s a start, the median of %(n)d") % named
        return f"{most}; {_('too few own starts have it to tell how much')}"
    named["saves"] = clock_text(step.saves_s)
    return _("saves about %(saves)s a start: %(with)d own starts have it, %(n)d do not") % named

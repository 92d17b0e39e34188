"""What a piece of advice on settings says, in sentences; codes: `fleet.domain.lint.table`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.lint_says import limits, pods, probes, scaling
from dashboard.lint_says.sentence import Sentence
from dashboard.words import Words
from fleet.domain.lint.records import Effect, LintFinding, Severity

MINUTE_S = 60
SENTENCES: Mapping[str, tuple[Sentence, ...]] = {
    **limits.SENTENCES,
    **probes.SENTENCES,
    **scaling.SENTENCES,
    **pods.SENTENCES,
}
PAGE = "docs/rules/%s.md"

SEVERITY_LABELS: Mapping[Severity, Words] = {
    Severity.ERROR: gettext_lazy("error"),
    Severity.WARNING: gettext_lazy("warning"),
    Severity.ADVICE: gettext_lazy("advice"),
}
EFFECT_LABELS: Mapping[Effect, Words] = {
    Effect.NONE: gettext_lazy("Nothing that runs is changed"),
    Effect.IN_PLACE: gettext_lazy("In place: no pod is restarted"),
    Effect.NEW_REVISION: gettext_lazy(
        "A new revision: it starts beside the old one, which serves until then"
    ),
    Effect.ROLLS_PODS: gettext_lazy("The pods are replaced one after the other"),
    Effect.ROLLS_ALL_MODELS: gettext_lazy("The pods of all models of the cluster are replaced"),
}
LAYER_LABELS: Mapping[str, Words] = {
    "response-start": gettext_lazy("the limit for the first byte (responseStartTimeoutSeconds)"),
    "request": gettext_lazy("the limit of the whole request (timeoutSeconds)"),
    "ingress": gettext_lazy("the load balancer in front"),
}


@dataclass(frozen=True, slots=True)
class LintWords:
    """title: what is wrong. why: what it does, with this model's figures. does: what following it
    does to what runs. rests_on: the measured figures, "" where it rests on settings alone."""

    title: str
    why: str
    does: str
    rests_on: str
    page: str


def lint_words(finding: LintFinding) -> LintWords:
    """The sentences of one finding."""
    sentence = _of(finding)
    return LintWords(
        title=str(sentence.title),
        why=str(sentence.why) % values_of(finding.params),
        does=does(finding),
        rests_on=rests_on(finding),
        page=PAGE % finding.code,
    )


def _of(finding: LintFinding) -> Sentence:
    """A variant's own sentence, else the rule's."""
    variants = SENTENCES[finding.code]
    return next((each for each in variants if each.when(finding)), variants[-1])


def does(finding: LintFinding) -> str:
    """The effect, and what it takes meanwhile."""
    label = str(EFFECT_LABELS[finding.effect])
    if not finding.extra_gpus:
        return f"{label}."
    gpus = _("GPUs needed besides: %(count)d") % {"count": finding.extra_gpus}
    return f"{label}. {gpus}."


def rests_on(finding: LintFinding) -> str:
    """Such as "p95 11 min 40 s, of 24 starts"."""
    shown = [_figure(name, value) for name, value in finding.measured.items() if name != "n"]
    n = finding.measured.get("n")
    return ", ".join([*shown, *([_("of %(n)d starts") % {"n": n}] if n else [])])


FIGURES: Mapping[str, Words] = {
    "p95_s": gettext_lazy("p95"),
    "longest_s": gettext_lazy("longest"),
    "p50_s": gettext_lazy("p50"),
    "fetch_p50_s": gettext_lazy("p50 of fetching"),
    "compile_p50_s": gettext_lazy("p50 of compiling"),
    "share": gettext_lazy("share"),
    "from_zero": gettext_lazy("starts from zero"),
    "sequences": gettext_lazy("requests of full length that the KV cache holds"),
    "broken_answers": gettext_lazy("broken answers"),
    "free_gpus": gettext_lazy("free GPUs"),
}


def _figure(name: str, value: float) -> str:
    if name.endswith("_s"):
        return f"{FIGURES[name]} {length_text(value)}"
    shown = f"{100 * value:.0f} %" if name == "share" else f"{value:g}"
    return f"{FIGURES[name]} {shown}"


def length_text(seconds: float) -> str:
    """With its units, as settings are written: "90 s", "10 min", "11 min 40 s"."""
    if seconds < 2 * MINUTE_S:
        return f"{round(seconds, 1):g} s"
    minutes, rest = divmod(round(seconds), MINUTE_S)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def values_of(params: Mapping[str, object]) -> dict[str, str]:
    """Params as they stand in sentences."""
    return {name: _shown(name, value) for name, value in params.items()}


def _shown(name: str, value: Any) -> str:
    """Names of layers in words, seconds as lengths, lists as one text."""
    if name == "layer":
        return str(LAYER_LABELS[str(value)])
    if name.endswith("_s") and isinstance(value, int | float):
        return length_text(float(value))
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "–" if value is None else str(value)

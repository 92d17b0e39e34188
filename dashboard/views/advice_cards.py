"""Advice as values: everything that `partials/advice.html` shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.lint_words import SENTENCES, SEVERITY_LABELS, lint_words
from dashboard.profile_words import PROFILE_LABELS, VerdictWords, verdict_words
from dashboard.words import Words
from fleet.domain.lint.profiles import profile_of
from fleet.domain.lint.records import LintFinding
from fleet.history.insight_shapes import lint_of, verdict_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceCard:
    """One advice. patch: "" = none to copy. rests_on: measured figures, "" = settings alone."""

    code: str
    severity: str
    severity_words: Words
    title: str
    why: str
    object: str
    field: str
    rests_on: str
    patch: str
    effect: str
    does: str

    @property
    def patch_id(self) -> str:
        return f"patch-{self.code}"


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One expectation of a profile. met: met, not-met, unknown."""

    met: str
    words: VerdictWords


@dataclass(frozen=True, slots=True)
class ProfileCard:
    """What the model's team wants of it."""

    name: Words
    lines: tuple[VerdictLine, ...]


def profile_card(kept: Mapping[str, Any]) -> ProfileCard | None:
    """Of a profile as it is kept; None without one."""
    profile = profile_of(str(kept.get("profile") or ""))
    if profile is None:
        return None
    verdicts = (verdict_of(each) for each in kept.get("verdicts") or ())
    lines = (VerdictLine(each.met.value, verdict_words(each)) for each in verdicts if each)
    return ProfileCard(PROFILE_LABELS[profile], tuple(lines))


def advice_cards(kept: Iterable[Mapping[str, Any]]) -> list[AdviceCard]:
    """Of advice as it is kept, worst first; codes that this release does not know are left out."""
    return [advice_card(lint_of(each)) for each in kept if each.get("code") in SENTENCES]


def advice_card(advice: LintFinding) -> AdviceCard:
    words = lint_words(advice)
    return AdviceCard(
        code=advice.code,
        severity=advice.severity.value,
        severity_words=SEVERITY_LABELS[advice.severity],
        title=words.title,
        why=words.why,
        object=advice.object_ref,
        field=advice.field,
        rests_on=words.rests_on,
        patch=advice.patch,
        effect=advice.effect.value,
        does=words.does,
    )

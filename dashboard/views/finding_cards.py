"""Findings as values: everything that `partials/finding.html` and `finding_cell.html` show."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.cause_words import cause_words, confidence_words
from dashboard.finding_words import summary_of
from dashboard.remedy_words import REMEDY_ACTIONS, REMEDY_LABELS, REMEDY_RULES
from dashboard.words import Words, word
from fleet.domain.diagnosis.records import Cause, Finding, Piece, Remedy
from fleet.domain.plans.params import ActionName
from fleet.history.insight_shapes import finding_of

KIND_LABELS: Mapping[str, Words] = {
    "object": gettext_lazy("object"),
    "event": gettext_lazy("event"),
    "log": gettext_lazy("log"),
    "metric": gettext_lazy("metric"),
    "config": gettext_lazy("setting"),
}
# Where a piece of evidence can be looked at; "" = nowhere.
Places = Callable[[Piece], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceLine:
    """One piece of evidence. href: "" = it has no place."""

    kind: Words
    ref: str
    says: str
    at: datetime | None
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyLine:
    """action: what our button for it does, "" = it is not ours to do. rule: of the advice on the
    same page whose patch does it, "" = none."""

    words: Words
    action: str
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingCard:
    """One finding. sure: like "likely, 0.7"; "" for one that names no cause."""

    cause: str
    title: Words
    summary: str
    sure: str
    pieces: Sequence[PieceLine]
    remedies: Sequence[RemedyLine]

    @property
    def best(self) -> str:
        """The first remedy that a button does, "" without any."""
        return next((each.action for each in self.remedies if each.action), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLine:
    """The top finding as a fleet row says it. pieces: how much evidence. more: further findings."""

    summary: str
    title: Words
    sure: str
    pieces: int
    more: int
    best: str


def nowhere(piece: Piece) -> str:
    """A bundle that somebody uploaded is not kept: its evidence has no page."""
    return ""


def finding_cards(
    kept: Iterable[Mapping[str, Any]], places: Places = nowhere, *, rules: Collection[str] = ()
) -> list[FindingCard]:
    """Of findings as they are kept. rules: codes of the advice beside them that has a patch."""
    return [finding_card(finding_of(each), places, rules=rules) for each in kept]


def finding_card(
    finding: Finding, places: Places = nowhere, *, rules: Collection[str] = ()
) -> FindingCard:
    return FindingCard(
        cause=finding.cause.value,
        title=cause_words(finding.cause),
        summary=summary_of(finding),
        sure=_sure(finding),
        pieces=[_line(piece, places) for piece in finding.evidence],
        remedies=[_remedy(remedy, rules) for remedy in finding.remedies],
    )


def finding_line(top: Mapping[str, Any]) -> FindingLine:
    """Of what a fleet row keeps."""
    finding = finding_of(top)
    actions = (action_of(remedy) for remedy in finding.remedies)
    return FindingLine(
        summary=summary_of(finding),
        title=cause_words(finding.cause),
        sure=_sure(finding),
        pieces=int(top.get("evidence_count") or 0),
        more=max(0, int(top.get("count") or 1) - 1),
        best=next((action for action in actions if action), ""),
    )


def action_of(remedy: Remedy) -> str:
    """The action of ours that does it, "" = none."""
    action: ActionName | None = REMEDY_ACTIONS.get(remedy)
    return action.value if action else ""


def _sure(finding: Finding) -> str:
    if finding.cause in (Cause.NONE, Cause.INSUFFICIENT_EVIDENCE):
        return ""
    named = {"sure": confidence_words(finding.confidence), "figure": f"{finding.confidence:.2f}"}
    return _("%(sure)s, %(figure)s") % named


def _remedy(remedy: Remedy, rules: Collection[str]) -> RemedyLine:
    rule = next((code for code in REMEDY_RULES.get(remedy, ()) if code in rules), "")
    return RemedyLine(words=word(REMEDY_LABELS, remedy), action=action_of(remedy), rule=rule)


def _line(piece: Piece, places: Places) -> PieceLine:
    return PieceLine(
        kind=word(KIND_LABELS, piece.kind),
        ref=piece.ref,
        says=piece.says,
        at=piece.at,
        href=places(piece),
    )

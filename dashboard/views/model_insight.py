"""What was concluded of a model, as its page shows it: findings, advice, and when it was looked
at."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from dashboard.live.fragments import Fragment
from dashboard.views.advice_cards import AdviceCard, ProfileCard, advice_cards, profile_card
from dashboard.views.finding_cards import FindingCard, Places, finding_cards
from dashboard.views.fleet_parts import aging_part, part
from fleet.domain.diagnosis.records import Piece
from fleet.domain.records.keys import ModelKey
from fleet.models import ModelInsight, ServedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightCards:
    """looked_at: None = never. asked: somebody or something asked for another look. problem: why
    the last look failed, "" = it did not. missing: what could not be read, and why."""

    findings: Sequence[FindingCard]
    advice: Sequence[AdviceCard]
    profile: ProfileCard | None
    looked_at: datetime | None
    asked: bool
    problem: str
    missing: Sequence[Mapping[str, Any]]
    has_objects: bool
    facts: object


NOTHING_YET = InsightCards(
    findings=(),
    advice=(),
    profile=None,
    looked_at=None,
    asked=False,
    problem="",
    missing=(),
    has_objects=False,
    facts=None,
)


def insight_cards(row: ServedModel) -> InsightCards:
    """Of the model's newest look. One query."""
    rows = ModelInsight.objects.filter(cluster=row.cluster, model_uid=row.model_uid)
    insight = rows.defer("objects_json").first()
    if insight is None:
        return NOTHING_YET
    problem = insight.problem or {}
    advice = advice_cards(insight.lint)
    rules = {line.code for line in advice if line.patch}
    return InsightCards(
        findings=finding_cards(insight.findings, places_of(row.key), rules=rules),
        advice=advice,
        profile=profile_card(insight.profile),
        looked_at=insight.diagnosed_at,
        asked=insight.due_at is not None,
        problem=str(problem.get("text") or ""),
        missing=problem.get("missing") or (),
        has_objects=insight.collected_at is not None,
        facts=(insight.version, insight.due_at is not None, insight.diagnosed_at),
    )


def insight_parts(cards: InsightCards, key: ModelKey, context: dict[str, Any]) -> list[Fragment]:
    """Findings, which tell an age, and advice. context: of the page, with `model`."""
    shown = {**context, "key": key, "insight": cards}
    acts = context["model"].may_act
    lint = (str(key), cards.advice, cards.profile)
    return [
        aging_part("model_findings", (str(key), cards.facts, acts), shown),
        part("model_advice", (*lint, cards.looked_at is None), shown),
    ]


def places_of(key: ModelKey) -> Places:
    """Evidence stands among the model's objects, events and logs, or in its chart."""
    page = reverse("model", args=(key.cluster, key.kind, key.namespace, key.name))
    objects = reverse("model-objects", args=(key.cluster, key.kind, key.namespace, key.name))

    def place(piece: Piece) -> str:
        if piece.kind == "metric":
            return f"{page}#timeline"
        whole = piece.ref.split("/")[:3] if piece.kind == "object" else [piece.ref]
        return f"{objects}#{anchor('/'.join(whole))}"

    return place


def anchor(ref: str) -> str:
    """An id for whatever a piece of evidence refers to."""
    return "e" + hashlib.sha256(ref.encode()).hexdigest()[:12]

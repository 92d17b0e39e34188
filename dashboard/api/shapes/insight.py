"""Findings and advice: codes as they are kept, with the sentences that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.kept_findings import kept_summary
from dashboard.lint_words import SENTENCES, lint_words
from fleet.history.insight_shapes import finding_of, lint_of
from fleet.models import ModelInsight, ServedModel


def top_finding(kept: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The contract's `finding`; None = nothing was found wrong, or nobody looked yet."""
    if kept is None:
        return None
    return {
        "cause": finding_of(kept).cause.value,
        "confidence": kept["confidence"],
        "summary": kept_summary(kept),
        "evidence_count": kept.get("evidence_count", 0),
        "count": kept.get("count", 1),
    }


def insight(row: ServedModel) -> dict[str, Any]:
    """`findings`, `lint` and when the model was looked at; empty and None = never. One query."""
    mine = ModelInsight.objects.filter(cluster=row.cluster, model_uid=row.model_uid)
    found = mine.only("findings", "lint", "diagnosed_at").first()
    return {
        "findings": [finding(each) for each in found.findings] if found else [],
        "lint": [lint(each) for each in found.lint if _known(each)] if found else [],
        "diagnosed_at": found.diagnosed_at if found else None,
    }


def finding(kept: Mapping[str, Any]) -> dict[str, Any]:
    """One finding with its evidence."""
    return {
        "cause": finding_of(kept).cause.value,
        "confidence": kept["confidence"],
        "phase": finding_of(kept).phase.value,
        "summary": kept_summary(kept),
        "evidence": kept.get("evidence") or [],
        "remedies": kept.get("remedies") or [],
    }


def _known(kept: Mapping[str, Any]) -> bool:
    """Whether this release has words for the rule."""
    return kept.get("code") in SENTENCES


def lint(kept: Mapping[str, Any]) -> dict[str, Any]:
    """One advice."""
    words = lint_words(lint_of(kept))
    return {
        "code": kept["code"],
        "slug": kept["slug"],
        "severity": kept["severity"],
        "object": kept["object"],
        "field": kept["field"] or None,
        "title": words.title,
        "why": words.why,
        "measured": kept["measured"],
        "patch": kept["patch"] or None,
        "effect": kept["effect"],
        "extra_gpus": kept["extra_gpus"],
    }

"""Sentences of findings as they are kept: codes and parameters, made words where they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.finding_words import summary_of
from dashboard.remedy_words import REMEDY_LABELS
from dashboard.words import word
from fleet.history.insight_shapes import finding_of


def kept_summary(kept: Mapping[str, Any]) -> str:
    """A finding in one sentence."""
    return str(kept.get("summary") or summary_of(finding_of(kept)))


def kept_remedies(kept: Mapping[str, Any]) -> list[str]:
    """What helps, best first."""
    return [str(word(REMEDY_LABELS, remedy)) for remedy in kept.get("remedies") or ()]

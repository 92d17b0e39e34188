"""Every code of plans and actions has a sentence."""

import re
from pathlib import Path

import pytest

from dashboard.action_words import (
    ACTION_LABELS,
    EVIDENCE,
    HOW_LABELS,
    REFUSALS,
    WARNINGS,
    WHEN_LABELS,
    evidence_words,
    sentence,
)
from fleet.domain.plans import raise_min, refusals, warm_up
from fleet.domain.plans.answers import UP, Verdict
from fleet.domain.plans.params import ActionName, How
from fleet.domain.plans.plan import When
from fleet.history.action_text import EVIDENCE_CHARS, evidence_of, evidence_text

FLEET = Path(__file__).parents[2] / "fleet"
SOURCES = [*(FLEET / "actions").glob("*.py"), *(FLEET / "domain" / "plans").glob("*.py")]


def written_codes() -> set[str]:
    """Codes that stand in the source as `code="…"`."""
    return {c for path in SOURCES for c in re.findall(r'code="([a-z-]+)"', path.read_text())}


def ruled_codes() -> set[str]:
    rows = (*refusals.MODEL_REFUSALS, *refusals.RAISE_REFUSALS, *warm_up.REFUSALS)
    return {row[0] for row in rows}


def warned_codes() -> set[str]:
    return {code for code, _ in raise_min.WARNINGS} | {"counts-as-traffic", "timeout-below-start"}


def test_every_code_has_a_sentence() -> None:
    assert written_codes(), "the source is where we look for it"
    assert written_codes() - warned_codes() - set(EVIDENCE) == set()
    assert warned_codes() - set(WARNINGS) == set()
    assert ruled_codes() - set(REFUSALS) == set()


def test_every_verdict_but_serves_has_a_sentence() -> None:
    names = {f"up-{v.value}" if v in UP else v.value for v in Verdict if v is not Verdict.SERVES}
    assert names - set(EVIDENCE) == set()


def test_every_word_of_a_closed_set_has_a_label() -> None:
    assert set(ACTION_LABELS) == set(ActionName)
    assert set(HOW_LABELS) == set(How)
    assert set(WHEN_LABELS) == set(When)


@pytest.mark.parametrize(
    "table", [REFUSALS, WARNINGS, EVIDENCE], ids=["refusal", "warning", "said"]
)
def test_a_missing_figure_breaks_no_sentence(table: dict[str, str]) -> None:
    for code in table:
        assert sentence(table, code, {})


def test_objects_read_by_kind_and_name() -> None:
    objects = ["serving.knative.dev/v1/Revision/chat/pilot-00001"]
    text = evidence_words(evidence_text("written", {"objects": objects}))
    assert text == "the cluster took the change: Revision pilot-00001"


def test_evidence_fits_its_column_and_keeps_its_code() -> None:
    kept = evidence_text("down", {"said": "x" * 5000, "status": 503})
    assert len(kept) <= EVIDENCE_CHARS
    assert evidence_of(kept)[0] == "down"
    many = evidence_text("down", {f"field-{n}": "x" * 50 for n in range(200)})
    assert (len(many) <= EVIDENCE_CHARS, evidence_of(many)) == (True, ("down", {}))
    assert evidence_of("plain words") == ("plain words", {})

"""What comparisons of revisions say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dashboard.compare_words import change_words, regression_words, signed
from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.records import Compared
from fleet.domain.compare.regression import Change, PhaseShift, Regression, Revision, Verdict

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
START = Compared(
    id=1,
    model="demo-a/InferenceService/chat/m",
    model_uid="uid",
    cluster="demo-a",
    started_at=NOW,
    outcome="ready",
    trigger="scale-from-zero",
    start_mode="cached-image",
    total_s=60.0,
)


def revision(number: int, n: int) -> Revision:
    starts = tuple(replace(START, id=each) for each in range(n))
    return Revision(name=f"m-predictor-{number:05d}", uid=f"r{number}", since=NOW, starts=starts)


CHANGE = Change(
    verdict=Verdict.SLOWER,
    before=revision(6, 12),
    after=revision(7, 14),
    effect_s=41.2,
    effect_share=0.52,
    chance=0.00002,
    phases=(
        PhaseShift(phase=Phase.LOAD_ENGINE, seconds=38.3),
        PhaseShift(phase=Phase.PULL_IMAGE, seconds=0.4),
        PhaseShift(phase=Phase.FETCH_MODEL, seconds=-6.0),
    ),
)


@pytest.mark.parametrize(
    ("change", "tone", "says", "more"),
    [
        pytest.param(
            CHANGE,
            "slower",
            "Revision 00007 starts 41 s slower than 00006 (n 14/12): load engine +38 s",
            "+52% · chance of that without a cause under 0.1 %",
            id="slower, with the phase that grew",
        ),
        pytest.param(
            replace(
                CHANGE,
                verdict=Verdict.FASTER,
                effect_s=-41.2,
                effect_share=-0.4,
                chance=0.004,
                phases=(PhaseShift(phase=Phase.FETCH_MODEL, seconds=-40.0),),
            ),
            "faster",
            "Revision 00007 starts 41 s faster than 00006 (n 14/12): fetch model −40 s",
            "-40% · chance of that without a cause 0.4 %",
            id="faster, with the phase that shrank",
        ),
        pytest.param(
            replace(CHANGE, phases=()),
            "slower",
            "Revision 00007 starts 41 s slower than 00006 (n 14/12)",
            "+52% · chance of that without a cause under 0.1 %",
            id="no phase stands out",
        ),
        pytest.param(
            replace(CHANGE, verdict=Verdict.NONE, effect_s=2.0),
            "none",
            "No difference between 00007 and 00006 that the data can show (n 14/12).",
            "Middle shift +2.0 s; said from 10 % and 5 s on, if hardly by chance.",
            id="no difference that the data can show",
        ),
        pytest.param(
            Change(verdict=Verdict.TOO_FEW, before=revision(6, 12), after=revision(7, 3)),
            "too-few",
            "Too few starts to compare: 00007 has 3, 00006 12; 8 are needed.",
            "",
            id="too few of the newer",
        ),
        pytest.param(
            Change(verdict=Verdict.TOO_FEW, before=None, after=revision(7, 30)),
            "too-few",
            "Too few starts to compare: no earlier revision has 8.",
            "",
            id="nothing before it",
        ),
    ],
)
def test_a_change_in_a_sentence(change: Change, tone: str, says: str, more: str) -> None:
    words = change_words(change)
    assert (words.tone, words.says, words.more) == (tone, says, more)


def test_what_stands_is_told_before_the_newest() -> None:
    newest = Change(verdict=Verdict.TOO_FEW, before=revision(7, 14), after=revision(8, 1))
    found = Regression(mode="cached-image", changes=(CHANGE, newest), standing=CHANGE)
    assert regression_words(found).tone == "slower"
    assert regression_words(replace(found, standing=None)).tone == "too-few"


def test_one_revision_alone_has_nothing_to_be_compared_with() -> None:
    alone = Change(verdict=Verdict.TOO_FEW, before=None, after=revision(1, 30))
    found = Regression(mode="cached-image", changes=(alone,), standing=None)
    assert "one revision only" in regression_words(found).says
    assert "one revision only" in regression_words(replace(found, changes=())).says


@pytest.mark.parametrize(
    ("seconds", "text"), [(38.0, "+38 s"), (-70.0, "−1:10"), (0.04, "0 s"), (0.3, "+0.3 s")]
)
def test_differences_have_their_sign(seconds: float, text: str) -> None:
    assert signed(seconds) == text

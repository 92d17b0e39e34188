"""Steps as sentences."""

import pytest

from dashboard.next_steps import ADVICE, advice, saving_text
from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.remedies import NextStep, StepCode


def test_every_step_has_its_sentences() -> None:
    assert set(ADVICE) == set(StepCode)


@pytest.mark.parametrize(
    ("step", "text"),
    [
        pytest.param(
            NextStep(
                code=StepCode.PREPULL_IMAGE,
                phase=Phase.PULL_IMAGE,
                spends_s=200.0,
                n=9,
                saves_s=196.4,
                n_with=5,
            ),
            "about 196 s (9 starts without it, 5 with it)",
            id="known from own starts",
        ),
        pytest.param(
            NextStep(
                code=StepCode.FEWER_CAPTURE_SIZES, phase=Phase.LOAD_ENGINE, spends_s=17.2, n=9
            ),
            "at most 17 s (median of 9 starts); too few starts of this model have it to tell more",
            id="not known",
        ),
        pytest.param(
            NextStep(
                code=StepCode.KEEP_WARM,
                phase=Phase.DECIDE,
                spends_s=84.0,
                n=9,
                saves_s=84.0,
                avoids=True,
            ),
            "avoids about 84 s of waiting each time",
            id="avoids starts",
        ),
    ],
)
def test_what_it_saves(step: NextStep, text: str) -> None:
    assert saving_text(step) == text
    assert str(advice(step).does)

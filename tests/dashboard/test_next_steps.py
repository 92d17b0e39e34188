"""Steps as sentences."""

import pytest

from dashboard.next_steps import ADVICE, advice
from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.remedies import NextStep, StepCode


def test_every_step_has_its_sentences() -> None:
    assert set(ADVICE) == set(StepCode)


@pytest.mark.parametrize("code", StepCode)
def test_a_step_says_what_to_do_why_and_where_it_does_not_help(code: StepCode) -> None:
    found = advice(NextStep(code=code, phase=Phase.LOAD_ENGINE, spends_s=17.2, n=9))
    assert all(map(str, (found.does, found.because, found.only)))

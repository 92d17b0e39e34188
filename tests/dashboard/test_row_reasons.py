"""Why a row is in its state: what its last start knows is told where the state knows less."""

from typing import Any

import pytest

from dashboard.row_reasons import reason_of
from fleet.models import ServedModel

GIVEN_UP = {"revision": "m-00002", "reason": "ExitCode1"}
FAILED = {
    "revision": "m-00002",
    "outcome": "failed",
    "failure": {"class": "out-of-memory", "reason": "cuda_oom: CUDA out of memory"},
}


@pytest.mark.parametrize(
    ("last", "told"),
    [
        pytest.param(FAILED, "m-00002 cannot serve: cuda_oom: CUDA out of memory", id="its cause"),
        pytest.param(None, "m-00002 cannot serve: ExitCode1", id="no start was seen"),
        pytest.param(
            FAILED | {"revision": "m-00001"}, "m-00002 cannot serve: ExitCode1", id="an older one's"
        ),
        pytest.param(
            FAILED | {"outcome": "ready", "failure": None},
            "m-00002 cannot serve: ExitCode1",
            id="the last start was fine",
        ),
        pytest.param(
            FAILED | {"failure": {"class": "crash", "reason": ""}},
            "m-00002 cannot serve: ExitCode1",
            id="a start that knows no more",
        ),
    ],
)
def test_a_revision_that_was_given_up(last: dict[str, Any] | None, told: str) -> None:
    row = ServedModel(state_code="revision-failed", state_params=GIVEN_UP, last_start=last)
    assert told in reason_of(row, stale=False)


def test_other_states_are_told_as_they_are() -> None:
    row = ServedModel(state_code="ready", state_params={}, last_start=FAILED)
    assert reason_of(row, stale=True) == "Last seen: Serving"

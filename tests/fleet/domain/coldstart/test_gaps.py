"""All watches cut at a bad moment and listed again: recorded starts stay right."""

import pytest

from tests.fleet.domain.scoring import faults
from tests.fleet.domain.streams import lines, named, starts_of, truth, with_gap


@pytest.mark.parametrize(
    ("number", "begin", "end"),
    [
        pytest.param("05", "09:31:01", "09:31:08", id="asleep and pinned awake, unseen"),
        pytest.param("15", "09:35:48", "09:35:55", id="asleep and woken for two, unseen"),
        pytest.param("19", "09:35:52", "09:35:59", id="asleep and woken, unseen"),
        pytest.param("09", "09:30:48", "09:31:01", id="ready and routed, unseen"),
        pytest.param("17", "09:35:52", "09:36:09", id="ready and routed and more, unseen"),
    ],
)
def test_a_gap_of_all_watches_costs_nothing_that_stamps_and_numbers_tell(
    number: str, begin: str, end: str
) -> None:
    stream = lines(named(number))
    for resource in sorted({line["resource"] for line in stream}):
        stream = with_gap(stream, resource, f"2026-11-30T{begin}", f"2026-11-30T{end}")
    found = starts_of(stream)
    happened = truth(named(number))["starts"]
    wrong = {true["pod"]: faults(found.get(true["pod_uid"]), true) for true in happened}
    assert {pod: said for pod, said in wrong.items() if said} == {}

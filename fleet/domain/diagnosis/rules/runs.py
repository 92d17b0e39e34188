"""What is known of the run of a container that ended: whether it had served."""

from fleet.domain.diagnosis.case import Case
from fleet.domain.diagnosis.places import Where

_SAID = ("application startup complete", "uvicorn running on", "avg generation throughput")
# No start takes so long.
# A pod that turned ready later than this after its start had been ready before.
LONGEST_S = 2 * 3600.0
_SURELY_SERVED_S = 3 * 3600.0


def had_served(case: Case) -> bool:
    """By its own words, or by its length."""
    said = any(
        each.previous and any(sign in each.low for sign in _SAID)
        for each in case.all_texts
        if each.where is Where.ENGINE
    )
    return said or any(
        (each.latest_ending.ran_s or 0.0) > _SURELY_SERVED_S
        for _, each in case.models
        if each.latest_ending is not None
    )

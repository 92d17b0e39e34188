"""More work than it could do some minutes ago: the queue is gone, callers still count the answers.

A warm replica is the proof: behind none, a queue is a start's.
"""

from datetime import datetime, timedelta

from fleet.domain.diagnosis.case import Case, measured
from fleet.domain.diagnosis.claims import LIKELY, Seen, piece
from fleet.domain.diagnosis.evidence import Sample
from fleet.domain.diagnosis.podview import ready_at
from fleet.domain.diagnosis.rules.counted import TIMED_OUT, Rise, rises
from fleet.domain.diagnosis.rules.load import QUEUED, WAITING, queued, waiting

_NO_ROOM = frozenset({"503"})
# A time-out is counted when the wait ends, up to a window after the queue was seen.
_LATER = timedelta(seconds=60)


def was_overloaded(case: Case) -> Seen | None:
    """Every refusal and time-out came while requests waited at a replica that was warm; now none
    waits."""
    failed = rises(case, TIMED_OUT | _NO_ROOM)
    if not failed or case.starting or waiting(case) > 0 or queued(case) > 0:
        return None
    first = min(each.since for each in failed)
    warm = next((each for each in case.ready if _ready_before(ready_at(each), first)), None)
    stood = [each for each in case.series.all(*WAITING, *QUEUED) if each.value > 0]
    if warm is None or not all(_while_it_stood(each, stood) for each in failed):
        return None
    most = max(stood, key=lambda each: each.value)
    return Seen(
        confidence=LIKELY,
        pieces=(
            *measured([most]),
            *measured([each.sample for each in failed[-2:]]),
            piece("object", warm.ref, "Ready=True", ready_at(warm)),
        ),
        params={"waiting": most.value},
    )


def _ready_before(moment: datetime | None, first: datetime) -> bool:
    return moment is not None and moment < first


def _while_it_stood(rise: Rise, stood: list[Sample]) -> bool:
    since = rise.since - _LATER
    return any(each.at is not None and since <= each.at <= rise.until for each in stood)

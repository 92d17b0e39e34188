"""When requests failed, as counters tell it: what a series grew by between two samples."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from fleet.domain.diagnosis.case import Case
from fleet.domain.diagnosis.evidence import NO_TIME, Sample
from fleet.domain.diagnosis.rules.starts import Start, starts, unserved
from fleet.domain.diagnosis.series import status_of

# A gateway, the activator or queue-proxy gave up waiting.
TIMED_OUT = frozenset({"504", "408"})
# Nobody took the request, or whoever had it went.
LOST = frozenset({"500", "502", "503"})
# What a replacement may need.
_SOON = timedelta(seconds=180)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """count more requests failed from since to until. hop: who made the answer, "" if not told."""

    sample: Sample
    count: float
    since: datetime
    until: datetime

    @property
    def hop(self) -> str:
        return self.sample.labels.get("hop", "")


def rises(case: Case, statuses: frozenset[str]) -> list[Rise]:
    """Those of series that count one of these statuses, by series, oldest first."""
    by_series: dict[tuple[object, ...], list[Sample]] = {}
    for each in case.evidence.samples:
        if each.at is not None and status_of(each) in statuses:
            by_series.setdefault((each.name, *sorted(each.labels.items())), []).append(each)
    return [rise for samples in by_series.values() for rise in _rises(samples)]


def _rises(samples: list[Sample]) -> Iterator[Rise]:
    ordered = sorted(samples, key=lambda each: each.at or NO_TIME)
    for before, after in pairwise(ordered):
        more = after.value - before.value
        if more > 0 and before.at is not None and after.at is not None:
            yield Rise(sample=after, count=more, since=before.at, until=after.at)


def timed_out_in_start(case: Case) -> tuple[Rise, Start] | None:
    """A rise of time-outs while nobody served, and the start that was on; None where some came at
    another time too: then it is no start that they waited for."""
    found = rises(case, TIMED_OUT)
    met = [(each, start) for each in found if (start := _met(case, each)) is not None]
    return met[0] if met and len(met) == len(found) else None


def lost_after(case: Case, moments: list[datetime]) -> list[Rise]:
    """Rises of requests that nobody took, if all of them came soon after one of the moments."""
    found = rises(case, LOST)
    near = [e for e in found if any(e.since - _SOON <= at <= e.until for at in moments)]
    return near if len(near) == len(found) else []


def _met(case: Case, rise: Rise) -> Start | None:
    """The longest start that was on meanwhile, when no older pod was ready."""
    spans = [
        each
        for each in starts(case)
        if each.since <= rise.until and rise.since <= (each.until or case.now)
    ]
    longest = max(spans, key=lambda each: each.seconds, default=None)
    return longest if longest is not None and unserved(case, longest) else None

"""How much of a week was watched, cluster by cluster."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from fleet.domain.records.keys import Resource

# Without these a start is not seen at all; without the others it is seen, and told less well.
STARTS_ARE_SEEN_IN = frozenset({Resource.PODS.value})
# Where more than this share of a week is blind (3 h and more), fewer starts mean nothing.
BLIND_SHARE = 0.02
# A proof of being in step is this fresh while a cluster is followed.
PROOF_IS_FRESH = timedelta(seconds=60)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of time; empty when it does not end after it begins."""

    since: datetime
    until: datetime

    @property
    def seconds(self) -> float:
        return max(0.0, (self.until - self.since).total_seconds())

    def holds(self, moment: datetime | None) -> bool:
        """since <= moment < until."""
        return moment is not None and self.since <= moment < self.until

    def within(self, other: "Span") -> "Span":
        """What both cover."""
        return Span(max(self.since, other.since), min(self.until, other.until))


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchGap:
    """Nothing was watched of a resource. stream: "pods", or "pods/LLMInferenceService"."""

    stream: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """How one cluster was watched in a week.

    watched_s: from when it was followed to the end of what is counted. blind_s: of that, nothing
    was seen of its pods; a start that began and ended then is missing. thin_s: of the rest,
    something else was not seen (events, autoscalers, …). Both None = gaps of that time are no
    longer kept.
    """

    cluster: str
    watched_from: datetime | None
    watched_s: float
    blind_s: float | None
    thin_s: float | None

    @property
    def hides_starts(self) -> bool:
        """Whether starts of the week may be missing from the counts."""
        return self.blind_s is None or self.blind_s > 0

    @property
    def too_blind(self) -> bool:
        """Whether so much was not seen that less waiting does not tell of less."""
        return self.blind_s is None or self.blind_s > BLIND_SHARE * self.watched_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """When a cluster was followed. last_proof_at: None = never in step.

    gaps: None = no longer kept.
    """

    cluster: str
    span: Span
    last_proof_at: datetime | None
    gaps: tuple[WatchGap, ...] | None


def sight_of(following: Following, *, counted: Span) -> Sight:
    """counted: the part of the week that is counted."""
    watched = following.span.within(counted)
    begun = watched.seconds > 0
    known = following.gaps is not None
    spans = _spans(following, watched)
    blind_s = covered_s(span for dark, span in spans if dark)
    either_s = covered_s(span for _, span in spans)
    return Sight(
        cluster=following.cluster,
        watched_from=watched.since if begun else None,
        watched_s=watched.seconds,
        blind_s=blind_s if known else None,
        thin_s=round(either_s - blind_s, 3) if known else None,
    )


def _spans(following: Following, watched: Span) -> list[tuple[bool, Span]]:
    """Spans without sight, within what was watched; True = nothing was seen of pods."""
    spans = [
        (gap.stream.partition("/")[0] in STARTS_ARE_SEEN_IN, gap.span.within(watched))
        for gap in following.gaps or ()
    ]
    proven = following.last_proof_at or following.span.since
    if watched.until - proven > PROOF_IS_FRESH:
        spans.append((True, Span(proven, watched.until).within(watched)))
    return spans


def covered_s(spans: Iterable[Span]) -> float:
    """Seconds that at least one of the spans covers."""
    total_s = 0.0
    covered_until: datetime | None = None
    for span in sorted(spans):
        since = span.since if covered_until is None else max(span.since, covered_until)
        if span.until > since:
            total_s += (span.until - since).total_seconds()
            covered_until = span.until
    return round(total_s, 3)

"""What a model's own starts tell, as rules need it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fleet.domain.coldstart.start import Phase, Trigger
from fleet.domain.compare.numbers import p50_s, p95_s
from fleet.domain.compare.records import Compared, finished

HOURS_OF_WEEK = 168
# Fewer lengths than these tell nothing of what a start may take.
ENOUGH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """n: how many starts. p50_s is None under five, p95_s under twenty."""

    n: int
    longest_s: float
    p50_s: float | None = None
    p95_s: float | None = None

    @property
    def reach_s(self) -> float:
        """How long it may well take: the p95, else the longest that was seen."""
        return self.longest_s if self.p95_s is None else self.p95_s

    @property
    def basis(self) -> str:
        """What `reach_s` is: p95 or longest."""
        return "longest" if self.p95_s is None else "p95"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """None: not measured, so that a rule which needs it says nothing.

    total: demand to Ready. load: container start to Ready (load-engine and become-ready). lag:
    become-ready alone. compile: of starts that found no compiled graphs. from_zero: starts that a
    request waited for. weights_from: of most starts. sequences: how many requests of full length
    the KV cache holds, by the server's log. by_hour: requests in each hour of the week, Monday
    0 h UTC first. broken_answers: 502 made by queue-proxy in the time looked at. free_gpus: that
    are free where the model may run.
    """

    total: Lengths | None = None
    load: Lengths | None = None
    fetch: Lengths | None = None
    lag: Lengths | None = None
    compile: Lengths | None = None
    from_zero: int | None = None
    weights_from: str = ""
    sequences: float | None = None
    by_hour: tuple[float, ...] | None = None
    broken_answers: int | None = None
    free_gpus: int | None = None

    @property
    def fetch_share(self) -> float | None:
        """Of a start's length in the middle, 0..1."""
        fetch, total = self.fetch, self.total
        if fetch is None or total is None or not fetch.p50_s or not total.p50_s:
            return None
        return min(fetch.p50_s / total.p50_s, 1.0)


NOTHING = Measured()


def lengths_of(values_s: Iterable[float]) -> Lengths | None:
    """None under three."""
    ordered = sorted(values_s)
    if len(ordered) < ENOUGH:
        return None
    return Lengths(
        n=len(ordered), longest_s=ordered[-1], p50_s=p50_s(ordered), p95_s=p95_s(ordered)
    )


def measured_from(
    starts: Iterable[Compared],
    *,
    by_hour: Sequence[float] | None = None,
    broken_answers: int | None = None,
    free_gpus: int | None = None,
) -> Measured:
    """starts: of one model, of any mode and outcome, as far back as the caller looks."""
    ready = finished(starts)
    return Measured(
        total=lengths_of(start.total_s for start in ready if start.total_s is not None),
        load=lengths_of(_phases(ready, Phase.LOAD_ENGINE, Phase.BECOME_READY)),
        fetch=lengths_of(_phases(ready, Phase.FETCH_MODEL)),
        lag=lengths_of(_phases(ready, Phase.BECOME_READY)),
        compile=lengths_of(_compiles(ready)),
        from_zero=sum(start.trigger == Trigger.SCALE_FROM_ZERO for start in ready),
        weights_from=_commonest([start.weights_from for start in ready]),
        sequences=_sequences(ready),
        by_hour=_hours(by_hour),
        broken_answers=broken_answers,
        free_gpus=free_gpus,
    )


def _phases(starts: Iterable[Compared], *phases: Phase) -> list[float]:
    """Seconds in the phases together, of starts that passed at least one of them."""
    names = [phase.value for phase in phases]
    return [
        sum(start.phases_s.get(name, 0.0) for name in names)
        for start in starts
        if any(name in start.phases_s for name in names)
    ]


def _compiles(starts: Iterable[Compared]) -> list[float]:
    return [
        start.parts_s["compile_total"]
        for start in starts
        if start.log_facts.get("compile_cache") == "miss" and "compile_total" in start.parts_s
    ]


def _sequences(starts: Iterable[Compared]) -> float | None:
    """Of the newest start whose log tells it."""
    for start in sorted(starts, key=lambda start: start.started_at, reverse=True):
        found = start.log_facts.get("concurrency")
        if isinstance(found, int | float) and not isinstance(found, bool) and found > 0:
            return float(found)
    return None


def _commonest(words: Sequence[str]) -> str:
    said = [word for word in words if word]
    return max(sorted(set(said)), key=said.count, default="")


def _hours(by_hour: Sequence[float] | None) -> tuple[float, ...] | None:
    return tuple(by_hour) if by_hour is not None and len(by_hour) == HOURS_OF_WEEK else None

"""How lengths are spread: dots while they are few, then a curve and a box."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from fleet.domain.coldstart.remaining import percentile
from fleet.domain.compare.numbers import ENOUGH_FOR_P95
from fleet.domain.compare.records import Attribute, Compared, finished, reader_of

# A curve of more points looks the same.
CURVE_POINTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One start."""

    id: int
    started_at: datetime
    total_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Percentiles of at least twenty lengths."""

    p5_s: float
    p25_s: float
    p50_s: float
    p75_s: float
    p95_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Starts of one mode with the same value of an attribute; value: "" = not known.

    dots: shortest first, under twenty; else empty. ecdf: (seconds, share of starts that took no
    longer), and box: from twenty on.
    """

    value: str
    mode: str
    n: int
    newest_at: datetime
    dots: tuple[Dot, ...] = ()
    ecdf: tuple[tuple[float, float], ...] = ()
    box: Box | None = None


def spreads(starts: Iterable[Compared], by: Attribute, *, mode: str) -> tuple[Spread, ...]:
    """One for each value, that of the newest start first."""
    groups: dict[str, list[Compared]] = {}
    value_of = reader_of(by)
    for start in finished(starts, mode=mode):
        groups.setdefault(value_of(start), []).append(start)
    found = (_spread(value, group, mode) for value, group in groups.items())
    return tuple(sorted(found, key=lambda spread: spread.newest_at, reverse=True))


def _spread(value: str, starts: list[Compared], mode: str) -> Spread:
    dots = sorted((_dot(start) for start in starts), key=lambda dot: dot.total_s)
    newest_at = max(dot.started_at for dot in dots)
    if len(dots) < ENOUGH_FOR_P95:
        return Spread(value=value, mode=mode, n=len(dots), newest_at=newest_at, dots=tuple(dots))
    lengths = [dot.total_s for dot in dots]
    return Spread(
        value=value,
        mode=mode,
        n=len(dots),
        newest_at=newest_at,
        ecdf=_ecdf(lengths),
        box=_box(lengths),
    )


def _dot(start: Compared) -> Dot:
    return Dot(id=start.id, started_at=start.started_at, total_s=start.total_s or 0.0)


def _ecdf(ordered: list[float]) -> tuple[tuple[float, float], ...]:
    n = len(ordered)
    places = range(n)
    if n > CURVE_POINTS:
        places = range(0, n, n // CURVE_POINTS + 1)
    points = [(ordered[place], (place + 1) / n) for place in places]
    return tuple(points if points[-1][1] == 1.0 else [*points, (ordered[-1], 1.0)])


def _box(ordered: list[float]) -> Box:
    return Box(
        p5_s=percentile(ordered, 0.05),
        p25_s=percentile(ordered, 0.25),
        p50_s=percentile(ordered, 0.5),
        p75_s=percentile(ordered, 0.75),
        p95_s=percentile(ordered, 0.95),
    )

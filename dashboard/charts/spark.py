"""A sparkline: the share of 5xx of each of the last minutes, as the path of a small drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Of the drawing, px. A minute is STEP wide.
STEP, HEIGHT = 2, 18
FLOOR = HEIGHT - 1
# The full height stands for at least so much: a hundredth must not look like a half.
LEAST_TOP = 0.1
MOST_MINUTES = 30

# [requests, lost] of a minute; None = not read.
Minute = Sequence[int | None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """path: steps over the minutes that were read. base: the same along the floor. unread: how
    many were not read. highest: the largest share of a minute; None = no traffic in any."""

    path: str
    base: str
    width: int
    unread: int
    highest: float | None

    @property
    def height(self) -> int:
        return HEIGHT


def spark(minutes: Sequence[Minute]) -> Spark | None:
    """None where there is nothing to draw: no minute was read."""
    shown = list(minutes)[-MOST_MINUTES:]
    shares = [minute_share(minute) for minute in shown]
    read = [minute is not None for minute in shown]
    if not any(read):
        return None
    known = [share for share in shares if share is not None]
    top = max([LEAST_TOP, *known])
    heights = [FLOOR - round((share or 0.0) / top * (FLOOR - 1)) for share in shares]
    return Spark(
        path=_steps(heights, read),
        base=_steps([FLOOR] * len(shown), read),
        width=STEP * len(shown),
        unread=read.count(False),
        highest=max(known, default=None),
    )


def minute_share(minute: Minute) -> float | None:
    """Lost of all; None = no traffic, or not read. Errors whose requests nobody counted are all
    there is."""
    if not minute:
        return None
    requests, lost = minute[0] or 0, minute[1] or 0
    return min(1.0, lost / max(requests, lost)) if requests or lost else None


def _steps(heights: Sequence[int], read: Sequence[bool]) -> str:
    """Moves along the minutes; a minute that was not read is left out of the line."""
    said: list[str] = []
    at: int | None = None
    for number, (height, known) in enumerate(zip(heights, read, strict=True)):
        if not known:
            at = None
            continue
        if at is None:
            said.append(f"M{number * STEP} {height}")
        elif at != height:
            said.append(f"V{height}")
        said.append(f"h{STEP}")
        at = height
    return "".join(said)

"""Arithmetic on counts of consecutive windows."""

from collections.abc import Sequence

# Windows by which two programs may count one call apart: each is read at its own moments, at most
# a minute apart.
REACH = 2


def plus(*columns: Sequence[int]) -> list[int]:
    """The sum, window by window."""
    return [sum(counts) for counts in zip(*columns, strict=True)]


def less(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The difference, window by window, never below 0."""
    return [max(0, a - b) for a, b in zip(first, second, strict=True)]


def least(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The smaller one, window by window."""
    return [min(a, b) for a, b in zip(first, second, strict=True)]


def made_here(answered: Sequence[int], received: Sequence[int]) -> list[int]:
    """Of what a hop answered, that which it did not receive from behind; never below 0.

    A call may be counted by one of the two programs some windows before the other one: what one
    has too much cancels what the other has too much up to REACH windows away, nearest first.
    """
    rest = [a - b for a, b in zip(answered, received, strict=True)]
    if min(rest, default=0) >= 0:
        return rest
    for distance in range(1, REACH + 1):
        for at in range(len(rest)):
            for other in (at - distance, at + distance):
                _cancel(rest, at, other)
    return [max(0, count) for count in rest]


def _cancel(rest: list[int], at: int, other: int) -> None:
    if rest[at] < 0 <= other < len(rest) and rest[other] > 0:
        moved = min(-rest[at], rest[other])
        rest[at] += moved
        rest[other] -= moved

"""How long a past is, as people write it: 7d, 12h."""

from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import timedelta

HOURS = {"h": 1, "d": 24}
# Living through a day takes seconds, and what is written of it some megabytes.
LONGEST = timedelta(days=30)


def length(text: str) -> timedelta:
    """Reads a whole number of days or hours; none is 0h."""
    number, unit = text[:-1], text[-1:]
    if unit in HOURS and number.isascii() and number.isdigit() and len(number) <= 4:
        found = timedelta(hours=int(number) * HOURS[unit])
        if found <= LONGEST:
            return found
    raise ArgumentTypeError(f"{text[:40]!r}: days or hours up to 30d, as 7d or 12h")


def as_text(past: timedelta) -> str:
    """Back to what length() reads."""
    hours = int(past.total_seconds() // 3600)
    return f"{hours // 24}d" if hours and hours % 24 == 0 else f"{hours}h"

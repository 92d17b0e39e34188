"""What a container does once it runs: when it answers, when it ends, what it writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

LogLines = list[tuple[datetime, str]]


def no_lines(_started_at: datetime) -> LogLines:
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One run of one container.

    answers_after_s: None for one that never answers. ends_after_s: None for one that runs until
    it is stopped. lines: the log of a run that began at the given moment.
    """

    answers_after_s: float | None = None
    ends_after_s: float | None = None
    exit_code: int = 0
    message: str = ""
    lines: Callable[[datetime], LogLines] = no_lines


def up_to(lines: Sequence[tuple[datetime, str]], moment: datetime) -> LogLines:
    return [line for line in lines if line[0] <= moment]

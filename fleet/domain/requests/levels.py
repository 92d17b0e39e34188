"""Depths and durations of one subject in consecutive windows."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Levels:
    """Depths and durations of one subject, by the number of the window. engine: told by the model
    server itself, which is nearer to the truth than what stands before it."""

    in_flight: dict[int, float] = field(default_factory=dict)
    engine_in_flight: dict[int, float] = field(default_factory=dict)
    queued: dict[int, float] = field(default_factory=dict)
    p95_s: dict[int, float] = field(default_factory=dict)
    engine_p95_s: dict[int, float] = field(default_factory=dict)

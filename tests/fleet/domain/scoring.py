"""A measured start against the truth of its recording."""

from collections.abc import Iterator
from typing import Any

from fleet.domain.coldstart.start import ColdStart
from tests.fleet.domain.streams import seconds

# Kubernetes writes whole seconds, cut.
CUT_S = 0.6
TOTAL_CUT_S = 1.0

PREPARE = ("prepare", "pull-image")
LOAD = ("load-engine", "become-ready")
SCHEDULE = ("schedule", "provision-node")


def faults(start: ColdStart | None, true: dict[str, Any]) -> list[str]:
    """What is wrong with a start, in words; [] if it is right."""
    if start is None:
        return ["not found"]
    return [*_words(start, true), *_spans(start, true)]


def _words(start: ColdStart, true: dict[str, Any]) -> Iterator[str]:
    for word in ("trigger", "outcome"):
        fair = [true[word], *true.get(f"{word}_also_fair", [])]
        if getattr(start, word).value not in fair:
            yield f"{word} {getattr(start, word).value}, truth {fair}"
    total = true["total"]
    off = abs((start.total_s or -99.0) - total["seconds"])
    if off > total["tolerance"] + TOTAL_CUT_S:
        yield f"total {start.total_s}, truth {total['seconds']}"


def _spans(start: ColdStart, true: dict[str, Any]) -> Iterator[str]:
    got, phases = seconds(start), true["phases"]
    for names in (PREPARE, SCHEDULE, LOAD, ("fetch-model",), ("route",)):
        if not any(name in phases for name in names):
            continue
        mine = sum(got.get(name, 0.0) for name in names)
        want = sum(phases[name]["seconds"] for name in names if name in phases)
        allowed = sum(phases[name]["tolerance"] for name in names if name in phases)
        if abs(mine - want) > allowed + CUT_S:
            yield f"{'+'.join(names)} {mine:.1f}, truth {want:.1f}"

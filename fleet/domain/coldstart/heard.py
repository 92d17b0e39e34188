"""What was heard of a replica: its server's log, as evidence of the start."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from fleet.domain.coldstart.sight import Sight
from fleet.domain.enginelog.phases import ORDER, WITHIN, sub_phases
from fleet.domain.enginelog.witness import Witness, plain_of, witness_of

# Below this a sub-phase says nothing.
PART_AT_LEAST_S = 0.001
# Classes that tell no cause: what ended it stands elsewhere.
_NO_CAUSE = frozenset({"", "killed_by_sigterm"})


class Part(NamedTuple):
    """A sub-phase. within: the one that it is part of, "" = of the phase itself. Those of the same
    `within` follow one another but need not fill it."""

    part: str
    seconds: float
    within: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The log of one run of the model's container.

    run: its restarts when the run began. by: our clock when the log said so. done: nothing more
    will be read. failure, line: why this run failed, or the one before it; "" if no log says.
    """

    run: int
    by: float
    witness: Witness = field(default_factory=Witness)
    done: bool = False
    failure: str = ""
    line: str = ""

    @property
    def reason(self) -> str:
        """Class and decisive line, "" where the log names no cause."""
        if self.failure in _NO_CAUSE:
            return ""
        return f"{self.failure}: {self.line}" if self.line else self.failure


def joined(known: Heard | None, new: Heard) -> Heard | None:
    """What is kept when a log was read again; None if that is no news."""
    if known is not None and (known.done or new.run < known.run):
        return None
    if known is not None and new.failure in _NO_CAUSE and known.failure:
        new = replace(new, failure=known.failure, line=known.line)
    return None if known is not None and replace(new, by=known.by) == known else new


def engine_ready(heard: Heard | None, *, run: int) -> Sight | None:
    """When the server of that run said that it serves, by its node's clock."""
    if heard is None or heard.run != run or heard.witness.clock != "kubelet":
        return None
    stamp = heard.witness.complete_at
    return None if stamp is None else Sight(stamp, None, heard.by)


def parts_of(heard: Heard | None, *, run: int, began: float | None) -> Iterator[Part]:
    """Sub-phases of loading. began: the container's start by its node's clock, None if this run
    is not the one that the phase began with."""
    if heard is None or heard.run != run:
        return
    seconds = sub_phases(heard.witness, started_at=began)
    for name in ORDER:
        if seconds.get(name, 0.0) >= PART_AT_LEAST_S:
            yield Part(name, round(seconds[name], 3), _within(name, seconds))


def _within(name: str, seconds: dict[str, float]) -> str:
    """The nearest that is known: a parent that is not told leaves its children one step up."""
    parent = WITHIN.get(name, "")
    while parent and parent not in seconds:
        parent = WITHIN.get(parent, "")
    return parent


def log_of(heard: Heard | None) -> dict[str, Any] | None:
    """What the log tells of the start, as kept with it; None where none was read."""
    if heard is None:
        return None
    witness = heard.witness
    return {
        "state": "json" if witness.is_json else "read" if witness.first_at else "none",
        "engine_version": witness.facts.get("version") or None,
        "silent_since": None,
        "facts": dict(witness.facts),
        "decisive": [heard.line] if heard.line else [],
    }


def heard_plain(heard: Heard) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "run": heard.run,
        "by": heard.by,
        "witness": plain_of(heard.witness),
        "done": heard.done,
        "failure": heard.failure,
        "line": heard.line,
    }


def heard_of(plain: dict[str, Any]) -> Heard:
    """Back from plain values."""
    return Heard(**(plain | {"witness": witness_of(plain["witness"])}))

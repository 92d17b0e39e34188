"""What a rule is, and what it says when it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from fleet.domain.diagnosis.records import Cause, FaultPhase, Piece, Remedy
from fleet.domain.enginelog.redact import redacted

if TYPE_CHECKING:
    from fleet.domain.diagnosis.case import Case

SAYS_AT_MOST = 300
REF_AT_MOST = 300
PIECES_AT_MOST = 8
# How decisive evidence is: a text or a state that says it itself; signs that agree; one sign.
DECISIVE = 0.95
STRONG = 0.9
LIKELY = 0.8
TWO_SIGNS = 0.7
WEAK = 0.6
ONE_SIGN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """That a rule holds. phase and remedies: None and () leave those of the rule; remedies named
    here come before the rule's own."""

    confidence: float
    pieces: tuple[Piece, ...]
    phase: FaultPhase | None = None
    remedies: tuple[Remedy, ...] = ()
    params: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table: sees answers None where the rule does not hold."""

    code: str
    cause: Cause
    phase: FaultPhase
    sees: "Callable[[Case], Seen | None]"
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A rule that holds, with what it saw."""

    rule: Rule
    seen: Seen

    @property
    def cause(self) -> Cause:
        """The cause that it claims."""
        return self.rule.cause


def piece(kind: str, ref: str, says: str, at: datetime | None = None) -> Piece:
    """Evidence fit to be shown: bounded, without secrets and control characters."""
    shown = redacted(says)
    cut = shown if len(shown) <= SAYS_AT_MOST else shown[: SAYS_AT_MOST - 1] + "…"
    return Piece(kind=kind, ref=redacted_ref(ref), says=cut, at=at)


def redacted_ref(ref: str) -> str:
    """A reference is made of names; what is not printable goes."""
    return "".join(each if each.isprintable() else " " for each in ref[:REF_AT_MOST])

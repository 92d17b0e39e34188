"""Sights of one replica as moments on our clock, and the steps between them."""

from typing import NamedTuple

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.sight import Moment, Sight, moment
from fleet.domain.coldstart.start import Phase


class Step(NamedTuple):
    """A phase and the moment that ends it; None = not seen to end."""

    phase: Phase
    until: Moment | None
    source: str


class Reader:
    """Brings the sights of one replica to our clock."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.ahead_s = evidence.ahead_s

    def node(self, *sights: Sight | None, prompt: bool = False) -> Moment | None:
        """The first of the sights that is known; its stamp is of the node's clock."""
        known = next((sight for sight in sights if sight is not None), None)
        return known and moment(known, ahead_s=self.ahead_s, prompt=prompt)

    def event(self, *sights: Sight | None) -> Moment | None:
        """As `node`, of an Event: its message goes out at once."""
        return self.node(*sights, prompt=True)

    def plane(self, sight: Sight | None) -> Moment | None:
        """Stamped by the API server or the scheduler; the message goes out at once."""
        ahead_s = self.evidence.plane_ahead_s
        return sight and moment(sight, ahead_s=ahead_s, prompt=True)


def later(one: Moment | None, other: Moment | None) -> Moment | None:
    """The later of two, None as long as one is missing."""
    if one is None or other is None:
        return None
    return max(one, other, key=lambda item: item.at)

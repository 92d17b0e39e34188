"""What the programs in a call's path counted in one window, whatever named the series."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from fleet.domain.requests.records import Era, MetricsFacts


class Role(StrEnum):
    """Who counted, and on which side of it.

    ACTIVATOR, QUEUE_PROXY: what they answered. TRIED, ASKED: what was answered to their own call
    (of the activator to the pod, of queue-proxy to the container). APP: queue-proxy's histogram of
    the container's handler. INGRESS: what the gateway answered. HINT: what the gateway counts
    beside a code that it made itself. PICKER: errors of an endpoint picker. ENGINE: the model
    server's own counter.
    """

    INGRESS = "ingress"
    HINT = "ingress-hint"
    PICKER = "picker"
    ACTIVATOR = "activator"
    TRIED = "activator-client"
    QUEUE_PROXY = "queue-proxy"
    ASKED = "queue-proxy-client"
    APP = "app"
    ENGINE = "engine"


class Way(StrEnum):
    """How a call came to queue-proxy; UNTOLD where the series do not say."""

    PROXIED = "through the activator"
    PAST = "past the activator"
    UNTOLD = ""


class Move(NamedTuple):
    """A kind of call as one role counts it.

    code: its status, 0 = none. error: why there is no status (otelhttp's error_type), or the
    response flags of an ingress.
    """

    role: Role
    code: int = 0
    error: str = ""
    way: Way = Way.UNTOLD


# How often each kind of call happened in one window; exact counts, above 0.
Moves = Mapping[Move, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What these metrics show at all.

    ingress: as MetricsFacts.ingress says; only Istio flags what it made itself.
    """

    era: Era = Era.NONE
    roles: frozenset[Role] = frozenset()
    ingress: str = ""

    def sees(self, *roles: Role) -> bool:
        """Whether each of these roles is counted here."""
        return self.roles.issuperset(roles)


def sight_of(facts: MetricsFacts) -> Sight:
    """Roles are among the facts' jobs when their series were found."""
    roles = frozenset(role for role in Role if role in facts.jobs)
    return Sight(era=facts.era, roles=roles, ingress=facts.ingress)

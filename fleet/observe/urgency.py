"""Which models are to be looked at for a diagnosis or for advice, when, and why. Pure.

A model in trouble is looked at as soon as something changes, not more than once in ten seconds, and
at the latest a minute after the last look. A model without trouble is only looked at when its
settings or its figures changed, and now and then.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from fleet.domain.compare.flight import Lateness
from fleet.domain.ledger.delta import State

SOONEST = timedelta(seconds=10)
# What may end well by itself is looked at less often.
SOONEST_MILD = timedelta(seconds=30)
LATEST = timedelta(seconds=60)
LATEST_MILD = timedelta(seconds=120)
# A start that is younger says nothing yet.
SLOW_START = timedelta(seconds=30)
# Settings that no row tells of, such as a limit of the ingress.
LINT_EVERY = timedelta(hours=6)


class Why(StrEnum):
    """What asked for a look, the most urgent first."""

    ASKED = "asked"
    FAILING = "failing"
    INCIDENT = "incident"
    DEGRADED = "degraded"
    ERRORS = "errors"
    START_LATE = "start-late"
    START_SLOW = "start-slow"
    PROBES = "probes"
    RECOVERED = "recovered"
    SETTINGS = "settings"
    FIRST = "first"
    AGAIN = "again"


ORDER = tuple(Why)
TROUBLE = frozenset({Why.FAILING, Why.INCIDENT, Why.DEGRADED, Why.ERRORS, Why.START_LATE})
MILD = frozenset({Why.START_SLOW, Why.PROBES, Why.RECOVERED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """A start in flight: when it was demanded, how late it is."""

    started_at: datetime
    late: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What of a model says whether to look.

    changed_at: of its fleet row. lost: 5xx of the last minutes. probes: failures while serving,
    of the last hour. diagnosed_at: the last look, None = never.
    """

    state: str
    changed_at: datetime
    lost: int = 0
    incident: bool = False
    probes: int = 0
    flights: tuple[Flight, ...] = ()
    finding: bool = False
    diagnosed_at: datetime | None = None


def due(standing: Standing, *, now: datetime) -> Why | None:
    """Why a model that may be in trouble should be looked at now; None = it need not be."""
    why = trouble(standing, now=now)
    if why is None or not _time_for(standing, now=now, mild=why in MILD):
        return None
    return why


def trouble(standing: Standing, *, now: datetime) -> Why | None:
    """What is wrong with it, or may be; None = nothing is."""
    if standing.state == State.FAILING:
        return Why.FAILING
    if standing.incident:
        return Why.INCIDENT
    if standing.state == State.DEGRADED:
        return Why.DEGRADED
    if standing.lost:
        return Why.ERRORS
    return _start(standing, now=now) or _rest(standing)


def _start(standing: Standing, *, now: datetime) -> Why | None:
    if any(each.late in (Lateness.LATE, Lateness.OVERDUE) for each in standing.flights):
        return Why.START_LATE
    slow = any(now - each.started_at >= SLOW_START for each in standing.flights)
    return Why.START_SLOW if slow else None


def _rest(standing: Standing) -> Why | None:
    if standing.finding:
        return Why.RECOVERED
    return Why.PROBES if standing.probes else None


def _time_for(standing: Standing, *, now: datetime, mild: bool) -> bool:
    last = standing.diagnosed_at
    if last is None:
        return True
    changed = standing.changed_at > last
    soonest, latest = (SOONEST_MILD, LATEST_MILD) if mild else (SOONEST, LATEST)
    return now - last >= (soonest if changed else latest)


def advice_due(
    *, mark: str, linted_for: str, linted_at: datetime | None, now: datetime
) -> Why | None:
    """Why the settings of a model should be judged now; None = they need not be.

    mark: of its settings and figures; linted_for, linted_at: of the last look, None = never.
    """
    if linted_at is None:
        return Why.FIRST
    if mark != linted_for:
        return Why.SETTINGS if now - linted_at >= SOONEST_MILD else None
    return Why.AGAIN if now - linted_at >= LINT_EVERY else None

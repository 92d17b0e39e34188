"""A model's row as a value: everything that `partials/model_row.html` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import NoReverseMatch, reverse

from dashboard.charts.bars import StartBar, start_bar
from dashboard.charts.eta import StartEta, start_eta, whole_s
from dashboard.row_reasons import reason_of
from dashboard.staleness import shown_state
from dashboard.views.row_errors import RowErrors, row_errors
from dashboard.words import MODE_LABELS, STATE_LABELS, Words, word
from fleet.domain.coldstart.start import Outcome
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import ModelKey
from fleet.models import ColdStart, Incident, ServedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model as its row tells it. more_starting: further starts in flight beside `bar`.

    eta: of the start in flight that `bar` draws, None without one. incident: the one that goes on.
    """

    row: ServedModel
    key: ModelKey
    state: State
    label: Words
    mode: Words
    reason: str
    stale: bool
    bar: StartBar | None
    eta: StartEta | None
    more_starting: int
    errors: RowErrors
    incident: Incident | None
    may_act: bool

    @property
    def dom_id(self) -> str:
        return f"model-{self.row.pk}"

    @property
    def url(self) -> str:
        return model_url(self.key)

    @property
    def probes(self) -> int:
        """Probe failures of the last hour, a lower bound."""
        return self.row.probe_starting_1h + self.row.probe_serving_1h


def model_url(key: ModelKey) -> str:
    """Where the model's page stands; "" for a name that no address can hold."""
    try:
        return reverse("model", args=(key.cluster, key.kind, key.namespace, key.name))
    except NoReverseMatch:
        return ""


def model_row(
    row: ServedModel,
    running: Sequence[ColdStart],
    *,
    stale: frozenset[str],
    may_act: bool,
    now: datetime,
    incident: Incident | None = None,
) -> ModelRow:
    """running: the model's starts in flight, oldest first; the first is drawn."""
    old = row.cluster in stale
    state = shown_state(row.state, row.cluster, stale=stale)
    return ModelRow(
        row=row,
        key=row.key,
        state=state,
        label=STATE_LABELS[state],
        mode=word(MODE_LABELS, row.mode),
        reason=reason_of(row, stale=old),
        stale=old,
        bar=_bar(row, running, now=now),
        eta=eta_of(row, running[0], now=now) if running else None,
        more_starting=max(0, len(running) - 1),
        errors=row_errors(row),
        incident=incident,
        may_act=may_act and not old,
    )


def start_shape(start: ColdStart) -> dict[str, Any]:
    """What a bar needs of a stored start, in the API's names."""
    return {
        "started_at": start.started_at,
        "outcome": start.outcome,
        "total_s": start.total_s,
        "start_mode": start.start_mode,
        "ended_in_phase": start.ended_in_phase,
        "failure": {"reason": start.failure_reason} if start.failure_class else None,
        "phases": start.phases,
    }


def flight_of(row: ServedModel | None, start_id: int) -> Mapping[str, Any]:
    """What the row tells of that start in flight, {} when nothing yet."""
    flights = row.in_flight if row else ()
    return next((flight for flight in flights if flight.get("id") == start_id), {})


def eta_of(row: ServedModel | None, start: ColdStart, *, now: datetime) -> StartEta:
    return start_eta(flight_of(row, start.pk), start.started_at, now=now)


def expected_s(row: ServedModel, start_id: int) -> tuple[float | None, float | None]:
    """How long a start in flight should take in all, typically and at worst (p50, p95). None until
    its row knows it: the row's own p50 and p95 are of all start modes."""
    flight = flight_of(row, start_id)
    return whole_s(flight, "eta_p50_s"), whole_s(flight, "eta_p95_s")


def _bar(row: ServedModel, running: Sequence[ColdStart], *, now: datetime) -> StartBar | None:
    if running:
        typical, slow = expected_s(row, running[0].pk)
        return start_bar(start_shape(running[0]), now=now, expected_s=typical, slow_s=slow)
    last = row.last_start
    if not last or last.get("outcome") == Outcome.RUNNING:
        return None
    return start_bar(last, now=now)

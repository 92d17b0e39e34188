"""Which buttons a model's row carries, and which of them to press next."""

from __future__ import annotations

from dataclasses import dataclass

from django import template

from dashboard.remedy_words import REMEDY_ACTIONS
from fleet.domain.ledger.delta import State
from fleet.domain.plans.params import ActionName
from fleet.domain.records.keys import Mode
from fleet.models import ServedModel

register = template.Library()


@dataclass(frozen=True, slots=True, kw_only=True)
class Buttons:
    """best: the accented one, "" = nothing needs pressing. min: what Raise min proposes."""

    warm_up: bool
    raise_min: bool
    best: str
    min: int


def _cure(row: ServedModel) -> str:
    """What the first remedy of the finding asks for, "" if no button does it."""
    remedies = (row.finding or {}).get("remedies") or [""]
    action = {cure.value: does for cure, does in REMEDY_ACTIONS.items()}.get(remedies[0])
    return action.value if action else ""


@register.simple_tag
def buttons_of(row: ServedModel) -> Buttons:
    """A sleeping model is woken by a request only where an activator holds it. One that could not
    serve when it was woken has no best button, unless what was found wrong is cured by one."""
    stopped = row.state == State.STOPPED
    asleep = row.ready == 0 and not row.desired
    holds = row.mode == Mode.KNATIVE
    best = ActionName.WARM_UP if holds else ActionName.RAISE_MIN
    return Buttons(
        warm_up=not stopped and (holds or row.ready > 0),
        raise_min=not stopped,
        best=best.value if asleep and row.state != State.FAILING else _cure(row),
        min=max(1, (row.min or 0) + 1 if row.ready else 1),
    )

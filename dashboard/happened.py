"""What happened about an incident, as lines in time: a page, a post-mortem and an answer of the API
tell the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.action_words import ACTION_LABELS, ACTION_STATES
from dashboard.charts.spoken import clock_text
from dashboard.words import (
    OUTCOME_LABELS,
    PHASE_LABELS,
    START_MODE_LABELS,
    TRIGGER_LABELS,
    Words,
    word,
)


class Kind(StrEnum):
    """What a line tells of."""

    ERRORS = "errors"
    START = "start"
    SCALE = "scale"
    PROBE = "probe"
    REVISION = "revision"
    ACTION = "action"


KIND_LABELS: Mapping[Kind, Words] = {
    Kind.ERRORS: gettext_lazy("errors"),
    Kind.START: gettext_lazy("start"),
    Kind.SCALE: gettext_lazy("scale"),
    Kind.PROBE: gettext_lazy("probe failures"),
    Kind.REVISION: gettext_lazy("revision"),
    Kind.ACTION: gettext_lazy("action"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """says: may hold names from clusters. url: where more of it stands, "" = nowhere."""

    at: datetime
    kind: Kind
    says: str
    url: str = ""

    @property
    def label(self) -> Words:
        return KIND_LABELS[self.kind]


def happened(around: Mapping[str, Any]) -> list[Line]:
    """All that is known of the time about an incident, oldest first. around: as the incident keeps
    it (fleet.history.incident_around)."""
    lines = [
        line
        for name, tell in TELLING.items()
        for each in around.get(name, ())
        for line in tell(each)
    ]
    return sorted(lines, key=lambda line: line.at)


def actions_in(lines: Sequence[Line]) -> list[Line]:
    """What people did."""
    return [line for line in lines if line.kind is Kind.ACTION]


def _start(told: Mapping[str, Any]) -> Iterator[Line]:
    url = _url("cold-start", told["id"])
    why = {"trigger": word(TRIGGER_LABELS, told["trigger"]), "replica": told["replica"]}
    begun = _("begins: %(trigger)s, %(replica)s") % why
    yield Line(at=_moment(told["at"]), kind=Kind.START, says=begun, url=url)
    ended = told["ready_at"] or told["ended_at"]
    if ended:
        yield Line(at=_moment(ended), kind=Kind.START, says=_start_ended(told), url=url)


def _start_ended(told: Mapping[str, Any]) -> str:
    says = f"{word(OUTCOME_LABELS, told['outcome'])}: {told['replica']}"
    if told["total_s"] is not None:
        mode = word(START_MODE_LABELS, told["start_mode"])
        says = _("%(says)s, after %(length)s, %(mode)s") % {
            "says": says,
            "length": clock_text(told["total_s"]),
            "mode": mode,
        }
    if told["failure"]:
        phase = word(PHASE_LABELS, told["ended_in_phase"])
        says = f"{says}, {phase}: {told['failure']}" if phase else f"{says}: {told['failure']}"
    return says


def _scaled(told: Mapping[str, Any]) -> Iterator[Line]:
    by = " · ".join(filter(None, (told["cause"], told["source"], told["actor"], told["revision"])))
    says = f"{told['from']} → {told['to']} · {by}"
    yield Line(at=_moment(told["at"]), kind=Kind.SCALE, says=says)


def _failed(told: Mapping[str, Any]) -> Iterator[Line]:
    says = (
        _("≥ %(count)d × %(probe)s probe of %(about)s, %(while)s, %(replica)s: %(message)s") % told
    )
    yield Line(at=_moment(told["at"]), kind=Kind.PROBE, says=says)


def _revision(told: Mapping[str, Any]) -> Iterator[Line]:
    says = _("%(revision)s is made, image %(image)s") % told
    yield Line(at=_moment(told["at"]), kind=Kind.REVISION, says=says)
    if told["gone_at"]:
        gone = _("%(revision)s is gone") % told
        yield Line(at=_moment(told["gone_at"]), kind=Kind.REVISION, says=gone)


def _action(told: Mapping[str, Any]) -> Iterator[Line]:
    done = {
        "action": word(ACTION_LABELS, told["action"]),
        "by": told["by"],
        "state": word(ACTION_STATES, told["state"]),
    }
    says = _("%(action)s by %(by)s: %(state)s") % done
    if told["reason"]:
        says = f"{says} ({told['reason']})"
    url = _url("action", told["id"])
    yield Line(at=_moment(told["at"]), kind=Kind.ACTION, says=says, url=url)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _url(name: str, number: object) -> str:
    try:
        return reverse(name, args=(number,))
    except NoReverseMatch:
        return ""


TELLING: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Line]]] = {
    "starts": _start,
    "scale_events": _scaled,
    "probe_failures": _failed,
    "revisions": _revision,
    "actions": _action,
}

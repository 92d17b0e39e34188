"""An incident as one row of a list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from dashboard.cause_words import cause_words, confidence_words
from dashboard.charts.hop_bar import HopPiece, hop_pieces
from dashboard.charts.share import count_text, share_text
from dashboard.live.fragments import Fragment, stamp_of
from dashboard.live.kept import KeptFragments
from dashboard.views.model_row import model_url
from dashboard.words import Words
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import ModelKey
from fleet.models import Incident

KEPT_INCIDENTS = KeptFragments(most=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentRow:
    """One incident. lost: with "≥" where it is a lower bound. share: "" = not known. cause: "" =
    not diagnosed yet. more: further findings beside the first."""

    incident: Incident
    key: ModelKey
    lost: str
    share: str
    hops: tuple[HopPiece, ...]
    cause: Words
    confidence: Words
    more: int

    @property
    def dom_id(self) -> str:
        return f"incident-{self.incident.pk}"

    @property
    def url(self) -> str:
        return reverse("incident", args=(self.incident.pk,))

    @property
    def model_url(self) -> str:
        return model_url(self.key)

    @property
    def ongoing(self) -> bool:
        return self.incident.ended_at is None

    @property
    def mark(self) -> State:
        """How it is drawn: as the state that it is most like."""
        return State.FAILING if self.ongoing else State.STOPPED

    @property
    def label(self) -> Words:
        return _("ongoing") if self.ongoing else _("over")

    @property
    def started_ms(self) -> int:
        return round(self.incident.started_at.timestamp() * 1000)

    def length_s(self, now: datetime) -> float:
        """From its first error until its last, or until now while it goes on."""
        return ((self.incident.ended_at or now) - self.incident.started_at).total_seconds()


def incident_row(incident: Incident) -> IncidentRow:
    first = incident.findings[0] if incident.findings else None
    return IncidentRow(
        incident=incident,
        key=incident.key,
        lost=count_text(incident.requests_lost, at_least=incident.at_least),
        share=share_of(incident),
        hops=hop_pieces(incident.by_hop, at_least=incident.around.get("at_least", ())),
        cause=cause_words(incident.cause),
        confidence=confidence_words(incident.confidence) if incident.cause else "",
        more=max(0, len(incident.findings) - 1) if first else 0,
    )


def share_of(incident: Incident) -> str:
    """Lost of all requests of its time; "" where these are not measured, or may be more than
    counted: a share of too few would be too large."""
    if not incident.requests or incident.around.get("requests_at_least"):
        return ""
    share = incident.requests_lost / max(incident.requests, incident.requests_lost)
    return share_text(share, at_least=incident.at_least)


def incident_fragment(row: IncidentRow, *, now: datetime) -> Fragment:
    """The row as page and socket share it, rendered once a version."""
    facts = (row.url, row.model_url, row.lost, row.share, row.hops, row.cause, row.confidence)
    stamp = stamp_of(row.incident.version, row.incident.started_at, facts, get_language())
    kept = KEPT_INCIDENTS.get(row.dom_id, stamp)
    if kept is not None and not row.ongoing:
        return kept
    context = {"row": row, "stamp": stamp, "length_s": row.length_s(now)}
    html = render_to_string("partials/incident_row.html", context)
    fragment = Fragment(row.dom_id, stamp, html.strip())
    KEPT_INCIDENTS.put(fragment)
    return fragment

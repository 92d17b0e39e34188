"""What is known of one incident, read for its page and for its post-mortem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.happened import Kind, Line, actions_in, happened
from dashboard.ranges import moment_text
from dashboard.staleness import stale_clusters
from dashboard.views.finding_cards import FindingCard, finding_cards, nowhere
from dashboard.views.incident_hops import HopLine, dark_hops, hop_lines
from dashboard.views.incident_row import IncidentRow, incident_row
from dashboard.views.model_insight import places_of
from dashboard.views.model_row import ModelRow, model_row
from dashboard.views.row_fragments import may_act
from dashboard.words import Words
from fleet.history.incident_around import AFTER, BEFORE, around
from fleet.models import Cluster, Incident, ServedModel

MOST_SIMILAR = 10
# While an incident goes on, metrics this old leave it open whether it still does.
UNREAD_AFTER = timedelta(minutes=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPage:
    """One incident and what stands around it.

    hop_lines: most first. dark: hops of its path that cannot be told apart. lines: what happened,
    oldest first, its first and last error among it. similar: earlier ones of the same model and
    cause. unread: spans within it that were not read. blind_since: it goes on, and metrics were
    last read then; None = they are read. model: its row with buttons, while it goes on and the
    model is there.
    """

    row: IncidentRow
    model: ModelRow | None
    team: str
    length_s: float
    hop_lines: Sequence[HopLine]
    dark: Sequence[Words]
    lines: Sequence[Line]
    similar: Sequence[IncidentRow]
    older: Incident | None
    newer: Incident | None
    unread: Sequence[tuple[datetime, datetime]]
    blind_since: datetime | None
    timeline_url: str

    @property
    def incident(self) -> Incident:
        return self.row.incident

    @property
    def findings(self) -> list[FindingCard]:
        """Best first."""
        places = places_of(self.row.key) if self.row.model_url else nowhere
        return finding_cards(self.incident.findings, places)

    @property
    def actions(self) -> list[Line]:
        return actions_in(self.lines)

    @property
    def unseen_end(self) -> bool:
        """Nobody saw its end: metrics stopped before it."""
        return bool(self.incident.around.get("unseen_end"))


def incident_in_scope(pk: int, grant: Grant) -> Incident | None:
    """None = no such incident in scope."""
    return within(Incident.objects.all(), grant).filter(pk=pk).first()


def incident_page(incident: Incident, grant: Grant, *, now: datetime) -> IncidentPage:
    row = incident_row(incident)
    model = ServedModel.objects.filter(
        cluster=incident.cluster, model_uid=incident.model_uid
    ).first()
    neighbours = Incident.objects.of(incident.key).only("started_at")
    earlier = Q(started_at__lt=incident.started_at)
    return IncidentPage(
        row=row,
        model=_model_row(incident, model, grant, now=now),
        team=model.team if model else "",
        length_s=row.length_s(now),
        hop_lines=hop_lines(incident),
        dark=dark_hops(incident, model),
        lines=_lines(incident, now=now),
        similar=[incident_row(each) for each in _similar(incident)],
        older=neighbours.filter(earlier).newest_first().first(),
        newer=neighbours.filter(started_at__gt=incident.started_at).order_by("started_at").first(),
        unread=_unread(incident),
        blind_since=_blind_since(incident, now=now),
        timeline_url=_timeline_url(incident, now=now),
    )


def _model_row(
    incident: Incident, model: ServedModel | None, grant: Grant, *, now: datetime
) -> ModelRow | None:
    if incident.ended_at is not None or model is None or model.gone_at is not None:
        return None
    stale = stale_clusters(now=now)
    return model_row(model, (), stale=stale, may_act=may_act(grant), now=now)


def around_of(incident: Incident, *, now: datetime) -> Mapping[str, Any]:
    """What happened about it: as kept at its end, from the facts while it goes on."""
    if incident.ended_at is not None:
        return dict(incident.around)
    return around(incident.key, incident.started_at, now)


def _lines(incident: Incident, *, now: datetime) -> list[Line]:
    edges = [Line(at=incident.started_at, kind=Kind.ERRORS, says=_("first error of a caller"))]
    if incident.ended_at is not None:
        edges.append(Line(at=incident.ended_at, kind=Kind.ERRORS, says=_("last error of a caller")))
    lines = [*edges, *happened(around_of(incident, now=now))]
    return sorted(lines, key=lambda line: line.at)


def _similar(incident: Incident) -> list[Incident]:
    """Earlier ones of this model, of the same cause where one is known; the newest first."""
    rows = Incident.objects.of(incident.key).filter(started_at__lt=incident.started_at)
    if incident.cause:
        rows = rows.filter(cause=incident.cause)
    return list(rows.newest_first()[:MOST_SIMILAR])


def _unread(incident: Incident) -> list[tuple[datetime, datetime]]:
    spans = [
        (datetime.fromisoformat(since), datetime.fromisoformat(until))
        for since, until in incident.around.get("unread", ())
    ]
    end = incident.ended_at
    return [(since, until) for since, until in spans if end is None or since < end]


def _blind_since(incident: Incident, *, now: datetime) -> datetime | None:
    if incident.ended_at is not None:
        return None
    cluster = Cluster.objects.present().filter(name=incident.cluster).first()
    read_to = cluster.metrics_read_to if cluster else None
    seen = max(filter(None, (read_to, incident.last_error_at)))
    return seen if seen < now - UNREAD_AFTER else None


def _timeline_url(incident: Incident, *, now: datetime) -> str:
    """Where the model's timeline of that time is read; "" for a name that no address can hold."""
    key = incident.key
    since, until = incident.started_at - BEFORE, (incident.ended_at or now) + AFTER
    said = {"since": moment_text(since), "until": moment_text(min(until, now))}
    try:
        place = reverse("model-timeline", args=(key.cluster, key.kind, key.namespace, key.name))
    except NoReverseMatch:
        return ""
    return f"{place}?{urlencode(said)}"

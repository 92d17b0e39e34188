"""Rows as HTML, rendered once per version, variant and language; page and socket share them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.template.loader import render_to_string
from django.utils.translation import get_language

from dashboard.access.rules import Grant, Role, includes
from dashboard.live.fragments import Fragment
from dashboard.live.kept import KeptFragments
from dashboard.views.fleet_page import FleetPage
from dashboard.views.model_row import model_row
from fleet.models import ColdStart, Incident, ServedModel

# Rendered rows kept; one takes some 4 KB.
KEPT_ROWS = KeptFragments(most=4000)


def row_fragments(page: FleetPage, grant: Grant, *, now: datetime) -> list[Fragment]:
    """The page's rows in order. Two queries when every row is kept, three when some are not."""
    running = running_starts(page)
    broken = ongoing_incidents(page)
    stamps = {
        pk: _stamp(version, running[pk], broken.get(pk), stale=cluster in page.stale, grant=grant)
        for pk, version, cluster, _ in page.rows
    }
    kept = {pk: KEPT_ROWS.get(f"model-{pk}", stamp) for pk, stamp in stamps.items()}
    missing = [pk for pk, fragment in kept.items() if fragment is None]
    rows = ServedModel.objects.in_bulk(missing) if missing else {}
    made = {
        pk: _render(row, running[pk], broken.get(pk), stamps[pk], page=page, grant=grant, now=now)
        for pk, row in rows.items()
    }
    both = {**{pk: fragment for pk, fragment in kept.items() if fragment}, **made}
    return [both[pk] for pk in page.ids if pk in both]


def running_starts(page: FleetPage) -> dict[int, list[ColdStart]]:
    """Starts in flight of the page's rows, by the row's id, oldest first."""
    by_model = {(cluster, uid): pk for pk, _, cluster, uid in page.rows}
    found: dict[int, list[ColdStart]] = defaultdict(list)
    uids = [uid for _, uid in by_model]
    for start in ColdStart.objects.running().filter(model_uid__in=uids).order_by("started_at"):
        pk = by_model.get((start.cluster, start.model_uid))
        if pk is not None:
            found[pk].append(start)
    return found


def ongoing_incidents(page: FleetPage) -> dict[int, Incident]:
    """Incidents that go on of the page's rows, by the row's id."""
    by_model = {(cluster, uid): pk for pk, _, cluster, uid in page.rows}
    going_on = Incident.objects.ongoing().only("cluster", "model_uid", "started_at")
    found = ((by_model.get((each.cluster, each.model_uid)), each) for each in going_on)
    return {pk: each for pk, each in found if pk is not None}


def _stamp(
    version: int,
    running: Sequence[ColdStart],
    incident: Incident | None,
    *,
    stale: bool,
    grant: Grant,
) -> str:
    starts = ",".join(f"{start.pk}:{len(start.phases)}" for start in running)
    acts = "a" if may_act(grant) else "v"
    broken = f"i{incident.pk}" if incident else ""
    return f"{version}.{acts}{'s' if stale else ''}{broken}.{get_language()}.{starts}"


def may_act(grant: Grant) -> bool:
    """Whether the rows that this grant sees carry buttons: all of them or none."""
    return includes(grant.role, Role.OPERATOR)


def _render(
    row: ServedModel,
    running: Sequence[ColdStart],
    incident: Incident | None,
    stamp: str,
    *,
    page: FleetPage,
    grant: Grant,
    now: datetime,
) -> Fragment:
    shown = model_row(
        row, running, stale=page.stale, may_act=may_act(grant), now=now, incident=incident
    )
    html = render_to_string("partials/model_row.html", {"model": shown, "stamp": stamp})
    fragment = Fragment(shown.dom_id, stamp, html.strip())
    KEPT_ROWS.put(fragment)
    return fragment

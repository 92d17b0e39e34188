"""The parts of a model's page as fragments that page and socket share."""

from __future__ import annotations

from datetime import datetime

from django.forms.models import model_to_dict

from dashboard.live.fragments import Fragment
from dashboard.views.fleet_parts import aging_part, part
from dashboard.views.model_page import ModelPage


def model_parts(page: ModelPage, *, now: datetime) -> list[Fragment]:
    """Head, starts, revisions, replicas and probe failures. `now` is when the page was read."""
    context = {"page": page, "model": page.row, "now": now}
    row = page.row.row
    line = page.line and (page.line.tone, page.line.trouble, page.line.version)
    bar = page.row.bar and (page.row.bar.started_ms, len(page.row.bar.segments))
    head = row.pk, row.version, page.row.may_act, page.row.stale, page.gone, line, bar
    return [
        aging_part("model_head", head, context),
        part("model_starts", [_start_facts(page, n) for n in range(len(page.starts))], context),
        part("model_revisions", [model_to_dict(r) for r in page.revisions], context),
        part("model_replicas", [(r.pk, r.ready, r.node) for r in page.replicas], context),
        part("model_probes", [(p.pk, p.count, p.at) for p in page.probes], context),
    ]


def _start_facts(page: ModelPage, number: int) -> object:
    line = page.starts[number]
    start = line.start
    return start.pk, start.outcome, start.total_s, start.phases, line.typical

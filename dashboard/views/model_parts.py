"""The parts of a model's page as fragments that page and socket share."""

from __future__ import annotations

from datetime import datetime

from django.forms.models import model_to_dict

from dashboard.live.fragments import Fragment
from dashboard.views.fleet_parts import aging_part, part
from dashboard.views.model_insight import insight_cards, insight_parts
from dashboard.views.model_page import ModelPage
from dashboard.views.model_starts import StartLine


def model_parts(page: ModelPage, *, now: datetime) -> list[Fragment]:
    """The parts, in the order of the page. `now` is when the page was read."""
    context = {"page": page, "model": page.row, "now": now}
    row = page.row.row
    # The links of each part name the model.
    key = str(page.key)
    line = page.line and (page.line.tone, page.line.trouble, page.line.version)
    bar = page.row.bar and (page.row.bar.started_ms, len(page.row.bar.segments))
    log = page.flight_log and (str(page.flight_log.state), page.flight_log.silent_since)
    said = tuple(sorted(page.window.said.items())), page.window.name, bool(page.line)
    requests = {**context, "requests": page.requests}
    lost = sorted((page.flight_lost or {}).items())
    broken = page.row.incident and page.row.incident.pk
    head = row.pk, row.version, page.row.may_act, page.row.stale, page.gone, line, bar, log, lost
    incidents = [(each.incident.pk, each.incident.version) for each in page.incidents]
    return [
        aging_part("model_head", (*head, broken), context),
        part("model_requests", (key, said, page.requests.facts), requests),
        *insight_parts(insight_cards(row), page.key, context),
        part("model_starts", _starts_facts(page), context),
        part("model_revisions", (key, [model_to_dict(r) for r in page.revisions]), context),
        part("model_replicas", (key, [(r.pk, r.ready, r.node) for r in page.replicas]), context),
        part("model_incidents", (key, incidents), context),
        part("model_probes", (key, [(p.pk, p.count, p.at) for p in page.probes]), context),
    ]


def _starts_facts(page: ModelPage) -> object:
    """What the list shows; without any start, the range that has none."""
    said = tuple(sorted(page.window.said.items())), page.window.name
    return str(page.key), [_start_facts(line) for line in page.starts], said, page.without_logs


def _start_facts(line: StartLine) -> object:
    start = line.start
    ghost = line.ghost and (line.ghost.total_s, line.ghost.source)
    eta = line.eta and (line.eta.typical_s, line.eta.slow_s, line.eta.late_s, line.eta.why)
    return start.pk, start.outcome, start.phases, ghost, eta, start.log, start.requests_lost

"""An incident as Markdown: a post-mortem's skeleton filled with what is known, all times UTC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from dashboard.cause_words import cause_words, confidence_words
from dashboard.charts.spoken import HOUR_S, MINUTE_S
from dashboard.kept_findings import kept_remedies, kept_summary
from dashboard.reports.markdown import plain
from dashboard.views.incident_page import IncidentPage

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")
EMPTY_LINES = re.compile(r"\n{3,}")
# What a person has to write.
OPEN = "_…_"


def file_name(page: IncidentPage) -> str:
    """Like "incident-7-llama-3-8b-20261130T0912Z.md"."""
    name = NOT_IN_NAMES.sub("-", page.row.key.name)[:80].strip("-.")
    return f"incident-{page.incident.pk}-{name}-{page.incident.started_at:%Y%m%dT%H%MZ}.md"


def markdown(page: IncidentPage, *, address: str, now: datetime) -> str:
    """address: of the incident's page."""
    parts = (
        _head(page, address=address, now=now),
        _summary(page),
        _impact(page),
        _timeline(page),
        _cause(page),
        _done(page),
        _next_steps(),
        _figures(page, address=address),
    )
    text = "\n".join(line for part in parts for line in (*part, "")).rstrip() + "\n"
    return EMPTY_LINES.sub("\n\n", text)


def _head(page: IncidentPage, *, address: str, now: datetime) -> Iterator[str]:
    title = {"n": page.incident.pk, "model": page.row.key.name}
    yield f"# {plain(_('Incident %(n)d: errors of %(model)s') % title)}"
    yield ""
    yield f"- {plain(_('Model'))}: {plain(str(page.row.key))}"
    if page.team:
        yield f"- {plain(_('Team'))}: {plain(page.team)}"
    yield f"- {plain(_('Began'))}: {_utc(page.incident.started_at)} UTC"
    ended = page.incident.ended_at
    yield f"- {plain(_('Ended'))}: {f'{_utc(ended)} UTC' if ended else _goes_on(now)}"
    yield f"- {plain(_('Page'))}: <{address}>"


def _goes_on(now: datetime) -> str:
    return f"{_('goes on')} ({_('written at')} {_utc(now)} UTC)"


def _summary(page: IncidentPage) -> Iterator[str]:
    yield f"## {_('Summary')}"
    yield ""
    yield plain(_lost_sentence(page))
    cause = page.incident.cause
    if cause:
        said = {"cause": cause_words(cause), "sure": page.row.confidence}
        yield plain(_("Cause: %(cause)s (%(sure)s).") % said)
    yield ""
    yield OPEN


def _lost_sentence(page: IncidentPage) -> str:
    said: dict[str, object] = {"lost": page.row.lost, "length": _length(page.length_s)}
    if page.row.share:
        said |= {"requests": page.incident.requests, "share": page.row.share}
        return _("%(lost)s of %(requests)s requests were lost in %(length)s (%(share)s).") % said
    return _("%(lost)s requests were lost in %(length)s.") % said


def _impact(page: IncidentPage) -> Iterator[str]:
    yield f"## {_('Impact')}"
    yield ""
    yield _row([_("Answered by"), _("Code"), _("Requests"), _("What it means")])
    yield "|---|---:|---:|---|"
    for line in page.hop_lines:
        yield _row([str(line.label), str(line.code), line.figure, str(line.means)])
    if page.incident.client_gone:
        gone = {"n": page.incident.client_gone}
        yield ""
        yield plain(_("%(n)d callers left before an answer; they are not counted above.") % gone)
    if page.dark:
        hops = ", ".join(str(hop) for hop in page.dark)
        yield ""
        yield plain(_("Cannot be told apart there: %(hops)s.") % {"hops": hops})
    for since, until in page.unread:
        yield ""
        yield f"{plain(_('Metrics were not read from'))} {_utc(since)} – {_utc(until)}."


def _timeline(page: IncidentPage) -> Iterator[str]:
    yield f"## {_('Timeline (UTC)')}"
    yield ""
    yield _row([_("When"), _("What"), ""])
    yield "|---|---|---|"
    for line in page.lines:
        yield _row([_utc(line.at), str(line.label), line.says])


def _cause(page: IncidentPage) -> Iterator[str]:
    yield f"## {_('Cause')}"
    yield ""
    if not page.incident.findings:
        yield plain(_("Not diagnosed."))
    for finding in page.incident.findings:
        yield from _finding(finding)
    yield ""
    yield OPEN


def _finding(finding: Mapping[str, Any]) -> Iterator[str]:
    confidence = float(finding.get("confidence") or 0.0)
    sure = f"{confidence_words(confidence)}, {confidence:.2f}"
    yield f"**{plain(str(cause_words(str(finding.get('cause', '')))))}** ({plain(sure)})"
    yield ""
    yield plain(kept_summary(finding))
    yield ""
    for piece in finding.get("evidence") or ():
        yield f"- {_of(piece)}: {plain(str(piece.get('says', '')))}"
    remedies = "; ".join(kept_remedies(finding))
    if remedies:
        yield ""
        yield plain(_("What helps: %(remedies)s.") % {"remedies": remedies})
    yield ""


def _of(piece: Mapping[str, Any]) -> str:
    """What it is and where; a reference that begins with its kind says both."""
    kind, ref = str(piece.get("kind", "")), str(piece.get("ref", ""))
    return plain(ref if ref.lower().startswith(f"{kind}/") else f"{kind} {ref}")


def _done(page: IncidentPage) -> Iterator[str]:
    yield f"## {_('What was done')}"
    yield ""
    for line in page.actions:
        yield f"- {_utc(line.at)}: {plain(line.says)}"
    if not page.actions:
        yield plain(_("Nothing was done through Pilot Light."))
    yield ""
    yield OPEN


def _next_steps() -> Iterator[str]:
    yield f"## {_('What we change')}"
    yield ""
    yield f"- [ ] {OPEN}"


def _figures(page: IncidentPage, *, address: str) -> Iterator[str]:
    yield f"## {_('Figures and where they are from')}"
    yield ""
    counted = _("windows of 30 s of the cluster's metrics, kept by Pilot Light")
    yield f"- {plain(_('Requests and errors'))}: {plain(counted)}"
    if page.incident.at_least:
        yield f"- ≥: {plain(_('a lower bound; what was not read or cannot be told is not in it'))}"
    kept = _("what Pilot Light saw on the cluster from ten minutes before to five after")
    yield f"- {plain(_('Starts, scaling, probes, revisions, actions'))}: {plain(kept)}"
    yield f"- JSON: <{address.rsplit('/incidents/', 1)[0]}/api/v1/incidents/{page.incident.pk}>"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(plain(cell) for cell in cells) + " |"


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _length(seconds: float) -> str:
    """Like "38 s", "2 min 35 s", "1 h 4 min": a clock's 2:35 may be hours."""
    if seconds < HOUR_S:
        minutes, rest = divmod(round(seconds), MINUTE_S)
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    hours, rest = divmod(round(seconds / MINUTE_S), HOUR_S // MINUTE_S)
    return f"{hours} h {rest} min"

"""Links to a table as files."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template
from django.urls import reverse

from dashboard.ranges import TimeRange
from fleet.domain.records.keys import ModelKey

register = template.Library()


@register.inclusion_tag("partials/file_links.html")
def model_files(
    table: str, key: ModelKey, window: TimeRange | None = None, *, what: str = ""
) -> dict[str, str]:
    """The rows of one model; of a time range, if one is given. what: words before the links."""
    said = {"model": str(key)}
    if window is not None:
        said |= {"range": window.name} if window.name else dict(window.said)
    return {"table": table, "address": urlencode(said), "what": what}


@register.inclusion_tag("partials/file_links.html")
def start_files(start_id: int) -> dict[str, str]:
    """The phases of one start."""
    return {"table": "phases", "address": urlencode({"start": start_id})}


@register.simple_tag
def all_starts(key: ModelKey) -> str:
    """The list of all starts of one model."""
    return f"{reverse('cold-starts')}?{urlencode({'model': str(key), 'range': '90d'})}"

"""A recorded past that became history, or is becoming it, in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fleet.models import Cluster

DAY_S = 86400.0


def past_progress(past: Mapping[str, Any]) -> str:
    """How far it was read, while it is read or if that broke off; "" when there is nothing to
    say."""
    if past.get("state") not in ("reading", "failed"):
        return ""
    read, whole = _days(past, "read_to"), _days(past, "until")
    figures = {"read": f"{read:.1f}" if whole < 3 else f"{read:.0f}", "days": _text(whole)}
    if past["state"] == "failed":
        return _("the past was read for %(read)s of %(days)s, then broke off") % figures
    return _("reading the past: %(read)s of %(days)s") % figures


def past_text(cluster: Cluster) -> str:
    """What a cluster's history was made of beside watching it; "" = nothing else."""
    past = cluster.past
    if past.get("state") != "done":
        return past_progress(past)
    figures = {"days": _text(_days(past, "until"))}
    told = (
        _("history of %(days)s, made by the simulator")
        if cluster.simulated
        else _("history of %(days)s, read from a recording")
    )
    return told % figures


def _days(past: Mapping[str, Any], name: str) -> float:
    """Days from the past's beginning to the moment of that name."""
    since, until = (datetime.fromisoformat(past[key]) for key in ("since", name))
    return (until - since).total_seconds() / DAY_S


def _text(days: float) -> str:
    count = f"{days:.1f}".removesuffix(".0")
    return ngettext("%(count)s day", "%(count)s days", round(days)) % {"count": count}

"""When a start in flight will be ready, in words that the browser goes on saying as time passes.

static/js/clock.js says the same sentences from the same numbers: `tellEta`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts.spoken import clock_text
from fleet.domain.compare.flight import Confidence
from fleet.domain.compare.like import Kin


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEta:
    """All in s since the start was demanded; None = not known.

    typical_s, slow_s: when it should be ready, by half of comparable starts and by 95 % of them.
    late_s, overdue_s: from when on it is late, and overdue. why: which limit overdue is.
    tone: "", "late" or "overdue" at `now`; says: the sentence at `now`. source: which starts this
    is from; briefly: the same in a few words; both "" until its row knows it.
    """

    started_ms: int
    typical_s: float | None = None
    slow_s: float | None = None
    late_s: float | None = None
    overdue_s: float | None = None
    why: str = ""
    tone: str = ""
    says: str = ""
    source: str = ""
    briefly: str = ""


def start_eta(flight: Mapping[str, Any], started_at: datetime, *, now: datetime) -> StartEta:
    """flight: one of a fleet row's `in_flight` (docs/api.md); {} = not in its row yet."""
    typical_s, slow_s = whole_s(flight, "eta_p50_s"), whole_s(flight, "eta_p95_s")
    late_s, overdue_s = flight.get("late_after_s"), flight.get("overdue_after_s")
    why = _why(flight)
    elapsed_s = (now - started_at).total_seconds()
    tone = tone_at(elapsed_s, late_s=late_s, overdue_s=overdue_s)
    says = _late_says(elapsed_s, late_s, why, overdue=tone == "overdue")
    return StartEta(
        started_ms=round(started_at.timestamp() * 1000),
        typical_s=typical_s,
        slow_s=slow_s,
        late_s=late_s,
        overdue_s=overdue_s,
        why=why,
        tone=tone,
        says=says if tone else remaining_says(elapsed_s, typical_s=typical_s, slow_s=slow_s),
        source=_source(flight),
        briefly=_briefly(flight),
    )


def whole_s(flight: Mapping[str, Any], what_remains: str) -> float | None:
    """The whole length that goes with what remained when the row was written."""
    remains, elapsed = flight.get(what_remains), flight.get("elapsed_s")
    return None if remains is None or elapsed is None else round(float(elapsed) + float(remains), 1)


def tone_at(elapsed_s: float, *, late_s: float | None, overdue_s: float | None) -> str:
    if overdue_s is not None and elapsed_s > overdue_s:
        return "overdue"
    return "late" if late_s is not None and elapsed_s > late_s else ""


def remaining_says(elapsed_s: float, *, typical_s: float | None, slow_s: float | None) -> str:
    """What remains; "" where nothing tells."""
    typical = (typical_s or 0.0) - elapsed_s
    slow = (slow_s or 0.0) - elapsed_s
    if typical > 0:
        until = f"–{clock_text(slow)}" if slow > typical else ""
        return _("ready in %(s)s") % {"s": f"{clock_text(typical)}{until}"}
    if slow > 0:
        return _("ready within %(s)s") % {"s": clock_text(slow)}
    return "" if typical_s is None else _("longer than usual")


def _late_says(elapsed_s: float, late_s: float | None, why: str, *, overdue: bool) -> str:
    if overdue:
        return _("overdue: %(why)s") % {"why": why}
    return _("late: %(s)s past its p95") % {"s": clock_text(elapsed_s - (late_s or 0.0))}


def _why(flight: Mapping[str, Any]) -> str:
    """Which limit comes first."""
    deadline_s, p95_s = flight.get("deadline_s"), flight.get("late_after_s")
    if deadline_s is not None and deadline_s == flight.get("overdue_after_s"):
        return _("past its deadline of %(s)s") % {"s": clock_text(deadline_s)}
    return _("over twice its p95 of %(s)s") % {"s": clock_text(p95_s)} if p95_s else ""


def _of_revision(n: int) -> str:
    return ngettext(
        "from %(n)d start of this revision", "from %(n)d starts of this revision", n
    ) % {"n": n}


def _of_image(n: int) -> str:
    return ngettext("from %(n)d start of this image", "from %(n)d starts of this image", n) % {
        "n": n
    }


def _of_model(n: int) -> str:
    return ngettext("from %(n)d start of this model", "from %(n)d starts of this model", n) % {
        "n": n
    }


def _of_cluster(n: int) -> str:
    return _("from %(n)d starts of like models on this cluster: low confidence") % {"n": n}


def _of_fleet(n: int) -> str:
    return _("from %(n)d starts of like models in the fleet: low confidence") % {"n": n}


SOURCES: Mapping[Kin, Callable[[int], str]] = {
    Kin.REVISION: _of_revision,
    Kin.IMAGE: _of_image,
    Kin.MODEL: _of_model,
    Kin.CLUSTER: _of_cluster,
    Kin.FLEET: _of_fleet,
}


def _source(flight: Mapping[str, Any]) -> str:
    if not flight:
        return ""
    kin, slow = flight.get("eta_from"), flight.get("eta_p95_from")
    if kin not in SOURCES:
        return _("too few starts to tell")
    says = SOURCES[Kin(str(kin))](int(flight.get("eta_n") or 0))
    widened = flight.get("eta_confidence") == Confidence.WIDENED
    if widened and slow in {Kin.CLUSTER, Kin.FLEET} and slow != kin:
        others = _("its slow end from %(n)d starts of like models: low confidence")
        return f"{says}, {others % {'n': int(flight.get('eta_p95_n') or 0)}}"
    return says


def _briefly(flight: Mapping[str, Any]) -> str:
    if not flight:
        return ""
    kin = flight.get("eta_from")
    if kin not in SOURCES:
        return _("too few starts to tell")
    if kin == Kin.FLEET:
        return _("fleet: low confidence")
    if kin == Kin.CLUSTER:
        return _("cluster: low confidence")
    n = int(flight.get("eta_n") or 0)
    return ngettext("from %(n)d start", "from %(n)d starts", n) % {"n": n}

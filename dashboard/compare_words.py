"""What comparisons of revisions say, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dashboard.charts.figures import short_names
from dashboard.charts.spoken import clock_text
from dashboard.words import PHASE_LABELS, word
from fleet.domain.compare.regression import ENOUGH, Change, PhaseShift, Regression, Verdict

# Phases that a sentence names, and the least of a change that is worth its name, s.
PHASES_NAMED = 2
LEAST_NAMED_S = 1.0
LEAST_SHOWN_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeWords:
    """tone: "slower", "faster", "none" or "too-few". more: how sure that is, by what measure."""

    tone: str
    says: str
    more: str = ""


def regression_words(found: Regression) -> ChangeWords:
    """What stands now: the first bad revision while it is not mended, else the newest one."""
    change = found.standing or found.newest
    if change is None or change.before is None and len(found.changes) < 2:
        return ChangeWords(tone="none", says=_("Starts of one revision only: nothing to compare."))
    return change_words(change)


def change_words(change: Change) -> ChangeWords:
    """One revision against the one before it."""
    if change.verdict is Verdict.TOO_FEW or change.before is None:
        return _too_few(change)
    old, new = short_names([change.before.name, change.after.name])
    named = {"new": new, "old": old, "n": f"{change.after.n}/{change.before.n}"}
    if change.verdict is Verdict.NONE:
        says = _("No difference between %(new)s and %(old)s that the data can show (n %(n)s).")
        more = _("Middle shift %(shift)s; said from 10 %% and 5 s on, if hardly by chance.")
        shift = {"shift": signed(change.effect_s or 0.0)}
        return ChangeWords(tone="none", says=says % named, more=more % shift)
    named["by"] = clock_text(abs(change.effect_s or 0.0))
    return ChangeWords(
        tone=change.verdict.value,
        says=_moved(change, named) + _because(change.phases, change.verdict),
        more=_sureness(change),
    )


def _moved(change: Change, named: dict[str, str]) -> str:
    if change.verdict is Verdict.SLOWER:
        return _("Revision %(new)s starts %(by)s slower than %(old)s (n %(n)s)") % named
    return _("Revision %(new)s starts %(by)s faster than %(old)s (n %(n)s)") % named


def _because(phases: Sequence[PhaseShift], verdict: Verdict) -> str:
    """The phases that moved most the same way: ": load engine +38 s"."""
    sign = 1.0 if verdict is Verdict.SLOWER else -1.0
    told = [p for p in phases[:PHASES_NAMED] if p.seconds * sign >= LEAST_NAMED_S]
    names = ", ".join(f"{word(PHASE_LABELS, p.phase)} {signed(p.seconds)}" for p in told)
    return f": {names}" if names else ""


def _too_few(change: Change) -> ChangeWords:
    if change.before is None:
        says = _("Too few starts to compare: no earlier revision has %(enough)d.")
        return ChangeWords(tone="too-few", says=says % {"enough": ENOUGH})
    old, new = short_names([change.before.name, change.after.name])
    says = _("Too few starts to compare: %(new)s has %(m)d, %(old)s %(n)d; %(enough)d are needed.")
    named = {"new": new, "old": old, "m": change.after.n, "n": change.before.n, "enough": ENOUGH}
    return ChangeWords(tone="too-few", says=says % named)


def _sureness(change: Change) -> str:
    share = f"{change.effect_share:+.0%}" if change.effect_share is not None else ""
    chance = change.chance if change.chance is not None else 1.0
    odds = _("under 0.1 %") if chance < 0.001 else f"{100 * chance:.1f} %"
    said = _("chance of that without a cause %(odds)s") % {"odds": odds}
    return " · ".join(part for part in (share, said) if part)


def signed(seconds: float) -> str:
    """Like "+38 s", "−1:10"; "0 s" for what rounds to nothing."""
    if abs(seconds) < LEAST_SHOWN_S:
        return "0 s"
    return f"{'−' if seconds < 0 else '+'}{clock_text(abs(seconds))}"

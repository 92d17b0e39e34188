"""Remaining time as the product would have told it, against when the starts really ended.

Starts come in the order of time; each is asked at several moments by those that had ended before.
Only models with twenty comparable starts of their own are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from statistics import median

from benchmarks.common import print_line
from fleet.domain.coldstart.start import ColdStart, Outcome, Phase, StartMode
from fleet.domain.compare.eta import Progress
from fleet.domain.compare.flight import chosen, eta
from fleet.domain.compare.records import Compared

# Shares of a start's length at which it is asked.
ASKED_AT = (0.05, 0.25, 0.5, 0.75)
UNDER_P95_AT_LEAST = 0.90
WIDTH_AT_MOST = 0.6
# Before these nobody knows yet what the node had.
_MODE_KNOWN = frozenset({Phase.LOAD_ENGINE, Phase.BECOME_READY, Phase.PULL_IMAGE})


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer. at: share of the start's length; the rest in s."""

    at: float
    true_s: float
    p50_s: float
    p95_s: float


def compared(starts: Iterable[ColdStart], cluster: str) -> list[tuple[ColdStart, Compared]]:
    """In the order of their beginning, with what comparing knows of them at their end."""
    ids = count(1)
    ready = [start for start in starts if start.outcome is Outcome.READY and start.total_s]
    ready.sort(key=lambda start: start.started_at)
    return [(start, _record(start, next(ids), cluster)) for start in ready]


def _record(start: ColdStart, number: int, cluster: str) -> Compared:
    return Compared(
        id=number,
        model=str(start.model),
        model_uid=start.model_uid,
        cluster=cluster,
        started_at=start.started_at,
        outcome=start.outcome.value,
        trigger=start.trigger.value,
        start_mode=start.start_mode.value,
        total_s=start.total_s,
        phases_s={span.phase.value: span.seconds for span in start.phases},
        revision=start.revision,
        revision_uid=start.revision_uid,
        node=start.node or "",
        image_digest=start.image_digest,
        weights_from=start.weights_from,
        gpus=start.gpus,
    )


def asked(pairs: Sequence[tuple[ColdStart, Compared]]) -> Iterator[Asked]:
    """Every start at every moment, as far as twenty of its like were known."""
    for start, record in pairs:
        own = [each for each in pairs if each[1].model_uid == record.model_uid]
        for at in ASKED_AT:
            answer = _ask(start, record, own, at=at)
            if answer is not None:
                yield answer


def _ask(
    start: ColdStart, record: Compared, own: Sequence[tuple[ColdStart, Compared]], *, at: float
) -> Asked | None:
    elapsed_s = at * (start.total_s or 0.0)
    now = start.started_at + timedelta(seconds=elapsed_s)
    span = next((each for each in start.phases if each.ended_at and each.ended_at > now), None)
    if span is None:
        return None
    pool = [other for known, other in own if known.ended_at and known.ended_at <= now]
    subject = record if span.phase in _MODE_KNOWN else _mode_unknown(record)
    by = chosen(subject, pool)
    in_phase_s = (now - span.started_at).total_seconds()
    told = eta(Progress(elapsed_s=elapsed_s, phase=span.phase, in_phase_s=in_phase_s), by)
    if not by.slow.own or told.p50_s is None or told.p95_s is None:
        return None
    return Asked(at, (start.total_s or 0.0) - elapsed_s, told.p50_s, told.p95_s)


def _mode_unknown(record: Compared) -> Compared:
    return replace(record, start_mode=StartMode.UNKNOWN.value)


def report_eta(answers: Sequence[Asked], *, note: str = "") -> bool:
    """One line over all moments, which is judged, and one a moment."""
    if not answers:
        print_line({"name": f"{note}eta", "n": 0, "ok": None, "note": "no model had twenty starts"})
        return True
    for at in ASKED_AT:
        some = [answer for answer in answers if answer.at == at]
        if some:
            print_line({"name": f"{note}eta at {at:.0%} of a start", **_figures(some)})
    figures = _figures(answers)
    ok = figures["under_p95"] >= UNDER_P95_AT_LEAST and figures["median_width"] <= WIDTH_AT_MOST
    budget = {"under_p95": UNDER_P95_AT_LEAST, "median_width": WIDTH_AT_MOST}
    print_line({"name": f"{note}eta", **figures, "budget": budget, "ok": ok})
    return ok


def _figures(answers: Sequence[Asked]) -> dict[str, float]:
    under = sum(answer.true_s <= answer.p95_s for answer in answers) / len(answers)
    widths = [(answer.p95_s - answer.p50_s) / max(0.1, answer.p50_s) for answer in answers]
    off = [abs(answer.true_s - answer.p50_s) for answer in answers]
    return {
        "n": len(answers),
        "under_p95": round(under, 4),
        "median_width": round(median(widths), 3),
        "median_off_s": round(median(off), 2),
    }

"""Starts in flight in the API's form: where each is, what remains, how late it is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from fleet.domain.compare.eta import Progress
from fleet.domain.compare.flight import Chosen, Eta, Limits, chosen, eta, lateness
from fleet.domain.compare.like import Like
from fleet.domain.compare.records import Compared
from fleet.history.compared import with_phases, without_phases
from fleet.models import ColdStart
from fleet.models.cold_start import ColdStartQuerySet

# How far back comparable starts are looked for, and how many of the newest: of each model in
# flight, and of the whole fleet where one has too few of its own.
BACK = timedelta(days=30)
OWN_AT_MOST = 200
FLEET_AT_MOST = 1_000
IDS_AT_ONCE = 500


def flights(running: Sequence[ColdStart], *, now: datetime) -> dict[int, dict[str, object]]:
    """By id of the start. One query for each model in flight, one for the fleet if any of them
    needs it, and one for every 500 starts that are compared with; all of them bounded."""
    if not running:
        return {}
    subjects = {row.pk: _subject(row) for row in running}
    choices = _choices(subjects, running, now=now)
    told = _told({start.id for choice in choices.values() for start in choice.starts})
    return {row.pk: _flight(row, _whole(choices[row.pk], told), now=now) for row in running}


def _subject(row: ColdStart) -> Compared:
    return Compared(
        id=row.pk,
        model=str(row.key),
        model_uid=row.model_uid,
        cluster=row.cluster,
        started_at=row.started_at,
        outcome=row.outcome,
        trigger=row.trigger,
        start_mode=row.start_mode,
        total_s=row.total_s,
        revision_uid=row.revision_uid,
        image_digest=row.image_digest,
        engine_version=row.engine_version,
        weights_from=row.weights_from,
        gpus=row.gpus,
    )


def _choices(
    subjects: dict[int, Compared], running: Iterable[ColdStart], *, now: datetime
) -> dict[int, Chosen]:
    """The fleet is asked only where some model has too few starts of its own."""
    recent = ColdStart.objects.ready().started_since(now - BACK)
    own = _own({(row.cluster, row.model_uid) for row in running}, recent)
    choices = {pk: chosen(subject, own) for pk, subject in subjects.items()}
    poor = [pk for pk, choice in choices.items() if choice.slow.kin is None]
    if poor:
        fleet = without_phases(recent, at_most=FLEET_AT_MOST).starts
        pool = list({start.id: start for start in (*own, *fleet)}.values())
        choices |= {pk: chosen(subjects[pk], pool) for pk in poor}
    return choices


def _own(models: Iterable[tuple[str, str]], recent: ColdStartQuerySet) -> list[Compared]:
    """Of each model by its own index: asked for several at once, a database may walk all recent
    starts instead, and one model's many would hide another's few."""
    return [
        start
        for cluster, uid in sorted(models)
        for start in without_phases(
            recent.filter(cluster=cluster, model_uid=uid), at_most=OWN_AT_MOST
        ).starts
    ]


def _told(ids: Iterable[int]) -> dict[int, Compared]:
    """The chosen starts with their phases."""
    wanted = sorted(ids)
    found: dict[int, Compared] = {}
    for first in range(0, len(wanted), IDS_AT_ONCE):
        some = ColdStart.objects.filter(pk__in=wanted[first : first + IDS_AT_ONCE])
        found |= {start.id: start for start in with_phases(some, at_most=IDS_AT_ONCE).starts}
    return found


def _whole(choice: Chosen, told: dict[int, Compared]) -> Chosen:
    return Chosen(typical=_with(choice.typical, told), slow=_with(choice.slow, told))


def _with(like: Like, told: dict[int, Compared]) -> Like:
    return replace(like, starts=tuple(told.get(start.id, start) for start in like.starts))


def _flight(row: ColdStart, by: Chosen, *, now: datetime) -> dict[str, object]:
    """docs/api.md, "State and age", says what the keys mean."""
    elapsed_s = max(0.0, (now - row.started_at).total_seconds())
    phase = row.phases[-1] if row.phases else {}
    progress = Progress(
        elapsed_s=elapsed_s,
        phase=str(phase.get("phase") or ""),
        in_phase_s=_since(phase.get("started_at"), now=now),
    )
    return {
        "id": row.pk,
        "replica": row.replica,
        "phase": phase.get("phase"),
        "phase_started_at": phase.get("started_at"),
        "started_at": row.started_at.isoformat(),
        "start_mode": row.start_mode,
        "outcome": row.outcome,
        "elapsed_s": round(elapsed_s, 1),
        **_eta_json(
            eta(progress, by, deadline_s=row.progress_deadline_s),
            elapsed_s=elapsed_s,
        ),
    }


def _since(moment: object, *, now: datetime) -> float:
    if not isinstance(moment, str):
        return 0.0
    return max(0.0, (now - datetime.fromisoformat(moment)).total_seconds())


def _eta_json(found: Eta, *, elapsed_s: float) -> dict[str, object]:
    late, reason = lateness(elapsed_s, found.limits)
    return {
        "eta_p50_s": found.p50_s,
        "eta_p95_s": found.p95_s,
        "eta_from": found.kin,
        "eta_n": found.n,
        "eta_p95_from": found.p95_kin,
        "eta_p95_n": found.p95_n,
        "eta_confidence": found.confidence,
        "usual_phase_s": found.usual_phase_s,
        "late": late,
        "late_reason": reason,
        "late_after_s": found.limits.p95_s,
        "overdue_after_s": found.limits.overdue_s,
        "deadline_s": found.limits.deadline_s,
    }


def limits_of(kept: Mapping[str, Any]) -> Limits:
    """The limits of a kept flight, so that a reader can tell how late it is by now."""
    return Limits(p95_s=kept.get("late_after_s"), deadline_s=kept.get("deadline_s"))

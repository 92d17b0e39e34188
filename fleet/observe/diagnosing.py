"""Say what is wrong with models, and what could be better: the use case behind a worker's task.

Whoever is due is found from rows (`mark_due`), each is looked at by whoever claims it (`look_at`):
its objects are collected now, what was counted and measured of it is put beside them, and the
domain says what follows.
"""

import hashlib
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from fleet.domain.compare.flight import lateness
from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from fleet.domain.diagnosis.records import Cause, Finding
from fleet.domain.records.keys import ModelKey
from fleet.errors import FleetError, NotThere
from fleet.history import insights
from fleet.history.flights import limits_of
from fleet.history.incidents import ongoing_incident, set_incident_findings
from fleet.history.insight_shapes import finding_json
from fleet.history.insights import Claimed, Concluded, Subject
from fleet.history.requests import windows_of
from fleet.models import ServedModel
from fleet.observe.advising import Advice, advise
from fleet.observe.bundles import LOOK_BACK, whole_bundle
from fleet.observe.urgency import (
    LINT_EVERY,
    ORDER,
    TROUBLE,
    Flight,
    Standing,
    Why,
    advice_due,
    due,
    trouble,
)
from fleet.ports import Announcer, Clock, ObjectCollector

logger = logging.getLogger(__name__)

# Looks at one cluster at once.
AT_ONCE = 3
# Errors that were counted longer ago say nothing of now.
ERRORS_FOR = timedelta(minutes=10)
NO_CAUSE = frozenset({Cause.NONE, Cause.INSUFFICIENT_EVIDENCE})
# What a start that is not late may well be doing; and a stop as planned, whose errors are over.
UNDER_WAY = frozenset(
    {
        Cause.SCALE_FROM_ZERO,
        Cause.NODE_PROVISIONING,
        Cause.IMAGE_PULL_SLOW,
        Cause.MODEL_DOWNLOAD_SLOW,
        Cause.ENGINE_LOAD_SLOW,
        Cause.DRAINING,
    }
)
# Without an error that anybody saw, a cause has to be quite sure.
SURE = 0.7
BROKEN_RULE = {"code": "broken-rule", "text": "a rule broke; the log of the worker says which"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What looking takes. collector: of a cluster by name. profile_label: see `advise`."""

    clock: Clock
    collector: Callable[[str], ObjectCollector]
    announcer: Announcer
    profile_label: str = ""


def mark_due(clusters: Sequence[str], *, now: datetime) -> list[int]:
    """Note which models in trouble are due, and give the insights to look at now: worst first, a
    few a cluster."""
    wanted = [
        (subject.row, why.value)
        for subject in insights.troubled(clusters)
        if not _is_asked(subject)
        and (why := due(standing_of(subject, now=now), now=now)) is not None
    ]
    insights.ask(wanted, now=now)
    return _chosen(clusters, now=now)


def mark_advice(clusters: Sequence[str], *, now: datetime) -> None:
    """Note whose settings are to be judged: they are looked at in their turn."""
    wanted = [
        (subject.row, why.value)
        for subject in insights.unlinted(clusters, before=now - LINT_EVERY)
        if not _is_asked(subject) and (why := _advice_due(subject, now=now)) is not None
    ]
    insights.ask(wanted, now=now)


def _is_asked(subject: Subject) -> bool:
    return subject.insight is not None and subject.insight.due_at is not None


def _advice_due(subject: Subject, *, now: datetime) -> Why | None:
    insight = subject.insight
    return advice_due(
        mark=mark_of(subject.row),
        linted_for=insight.linted_for if insight else "",
        linted_at=insight.linted_at if insight else None,
        now=now,
    )


def _chosen(clusters: Sequence[str], *, now: datetime) -> list[int]:
    busy = insights.busy(now=now)
    chosen: list[int] = []
    for cluster, pk, _ in sorted(insights.waiting(now=now), key=_urgent):
        if cluster in clusters and busy[cluster] < AT_ONCE:
            busy[cluster] += 1
            chosen.append(pk)
    return chosen


def _urgent(waits: tuple[str, int, str]) -> int:
    """Stable, so that of equals who waits longest comes first."""
    return ORDER.index(Why(waits[2])) if waits[2] in set(Why) else len(ORDER)


def standing_of(subject: Subject, *, now: datetime) -> Standing:
    """A fleet row and its insight, as the rules of urgency read them."""
    row, insight = subject.row, subject.insight
    return Standing(
        state=row.state,
        changed_at=row.changed_at,
        lost=_lost(row, now=now),
        incident=subject.incident,
        probes=row.probe_serving_1h,
        flights=tuple(_flight(each, now=now) for each in row.in_flight if each.get("started_at")),
        finding=row.finding is not None,
        diagnosed_at=insight.diagnosed_at if insight else None,
    )


def _lost(row: ServedModel, *, now: datetime) -> int:
    fresh = row.errors_at is not None and now - row.errors_at <= ERRORS_FOR
    return int((row.errors or {}).get("lost") or 0) if fresh else 0


def _flight(kept: Mapping[str, Any], *, now: datetime) -> Flight:
    started_at = datetime.fromisoformat(kept["started_at"])
    late, _ = lateness((now - started_at).total_seconds(), limits_of(kept))
    return Flight(started_at=started_at, late=late.value)


def mark_of(row: ServedModel) -> str:
    """A digest of what advice rests on: settings as the row knows them, and figures that moved by
    a good deal."""
    figures = [round(3 * math.log2(row.p95_s)) if row.p95_s else None, row.count_7d >= 5]
    settings = [row.mode, row.revision_uid, row.min, row.max]
    return hashlib.sha256(repr([settings, figures]).encode()).hexdigest()


def look_at(pk: int, tools: Tools) -> bool:
    """Look at one model if nobody does; whether we did. Raises nothing of the cluster's."""
    claimed = insights.claim(pk, now=tools.clock())
    if claimed is None:
        return False
    began = tools.clock()
    subject = insights.subject(claimed.key.cluster, claimed.model_uid)
    if subject is None:
        insights.forget(claimed)
        return True
    try:
        collected = _collect(claimed, tools)
    except NotThere:
        insights.forget(claimed)
        return True
    except FleetError as error:
        logger.warning("could not look at model=%s because=%s", claimed.key, error)
        problem = {"code": "not-read", "text": str(error)[:300]}
        insights.set_problem(claimed, problem, now=tools.clock())
        return True
    _conclude(claimed, subject, collected, tools, began=began)
    return True


def _collect(claimed: Claimed, tools: Tools) -> Mapping[str, Any]:
    key = claimed.key
    collector = tools.collector(key.cluster)
    return collector.collect(kind=key.kind, namespace=key.namespace, name=key.name)


def _conclude(
    claimed: Claimed,
    subject: Subject,
    collected: Mapping[str, Any],
    tools: Tools,
    *,
    began: datetime,
) -> None:
    key, uid = claimed.key, claimed.model_uid
    windows = windows_of(key.cluster, [uid], since=began - LOOK_BACK, until=began)
    bundle = whole_bundle(collected, windows=windows.get(uid, ()), start_p95_s=subject.row.p95_s)
    why = _why(claimed, subject, now=began)
    found = _found(bundle, key)
    if found is None:
        insights.set_problem(claimed, BROKEN_RULE, now=tools.clock())
        return
    findings = [finding_json(each) for each in worth_showing(found, why)]
    advice = _advice(bundle, key, profile_label=tools.profile_label, now=began)
    concluded = Concluded(
        findings=findings,
        lint=advice.lint,
        profile=advice.profile,
        linted_for=mark_of(subject.row),
        collected=bundle,
        missing=bundle.get("missing") or (),
    )
    insights.conclude(claimed, concluded, began=began, now=tools.clock())
    incident = ongoing_incident(key.cluster, uid)
    if incident is not None and findings:
        set_incident_findings(incident, findings, now=tools.clock())
    logger.info(
        "looked at model=%s why=%s findings=%s lint=%d missing=%d took_s=%.2f",
        key,
        claimed.why,
        ",".join(each["cause"] for each in findings) or "none",
        len(advice.lint),
        len(concluded.missing),
        (tools.clock() - began).total_seconds(),
    )
    tools.announcer.changed(cluster=key.cluster, keys=[str(key)])


def _why(claimed: Claimed, subject: Subject, *, now: datetime) -> Why | None:
    """What is wrong by now; who asks gets an answer whatever that is."""
    found = trouble(standing_of(subject, now=now), now=now)
    asked = claimed.why == Why.ASKED and found not in TROUBLE
    return Why.ASKED if asked else found


def _found(bundle: Mapping[str, Any], key: ModelKey) -> tuple[Finding, ...] | None:
    """A rule that breaks must not keep the others' models from being looked at. None = one broke:
    what was found before stays."""
    try:
        return diagnose(evidence_from_bundle(bundle))
    except Exception:
        logger.exception("could not diagnose model=%s", key)
        return None


def _advice(
    bundle: Mapping[str, Any], key: ModelKey, *, profile_label: str, now: datetime
) -> Advice:
    try:
        return advise(bundle, key, profile_label=profile_label, now=now)
    except Exception:
        logger.exception("could not lint model=%s", key)
        return Advice()


def worth_showing(findings: Iterable[Finding], why: Why | None) -> list[Finding]:
    """A model without trouble has no finding, unless somebody asked; without an error that anybody
    saw only what is sure counts, and a start that is not late is no finding."""
    known = [each for each in findings if each.cause is not Cause.NONE]
    if why in TROUBLE:
        return known
    causes = [each for each in known if each.cause not in NO_CAUSE]
    if why is Why.ASKED:
        return causes
    if why in (Why.START_SLOW, Why.PROBES):
        return [e for e in causes if e.cause not in UNDER_WAY and e.confidence >= SURE]
    return []

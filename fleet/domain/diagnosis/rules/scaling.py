"""The scaler: it reads nothing, or what it orders comes too late or in bad steps.

Source: kubernetes pkg/controller/podautoscaler, KEDA pkg/scaling, knative pkg/autoscaler.
"""

import re
from datetime import datetime, timedelta

from fleet.domain.diagnosis.case import Case, configured, measured, quoted
from fleet.domain.diagnosis.claims import (
    DECISIVE,
    LIKELY,
    ONE_SIGN,
    STRONG,
    TWO_SIGNS,
    Seen,
    piece,
)
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import is_unscheduled, ready_at
from fleet.domain.diagnosis.reading.plain import within
from fleet.domain.diagnosis.records import Remedy
from fleet.domain.diagnosis.rules.ceilings import ceiling, ready_count
from fleet.domain.diagnosis.rules.load import QUEUED, WAITING, load_pieces, queued, running, waiting
from fleet.domain.diagnosis.rules.waking import wanted_replicas
from fleet.domain.diagnosis.texts import Text

_SAID_BY = (Where.EVENT, Where.CONTROL, Where.CONDITION)
BLIND = clue(
    "unable to get external metric",
    "unable to get metric",
    "unable to get resource metric",
    "unable to get object metric",
    "unable to get pods metric",
    "unable to fetch metrics",
    "no metrics returned",
    "failed to get external metric",
    "failed to get cpu",
    "failed to get memory",
    "missing request for",
    "invalid metrics",
    "returned no series",
    "returned no data",
    "no series",
    "empty result",
    "query returned",
    "bad response from prometheus",
    "error inspecting scaler",
    "error getting scaler",
    "error getting metric",
    "error getting scale decision",
    "error executing prometheus",
    "/api/v1/query",
    "query api returned error",
    "error when getting metric",
    "unable to compute the replica count",
    "error requesting metrics",
    "kedascalerfailed",
    "scaledobjectcheckfailed",
    "failed to query",
    "error parsing",
    "bad_data",
    "could not find any metric",
    "no matching metrics found",
    "failed to get scale metric",
    "scalingcrdnotfound",
    "prometheus metrics 'prometheus' target may be lost",
    "target may be lost",
    "failedgetexternalmetric",
    "failedcomputemetricsreplicas",
    "stale metric",
    "nan",
    places=_SAID_BY,
    pattern=r"metric|series|scaler|query|scaledobject|prometheus|result|missing request"
    r"|scalingcrdnotfound",
)
# Normal for pods that have just begun.
_EARLY = ("pods might be unready", "did not receive metrics for any ready pods", "initializing")
_RECENT_S = 1200.0
_LONG_BLIND_S = 900.0


def reads_nothing(case: Case) -> Seen | None:
    """No metric, the wrong series, or no answer, while there is work."""
    texts = [each for each in case.find(BLIND) if _is_recent(case, each)]
    late = [each for each in texts if not any(sign in each.low for sign in _EARLY)]
    if not late:
        return _other_series(case) or _blind_to_load(case)
    works = waiting(case) > 0 or queued(case) > 0 or case.users_suffer or running(case) > 0
    long = any(_lasts_s(each) >= _LONG_BLIND_S for each in late) and not _acted(case, late)
    return Seen(
        confidence=DECISIVE if works else TWO_SIGNS if long else ONE_SIGN,
        pieces=(*quoted(late), *load_pieces(case)[:3]),
        params={"works": works},
    )


def _acted(case: Case, texts: list[Text]) -> bool:
    """Whether it took a step while it complained: then it reads something now and then."""
    first = min((each.first_at for each in texts if each.first_at is not None), default=None)
    steps = [each for each in scale_steps(case) if each[1].about.startswith("Horizontal")]
    return first is not None and any(each[0] > first for each in steps)


def _is_recent(case: Case, text: Text) -> bool:
    return (case.age_s(text.at) or 0.0) <= _RECENT_S


def _lasts_s(text: Text) -> float:
    if text.at is None or text.first_at is None:
        return 0.0
    return (text.at - text.first_at).total_seconds()


_QUERY = re.compile(r"([a-z_:][\w:]{5,100})\{")


def _other_series(case: Case) -> Seen | None:
    """The configured query names a series that is not there, beside one that is nearly so."""
    for key, value in case.evidence.config.items():
        if "query" not in key.lower() or not isinstance(value, str):
            continue
        found = _QUERY.search(value[:1_000])
        known = {each.name for each in case.evidence.samples}
        if found is not None and known and found[1] not in known and waiting(case) > 0:
            return Seen(
                confidence=LIKELY,
                pieces=load_pieces(case)[:3],
                params={"works": True, "query": value[:200]},
            )
    return None


_OTHER_LOADS = ("cpu", "memory")


def _blind_to_load(case: Case) -> Seen | None:
    """It scales by CPU or memory, which say nothing of a GPU's queue; requests wait meanwhile."""
    predictor = within(case.evidence.model.spec, "predictor")
    told = [("scaleMetric", predictor.get("scaleMetric")), *case.evidence.config.items()]
    found = [
        (key, value)
        for key, value in told
        if "metric" in key.lower() and isinstance(value, str) and value.lower() in _OTHER_LOADS
    ]
    wanted = wanted_replicas(case)
    idle = wanted is None or wanted <= max(ready_count(case), 1)
    if not found or not idle or waiting(case) <= 0 or _at_ceiling(case):
        return None
    key, value = found[0]
    return Seen(
        confidence=TWO_SIGNS,
        pieces=(configured(key, value), *load_pieces(case)[:3]),
        params={"works": True},
    )


_SIZES = re.compile(r"(?:from (\d{1,5}) )?to (\d{1,5})\b|new size: (\d{1,5})")
_OF_ZERO = re.compile(r"from 0 to \d|from \d{1,5} to 0\b")
_SCALED = ("ScalingReplicaSet", "SuccessfulRescale", "KEDAScaleTargetActivated")
_STEPS_WITHIN_S = 1800.0


def acts_late(case: Case) -> Seen | None:
    """Steps follow each other before the pods of the last one serve, or up and down in turn."""
    steps = scale_steps(case)
    ups = [each for each in steps if each[2]]
    # A model that sleeps between its callers goes to zero and back: that is no swing.
    swings = swings_of([each for each in steps if not _OF_ZERO.search(each[1].low)])
    wanted, ready = wanted_replicas(case), ready_count(case)
    behind = wanted is not None and ready > 0 and wanted > ready
    work = waiting(case) > 0 or queued(case) > 0 or case.users_suffer
    if _nowhere_to_go(case, steps=len(ups)):
        return None
    if not work or _at_ceiling(case):
        return _came_late(case)
    if not ((ups and (behind or case.starting) and ready > 0) or swings >= 2):
        return _behind(case, behind=behind) or _came_late(case)
    return Seen(
        confidence=STRONG if len(ups) > 1 or swings >= 2 else LIKELY,
        pieces=(*quoted([each[1] for each in steps[-3:]]), *load_pieces(case)[:2]),
        remedies=_remedies(case, swings=swings),
        params={"steps": len(steps), "wanted": wanted, "ready": ready, "swings": swings},
    )


_LATE_S = 60.0
_LONG_QUEUE = 20.0
_CLOCKS = timedelta(seconds=5)
# How long before its first step a burst may have begun.
_BURST = timedelta(minutes=10)


def _came_late(case: Case) -> Seen | None:
    """What it ordered is ready now, and until then requests failed or a long queue stood."""
    ups = [each for each in scale_steps(case) if each[2]]
    if not ups or case.starting:
        return None
    first, text, _ = ups[0]
    new = [each for each in case.ready if each.created_at and each.created_at >= first - _CLOCKS]
    done = max((at for each in new if (at := ready_at(each)) is not None), default=None)
    if done is None or len(new) == len(case.ready) or (done - first).total_seconds() < _LATE_S:
        return None
    failed = [each.text for each in case.failed_calls if each.at is not None]
    before = [each for each in failed if each.at is not None and first - _BURST <= each.at <= done]
    stood = [
        each
        for each in case.series.all(*WAITING, *QUEUED)
        if each.at is not None and each.value >= _LONG_QUEUE and each.at <= done
    ]
    if len(before) < len(failed) or not (before or stood):
        return None
    return Seen(
        confidence=LIKELY if before else TWO_SIGNS,
        pieces=(
            *quoted((text,)),
            *quoted(before, at_most=2),
            *measured(stood, at_most=1),
            piece("object", new[-1].ref, "Ready=True", done),
        ),
        remedies=(Remedy.TUNE_AUTOSCALER, Remedy.RAISE_MIN_REPLICAS),
        params={"steps": len(ups), "swings": 0, "late_s": (done - first).total_seconds()},
    )


def swings_of(steps: list[tuple[datetime, Text, bool]]) -> int:
    """How often it turned; an event that is repeated in both directions stands for its count."""
    turns = sum(1 for one, other in zip(steps, steps[1:], strict=False) if one[2] != other[2])
    ups = sum(each[1].count for each in steps if each[2])
    downs = sum(each[1].count for each in steps if not each[2])
    return max(turns, 2 * min(ups, downs) - 1 if ups and downs else 0)


def _nowhere_to_go(case: Case, *, steps: int) -> bool:
    """One step, and what it made finds no node: the scaler is not the matter."""
    return steps < 2 and bool(case.starting) and all(is_unscheduled(each) for each in case.starting)


def _at_ceiling(case: Case) -> bool:
    most = ceiling(case)
    return most is not None and ready_count(case) >= most


def _behind(case: Case, *, behind: bool) -> Seen | None:
    """More is wanted than is ready, and the new pods only start."""
    if not behind or not case.starting or not case.ready:
        return None
    return Seen(
        confidence=TWO_SIGNS,
        pieces=(
            piece("object", case.starting[0].ref, "not ready", case.starting[0].created_at),
            *load_pieces(case)[:2],
            *measured(case.series.latest("revision_pods", "request_queued"), at_most=2),
        ),
        remedies=_remedies(case, swings=0),
        params={"steps": 0, "swings": 0},
    )


def scale_steps(case: Case) -> list[tuple[datetime, Text, bool]]:
    """Recent steps of a scaler in time's order, with whether each went up; a rollout's are none."""
    found = []
    for each in case.all_texts:
        if each.where is Where.EVENT and each.reason in _SCALED and each.at is not None:
            sizes = _SIZES.search(each.low)
            up = _went_up(each, sizes)
            recent = (case.age_s(each.at) or 0.0) <= _STEPS_WITHIN_S
            if up is not None and recent and not _of_rollout(case, each):
                found.append((each.at, each, up))
    return sorted(found, key=lambda each: each[0])


def _went_up(text: Text, sizes: re.Match[str] | None) -> bool | None:
    if any(sign in text.low for sign in ("scaled up", "above target", "below spec.minreplicas")):
        return True
    if any(sign in text.low for sign in ("scaled down", "below target", "above spec.maxreplicas")):
        return False
    if sizes is not None and sizes[1] is not None:
        return int(sizes[2]) > int(sizes[1])
    return None


_SET = re.compile(r"replica set ([\w.-]{1,253})")


def _of_rollout(case: Case, text: Text) -> bool:
    """Two ReplicaSets of one Deployment that move in opposite ways."""
    found = _SET.search(text.low)
    if found is None or text.reason != "ScalingReplicaSet":
        return False
    others = [
        other[1]
        for each in case.all_texts
        if each.reason == "ScalingReplicaSet"
        and each.about == text.about
        and (other := _SET.search(each.low)) is not None
    ]
    return any(each != found[1] for each in others)


def _remedies(case: Case, *, swings: int) -> tuple[Remedy, ...]:
    pending = any(each.phase == "Pending" and not each.node for each in case.starting)
    nodes = (Remedy.KEEP_WARM_NODES,) if pending else ()
    fewer = (Remedy.RAISE_MIN_REPLICAS,) if swings else ()
    return (Remedy.TUNE_AUTOSCALER, *nodes, *fewer)

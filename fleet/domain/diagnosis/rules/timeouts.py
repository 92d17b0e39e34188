"""A limit in the path ended requests: of a cold start, or of a long answer of a warm pod."""

from collections import Counter
from dataclasses import dataclass

from fleet.domain.diagnosis.calls import Call
from fleet.domain.diagnosis.case import Case, once, quoted
from fleet.domain.diagnosis.claims import LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.limits import Limit
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.records import FaultPhase, Piece, Remedy
from fleet.domain.diagnosis.rules.counted import timed_out_in_start
from fleet.domain.diagnosis.rules.load import queued, stalled_counters, waiting
from fleet.domain.diagnosis.rules.starts import Start, fell_into, starts, warm_since_s

# What layers give when nobody set anything. Source: nginx and ALB 60 s, Envoy 15 s, Knative 300 s,
# OpenAI's client 600 s, GCLB 30 s, NLB 350 s.
_USUAL = (15.0, 30.0, 60.0, 120.0, 180.0, 240.0, 300.0, 350.0, 600.0, 900.0, 1800.0, 3600.0)
_REVISIONS = ("activator request timeout", "request timeout", "response start timeout")
_CANCELLED = ("context canceled", "context cancelled", "client disconnected", "499", "460")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A failed request and the limit that ended it. known: the limit is configured."""

    call: Call
    limit: Limit
    known: bool


@once
def hits(case: Case) -> list[Hit]:
    """Requests that were as long as a limit; without a known limit, that bunch at a usual one."""
    known = [hit for call in case.failed_calls if (hit := _known(case, call)) is not None]
    return known or _bunched(case)


def _known(case: Case, call: Call) -> Hit | None:
    own = _balancers(case, call)
    if own is not None:
        return own
    if call.seconds is not None:
        for limit in case.limits:
            if limit.ends(call.seconds):
                return Hit(call=call, limit=limit, known=True)
        return None
    return _by_words(case, call)


def _balancers(case: Case, call: Call) -> Hit | None:
    """A balancer's own 504 is its limit; its log tells no length then.

    Source: AWS, access logs of Application Load Balancers, target_processing_time.
    """
    if call.status != 504 or "lb" not in call.text.container.lower() or (call.seconds or 0.0) >= 1:
        return None
    held = next((each for each in case.limits if "lb" in each.layer), None)
    return None if held is None else Hit(call=call, limit=held, known=True)


def _by_words(case: Case, call: Call) -> Hit | None:
    """Knative's own bodies name the layer."""
    if call.status != 504 or not any(sign in call.text.low for sign in _REVISIONS):
        return None
    own = next((each for each in case.limits if each.is_revisions), None)
    return None if own is None else Hit(call=call, limit=own, known=True)


def _bunched(case: Case) -> list[Hit]:
    """Failures of the same length, give or take: a limit, whoever holds it."""
    timed = [each for each in case.failed_calls if (each.seconds or 0.0) >= _USUAL[0] - 1]
    found = []
    for call in timed:
        for usual in _USUAL:
            limit = Limit(layer="unknown", seconds=usual, ref="")
            if call.seconds is not None and abs(call.seconds - usual) <= max(0.5, usual * 0.01):
                found.append(Hit(call=call, limit=limit, known=False))
    lengths = Counter(each.limit.seconds for each in found)
    return [
        each
        for each in found
        if lengths[each.limit.seconds] > 1 or _limited(each.call) or each.limit.seconds >= 60
    ]


def _limited(call: Call) -> bool:
    return call.limited or call.flag in ("UT", "SI", "DC") or call.status in (504, 408, 460, 499)


def shorter_than_load(case: Case) -> Seen | None:
    """The request waited for a start that takes longer than somebody in its path waits."""
    for hit in hits(case):
        start = fell_into(case, hit.call)
        if start is not None and start.seconds >= 0.9 * hit.limit.seconds:
            return _load_seen(hit, start)
    return _held_without_pods(case) or _gave_up_early(case) or _counted(case)


def _is_held(case: Case) -> bool:
    """Whether Knative says that it holds requests for want of a pod."""
    found = (
        each.condition("Active") for each in (case.evidence.autoscaler, case.evidence.revision)
    )
    return any(each is not None and each.reason == "Queued" for each in found)


def _held_without_pods(case: Case) -> Seen | None:
    """No pod was collected, but that requests were held when the limit struck."""
    found = hits(case)
    if case.pods or not found or not _is_held(case):
        return None
    hit = found[0]
    return Seen(
        confidence=TWO_SIGNS,
        pieces=(*quoted((hit.call.text,)), *_limit_piece(hit.limit)),
        remedies=_remedies(hit.limit, cold=True),
        params={"limit_s": hit.limit.seconds, "layer": hit.limit.layer, "start_s": None},
    )


def _load_seen(hit: Hit, start: Start) -> Seen:
    over = "took" if start.until is not None else "goes on for"
    return Seen(
        confidence=STRONG if hit.known else TWO_SIGNS,
        pieces=(
            *quoted((hit.call.text,)),
            *_limit_piece(hit.limit),
            piece("object", start.pod.ref, f"start {over} {start.seconds:.0f} s", start.until),
        ),
        remedies=_remedies(hit.limit, cold=True),
        params={"limit_s": hit.limit.seconds, "layer": hit.limit.layer, "start_s": start.seconds},
    )


def _gave_up_early(case: Case) -> Seen | None:
    """Callers left, or a limit struck, during a start that is longer than the shortest limit."""
    outer = [each for each in case.limits if not each.is_revisions] or list(case.limits)
    slow = [each for each in starts(case) if outer and each.seconds >= outer[0].seconds]
    lines = [
        each
        for each in case.all_texts
        if each.where in (Where.ACTIVATOR, Where.PROXY, Where.EDGE)
        and any(sign in each.low for sign in _CANCELLED)
    ]
    calls = [each for each in case.failed_calls if each.limited and each.seconds is None]
    texts = [*lines, *(each.text for each in calls)]
    if not slow or not texts or len(case.ready) > len(slow):
        return None
    if not any(fell_into(case, each) for each in case.failed_calls):
        return None
    return Seen(
        confidence=LIKELY if lines else TWO_SIGNS,
        pieces=(
            *quoted(texts),
            *_limit_piece(outer[0]),
            piece("object", slow[0].pod.ref, f"start of {slow[0].seconds:.0f} s"),
        ),
        remedies=_remedies(outer[0], cold=True),
        params={
            "limit_s": outer[0].seconds,
            "layer": outer[0].layer,
            "start_s": slow[0].seconds,
        },
    )


def _counted(case: Case) -> Seen | None:
    """Time-outs were counted while a replica started, and at no other time. A hop outside the
    revision whose limit is not known gave up where the revision's own limits would have waited."""
    met = timed_out_in_start(case)
    if met is None:
        return None
    rise, start = met
    outside = rise.hop == "ingress"
    short = [each for each in case.limits if each.seconds <= start.seconds]
    limit = next((each for each in short if each.is_revisions is not outside), None)
    if limit is None and not outside:
        return None
    found = limit or Limit(layer="ingress", seconds=start.seconds, ref="")
    return Seen(
        confidence=LIKELY if limit else TWO_SIGNS,
        pieces=(
            piece("metric", rise.sample.ref, f"{rise.count:g} more", rise.until),
            *_limit_piece(found),
            piece("object", start.pod.ref, f"start of {start.seconds:.0f} s", start.until),
        ),
        remedies=_remedies(found, cold=True),
        params={"layer": found.layer, "start_s": start.seconds}
        | ({"limit_s": limit.seconds} if limit else {}),
    )


def shorter_than_request(case: Case) -> Seen | None:
    """Pods had been ready for long when the limit ended the request."""
    found = [each for each in hits(case) if fell_into(case, each.call) is None]
    warm = warm_since_s(case)
    unknown = not case.pods and not _is_held(case)
    if not found or (warm is None and not unknown) or stalled_counters(case):
        return None
    hit = found[0]
    busy = waiting(case) > 0 or queued(case) > 0
    return Seen(
        confidence=TWO_SIGNS if busy else STRONG if hit.known else LIKELY,
        pieces=(
            *quoted([each.call.text for each in found], at_most=2),
            *_limit_piece(hit.limit),
            *(piece("object", each.ref, f"Ready for {warm:.0f} s") for each in case.ready[:1]),
        ),
        phase=FaultPhase.SERVING if hit.limit.is_revisions or not hit.known else None,
        remedies=_remedies(hit.limit, cold=False),
        params={"limit_s": hit.limit.seconds, "layer": hit.limit.layer},
    )


def _limit_piece(limit: Limit) -> tuple[Piece, ...]:
    if not limit.ref:
        return ()
    kind = "config" if limit.ref.startswith("config/") else "object"
    return (piece(kind, limit.ref, f"{limit.layer} limit {limit.seconds:g} s"),)


def _remedies(limit: Limit, *, cold: bool) -> tuple[Remedy, ...]:
    """The layer that binds first, then what makes the limit matter less."""
    own, outer = Remedy.RAISE_REVISION_TIMEOUT, Remedy.RAISE_CLIENT_OR_INGRESS_TIMEOUT
    binding = (own, outer) if limit.is_revisions else (outer, own)
    rest = (Remedy.RAISE_MIN_REPLICAS,) if cold else (Remedy.STREAM_RESPONSES,)
    return (*binding, *rest) if limit.is_revisions or not cold else (outer, *rest)

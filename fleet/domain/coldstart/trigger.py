"""Why a replica was wanted, and since when: from what moved shortly before its pod was made.

Several objects tell of one decision, each on its own watch, so that a move may arrive a little
after what it caused. Source for the order: Deployment first (25-60 ms after a request), then
ReplicaSet and PodAutoscaler, then the pod.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fleet.domain.coldstart.sight import Sight
from fleet.domain.coldstart.start import Trigger
from fleet.domain.records.common import Moved, What

# Messages of different watches cross by less than this, unless somebody is short of time.
SLACK_S = 1.0
# As late as this a message may still tell what made a pod that came before it: no pod is made that
# was not wished for.
CROSS_S = 10.0
# So late may come what moved in a gap that the pod was born in: each watch goes on in its own time.
CROSS_GAP_S = 120.0
# A wish that follows an edit or a pin later than this has another reason. An HPA looks every 15 s.
FOLLOWS_S = 20.0
# By then the autoscaler has said that it was its wish.
SAID_WITHIN_S = 5.0
# From an edit to the new revision's pods: digests are resolved (10 s at most), objects made.
ROLLOUT_FOLLOWS_S = 120.0
# A controller replaces a lost pod at once, unless the API refuses for a while.
REPLACED_WITHIN_S = 120.0
# A pod that was born in a gap this long after the last rise stands in for one that ended there.
STALE_S = 900.0
# Managers that a person's tools write under.
BY_HAND = ("kubectl", "k9s", "lens", "headlamp", "pilot-light", "oc", "rancher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """trigger, the moment of the demand (None = not known), and what showed it."""

    trigger: Trigger
    at: Sight | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What surrounds a pod's birth. Moves are oldest first.

    created: the birth on our clock. nth: of its owner's pods that lived then: so many were wished
    for. born_unseen: during a gap, or before the first look.
    owner: moves of what made the pod (ReplicaSet; else as `top`). top: of the Deployment or
    LeaderWorkerSet. scaler: of the PodAutoscaler. pins: floors of Revision and PodAutoscaler.
    asked: edits of the model. lost: when siblings of the same owner ended, without a falling wish;
    elders: siblings that are older by seconds and live.
    readied: when siblings became ready. born: of the Revision. scaler_wish: the autoscaler's now.
    top_created: creationTimestamp of the top, None if it is not known. knative: whether an edit of
    the model changes replicas only by a new revision.
    """

    created: float
    nth: int = 1
    born_unseen: bool = False
    owner: Sequence[Moved] = ()
    top: Sequence[Moved] = ()
    scaler: Sequence[Moved] = ()
    pins: Sequence[Moved] = ()
    asked: Sequence[Moved] = ()
    lost: Sequence[float] = ()
    elders: int = 0
    readied: Sequence[float] = ()
    born: Sequence[Moved] = ()
    scaler_wish: int | None = None
    top_created: float | None = None
    knative: bool = True


def demand_of(context: Context) -> Demand:
    """The first that fits: replaced, rolled out, woken or scaled by hand, from zero, up."""
    rise = _last_rise(context, context.owner) or _last_rise(context, context.top)
    replaced = _replaced(context, rise)
    if replaced is not None:
        return replaced
    if rise is not None and _is_stale(context, rise):
        return Demand(trigger=Trigger.RESCHEDULE, origin="pod")
    wish = _last_rise(context, context.top) or _last_rise(context, context.scaler)
    if wish is None and rise is not None and _is_top_late(context, rise):
        wish = rise
    if _is_rollout(context, rise, wish):
        return _rollout(context, rise or wish)
    if wish is None:
        return Demand(trigger=Trigger.UNKNOWN)
    return _scaled(context, wish)


def _is_top_late(context: Context, rise: Moved) -> bool:
    """A ReplicaSet has more replicas than its Deployment is known to want: that wish is on its
    way. Source: kubernetes pkg/controller/deployment, a new ReplicaSet never exceeds it."""
    wishes = _before(context, context.top, What.WISH)
    return bool(wishes) and (wishes[-1].to or 0) < (rise.to or 0)


def _before(context: Context, moves: Iterable[Moved], what: What) -> list[Moved]:
    """Moves of one kind up to the birth, oldest first; those that only a list showed may have
    happened before it if the birth was not seen either."""
    limit = context.created + SLACK_S
    return [
        move
        for move in moves
        if move.what == what
        and (move.at.timestamp() <= limit or (context.born_unseen and not move.seen))
    ]


def _last_rise(context: Context, moves: Sequence[Moved]) -> Moved | None:
    """The rise that the pod follows: the last before it; if so many were not wished for then, the
    one that did is only late. In a gap numbers may be short by some, but who slept when last seen
    was woken in it."""
    wishes = _before(context, moves, What.WISH)
    rises = [move for move in wishes if _rises(move)]
    least = 1 if context.born_unseen else context.nth
    if rises and (wishes[-1].to or 0) >= least:
        return rises[-1]
    return next(_late_rises(context, moves), None)


def _late_rises(context: Context, moves: Sequence[Moved]) -> Iterator[Moved]:
    first = context.created + SLACK_S
    until = context.created + (CROSS_GAP_S if context.born_unseen else CROSS_S)
    for move in moves:
        enough = move.what == What.WISH and _rises(move) and (move.to or 0) >= context.nth
        if enough and move.seen and first < move.at.timestamp() <= until:
            yield move


def _rises(move: Moved) -> bool:
    return (move.to or 0) > (move.from_ or 0)


def _replaced(context: Context, rise: Moved | None) -> Demand | None:
    """A sibling ended after the last rise of the wish, so that this pod stands in for it."""
    asked = rise.at.timestamp() if rise is not None else None
    lost = [
        at
        for at in context.lost
        if context.created - REPLACED_WITHIN_S <= at <= context.created + SLACK_S
        and (asked is None or at > asked)
    ]
    if not lost:
        return None
    at = max(lost)
    return Demand(trigger=Trigger.RESCHEDULE, at=Sight(None, None, at), origin="pod")


def _is_stale(context: Context, rise: Moved) -> bool:
    """Under a wish that stands still a controller only makes what was lost, and nobody watched."""
    return context.born_unseen and context.created - rise.at.timestamp() > STALE_S


def _is_rollout(context: Context, rise: Moved | None, wish: Moved | None) -> bool:
    """The workload is new or was never up; or the ReplicaSet grew while the wish stood still."""
    if wish is not None and wish.from_ is None:
        return True
    if wish is not None and (wish.from_ or 0) > 0 and _never_up(context):
        return not wish.by.startswith(BY_HAND)
    if rise is not None and context.top:
        return wish is None or abs(rise.at.timestamp() - wish.at.timestamp()) > FOLLOWS_S
    if wish is None and context.top_created is not None:
        return abs(context.created - context.top_created) <= FOLLOWS_S
    return False


def _never_up(context: Context) -> bool:
    born = any(m.what == What.WISH and m.from_ is None for m in context.top)
    return born and not _before(context, context.top, What.READY)


def _rollout(context: Context, rise: Moved | None) -> Demand:
    """Wanted since the edit that led to it; later pods of the same rollout since their own wish."""
    since = rise.at.timestamp() if rise is not None else context.created
    first = rise is None or not rise.from_
    if first or _never_up(context):
        within_s = ROLLOUT_FOLLOWS_S if first else FOLLOWS_S
        edit = _last_within(context.asked, What.ASKED, since, within_s)
        edit = edit or _last_within(context.born, What.BORN, since, within_s)
        if edit is not None:
            return Demand(trigger=Trigger.ROLLOUT, at=_sight(edit), origin="model")
    at = _sight(rise) if rise is not None else None
    return Demand(trigger=Trigger.ROLLOUT, at=at, origin="workload" if rise else "")


def _scaled(context: Context, wish: Moved) -> Demand:
    """By the numbers, unless a person's hand shows: a pinned floor, or a tool's name."""
    since = wish.at.timestamp()
    woken = not wish.from_ or _is_same_wake(context) or _is_first_after_gap(context, wish)
    by_numbers = Trigger.SCALE_FROM_ZERO if woken else Trigger.SCALE_UP
    pin = _pinned(context, wish)
    if pin is not None:
        return Demand(trigger=Trigger.MANUAL, at=_sight(pin), origin="floor")
    if wish.by.startswith(BY_HAND) or _is_not_the_scalers(context, wish):
        return Demand(trigger=Trigger.MANUAL, at=_sight(wish), origin="workload")
    edit = _last_within(context.asked, What.ASKED, since, FOLLOWS_S)
    if edit is not None and not context.knative:
        return Demand(trigger=by_numbers, at=_sight(edit), origin="model")
    scaler = _last_rise(context, context.scaler)
    near = scaler is not None and abs(scaler.at.timestamp() - since) <= FOLLOWS_S
    first = scaler if scaler is not None and near and scaler.at < wish.at else wish
    return Demand(trigger=by_numbers, at=_sight(first), origin="wish")


def _pinned(context: Context, wish: Moved) -> Moved | None:
    """The first floor raised, shortly before, to what was then wished: the Revision's own comes
    before the copy on its PodAutoscaler."""
    since, enough = wish.at.timestamp(), wish.to or 0
    for move in context.pins:
        rises = _rises(move) and (move.to or 0) >= enough
        near = since - FOLLOWS_S <= move.at.timestamp() <= since + SLACK_S
        if move.what == What.FLOOR and rises and near:
            return move
    return None


def _is_first_after_gap(context: Context, wish: Moved) -> bool:
    """More wished for in a gap in which all that lived before went: it went through zero."""
    if wish.seen or not context.born_unseen:
        return False
    return bool(context.lost) and not context.elders


def _is_same_wake(context: Context) -> bool:
    """More replicas asked for before the first of them was ready: still the wake from zero."""
    left_zero = [
        move.at.timestamp()
        for move in _before(context, context.top or context.scaler, What.WISH)
        if move.from_ == 0 and (move.to or 0) > 0
    ]
    if not left_zero:
        return False
    return not any(left_zero[-1] < at <= context.created for at in context.readied)


def _is_not_the_scalers(context: Context, wish: Moved) -> bool:
    """A Knative Deployment was scaled though its autoscaler never asked for that many: by hand.
    The autoscaler writes its wish right after it has scaled. Source: knative/serving
    pkg/reconciler/autoscaling/kpa."""
    if not context.knative or context.scaler_wish is None or not wish.seen:
        return False
    since = wish.at.timestamp()
    moves = [move for move in context.scaler if move.what == What.WISH]
    before = [m.to or 0 for m in moves if m.at.timestamp() < since - SLACK_S]
    around = [m.to or 0 for m in moves if -SAID_WITHIN_S <= m.at.timestamp() - since <= CROSS_S]
    known = [*before[-1:], *around] or [context.scaler_wish]
    return max(known) < (wish.to or 0)


def _last_within(moves: Iterable[Moved], what: What, since: float, within_s: float) -> Moved | None:
    """The latest move of a kind in the time before `since`, or crossing it."""
    found = [
        move
        for move in moves
        if move.what == what and since - within_s <= move.at.timestamp() <= since + SLACK_S
    ]
    return found[-1] if found else None


def _sight(move: Moved) -> Sight | None:
    """A move that only a list showed happened at some time before: no moment is better than a
    wrong one."""
    return Sight(None, None, move.at.timestamp()) if move.seen else None

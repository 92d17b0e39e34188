"""When something happened, as far as anybody saw it: a stamp of the cluster and our own looks.

All moments are seconds since the epoch, UTC. There are three clocks: ours (when a message came),
the API server's (creationTimestamp) and each node's (conditions, container states, kubelet
Events). Ours is the one that spans are measured on: a change that was watched as it happened is
known to milliseconds by it, while the cluster writes whole seconds, cut, and a node's clock may be
seconds off. Stamps are used where nobody watched, and where a status lags behind what it tells.
"""

from typing import NamedTuple

# Between a change and the message that tells of it, when the watch is in step.
LATENCY_S = 0.25
ENOUGH_LAGS = 3


def clock_ahead_s(lag_low: float, lag_high: float, lags: int) -> float:
    """By how much another clock runs ahead of ours (negative: behind), from how late its cut
    stamps come; 0 as long as it need not be off.

    Of a good clock they come 0 to 1 s after. Earlier than the stamp proves that it runs ahead. All
    of several later, and evenly so, means behind; unevenly means that we were catching up.
    """
    if lag_low < 0:
        return -lag_low
    behind = lags >= ENOUGH_LAGS and lag_low > 1.0 + LATENCY_S and lag_high - lag_low < 1.5
    return -lag_low if behind else 0.0


class Sight(NamedTuple):
    """stamp: written by the cluster, None if nothing was. after: our last look at which it had not
    happened, None if we never looked before. by: our clock when a message first showed it."""

    stamp: float | None
    after: float | None
    by: float


class Moment(NamedTuple):
    """A sight brought to our clock. error_s: half the width of what is possible. clamped: stamp and
    looks contradict each other, so the look was taken."""

    at: float
    error_s: float
    clamped: bool = False


def moment(sight: Sight, *, ahead_s: float = 0.0, prompt: bool = False) -> Moment:
    """Where a sight lies on our clock.

    ahead_s: by how much the stamp's clock runs ahead of ours. prompt: the message goes out at once
    with the change, so that its coming is the better witness as long as the stamp agrees.
    """
    if sight.stamp is None:
        return _unstamped(sight, prompt=prompt)
    start = sight.stamp - ahead_s
    end = start + (1.0 if sight.stamp == int(sight.stamp) else 0.0)
    low = start if sight.after is None else max(start, sight.after)
    high = min(end, sight.by)
    if low > high:
        return _contradicted(sight, start=start, end=end)
    if prompt and sight.by <= end + LATENCY_S:
        return Moment(high, min(LATENCY_S, high - low))
    return Moment((low + high) / 2, (high - low) / 2)


def _unstamped(sight: Sight, *, prompt: bool) -> Moment:
    """Without a stamp: the message itself, or somewhere between two looks."""
    if prompt or sight.after is None:
        return Moment(sight.by, LATENCY_S)
    return Moment((sight.after + sight.by) / 2, (sight.by - sight.after) / 2)


def _contradicted(sight: Sight, *, start: float, end: float) -> Moment:
    """The stamp lies outside of what our looks allow: a clock is off. The message is believed;
    within a cut second that is no contradiction."""
    off = max(start - sight.by, (sight.after or end) - end)
    return Moment(sight.by, LATENCY_S, clamped=off > 1.0)

"""Which of several claims is the root: what a cause explains goes, the rest is put in order.

ORDER runs along the way of a replica and then of a request: what comes earlier brings about what
comes later. EXPLAINS says which causes are only the shadow of another; a shadow that is more
certain than what casts it stays.
"""

from collections.abc import Iterable

from fleet.domain.diagnosis.claims import Claim
from fleet.domain.diagnosis.records import Cause

C = Cause
ORDER: tuple[Cause, ...] = (
    C.PREEMPTION,
    C.ADMISSION_BLOCKED,
    C.VOLUME_ATTACH,
    C.ROLLOUT_CAPACITY_DEADLOCK,
    C.NODE_PROVISIONING,
    C.UNSCHEDULABLE_GPU,
    C.UNSCHEDULABLE_OTHER,
    C.UPSTREAM_HUB_RATE_LIMIT,
    C.DISK_FULL,
    C.IMAGE_PULL_FAILED,
    C.MODEL_DOWNLOAD_DENIED,
    C.MODEL_DOWNLOAD_FAILED,
    C.HOST_OOM,
    C.KV_CACHE_TOO_SMALL,
    C.GPU_OOM,
    C.PROBE_WRONG_TARGET,
    C.ENGINE_START_HANG,
    C.CONFIG_CONFLICT,
    C.CRASH_LOOP_CONFIG,
    C.LIVENESS_KILLS_LOADING,
    C.PROBE_TOO_STRICT,
    C.DRAINING,
    C.PROGRESS_DEADLINE_EXCEEDED,
    C.CANARY_SHIFTED_EARLY,
    C.NOT_PREPARED,
    C.WRONG_MODEL_NAME,
    C.MESH_OR_NETWORK,
    C.ROUTING_MISCONFIGURED,
    C.AUTOSCALER_MISCONFIGURED,
    C.ENGINE_DIED,
    C.AUTOSCALER_LAG,
    C.OVERLOAD,
    C.TIMEOUT_SHORTER_THAN_LOAD,
    C.IMAGE_PULL_SLOW,
    C.MODEL_DOWNLOAD_SLOW,
    C.ENGINE_LOAD_SLOW,
    C.SCALE_FROM_ZERO,
    C.TIMEOUT_SHORTER_THAN_REQUEST,
)
_RANK = {cause: rank for rank, cause in enumerate(ORDER)}

_NO_START = frozenset(
    {
        C.SCALE_FROM_ZERO,
        C.PROGRESS_DEADLINE_EXCEEDED,
        C.TIMEOUT_SHORTER_THAN_LOAD,
        C.NOT_PREPARED,
        C.ROUTING_MISCONFIGURED,
        C.AUTOSCALER_LAG,
    }
)
_NO_NODE = _NO_START | {C.UNSCHEDULABLE_GPU, C.UNSCHEDULABLE_OTHER}
_EXITS = _NO_START | {
    C.CRASH_LOOP_CONFIG,
    C.PROBE_TOO_STRICT,
    C.LIVENESS_KILLS_LOADING,
    C.ENGINE_START_HANG,
    C.ENGINE_LOAD_SLOW,
}
_NO_FETCH = _EXITS | {C.MODEL_DOWNLOAD_SLOW}
EXPLAINS: dict[Cause, frozenset[Cause]] = {
    # That no other node is to be had is a fault of its own.
    C.PREEMPTION: (_NO_NODE - {C.UNSCHEDULABLE_GPU})
    | {C.DRAINING, C.HOST_OOM, C.ENGINE_DIED, C.CRASH_LOOP_CONFIG, C.MESH_OR_NETWORK},
    C.ADMISSION_BLOCKED: _NO_NODE | {C.CRASH_LOOP_CONFIG, C.CONFIG_CONFLICT},
    C.VOLUME_ATTACH: _NO_NODE | {C.NODE_PROVISIONING, C.MODEL_DOWNLOAD_FAILED},
    C.ROLLOUT_CAPACITY_DEADLOCK: _NO_NODE | {C.NODE_PROVISIONING},
    C.NODE_PROVISIONING: _NO_NODE - {C.TIMEOUT_SHORTER_THAN_LOAD, C.PROGRESS_DEADLINE_EXCEEDED},
    C.UNSCHEDULABLE_GPU: (_NO_START | {C.CANARY_SHIFTED_EARLY}) - {C.AUTOSCALER_LAG},
    C.UNSCHEDULABLE_OTHER: (_NO_START | {C.CANARY_SHIFTED_EARLY}) - {C.AUTOSCALER_LAG},
    C.UPSTREAM_HUB_RATE_LIMIT: _NO_FETCH | {C.MODEL_DOWNLOAD_FAILED, C.IMAGE_PULL_FAILED},
    C.DISK_FULL: _NO_FETCH
    | {C.MODEL_DOWNLOAD_FAILED, C.IMAGE_PULL_FAILED, C.IMAGE_PULL_SLOW, C.UNSCHEDULABLE_OTHER},
    C.IMAGE_PULL_FAILED: _NO_START | {C.IMAGE_PULL_SLOW, C.MESH_OR_NETWORK},
    C.MODEL_DOWNLOAD_DENIED: _NO_FETCH | {C.MODEL_DOWNLOAD_FAILED, C.MESH_OR_NETWORK},
    C.MODEL_DOWNLOAD_FAILED: _NO_FETCH | {C.MESH_OR_NETWORK},
    C.HOST_OOM: _NO_FETCH | {C.MODEL_DOWNLOAD_FAILED, C.ENGINE_DIED, C.DRAINING},
    C.KV_CACHE_TOO_SMALL: _EXITS | {C.GPU_OOM, C.ENGINE_DIED},
    C.GPU_OOM: _EXITS | {C.NOT_PREPARED},
    C.PROBE_WRONG_TARGET: _NO_START
    | {C.PROBE_TOO_STRICT, C.LIVENESS_KILLS_LOADING, C.ENGINE_LOAD_SLOW, C.MESH_OR_NETWORK},
    C.ENGINE_START_HANG: _NO_START
    | {
        C.PROBE_TOO_STRICT,
        C.LIVENESS_KILLS_LOADING,
        C.ENGINE_LOAD_SLOW,
        C.MODEL_DOWNLOAD_SLOW,
        C.CRASH_LOOP_CONFIG,
    },
    C.CONFIG_CONFLICT: frozenset({C.SCALE_FROM_ZERO, C.AUTOSCALER_LAG}),
    C.CRASH_LOOP_CONFIG: _NO_START
    | {C.PROBE_TOO_STRICT, C.LIVENESS_KILLS_LOADING, C.ENGINE_DIED, C.ENGINE_START_HANG},
    C.LIVENESS_KILLS_LOADING: _NO_START | {C.CRASH_LOOP_CONFIG, C.PROBE_TOO_STRICT, C.DRAINING},
    C.PROBE_TOO_STRICT: _NO_START | {C.CRASH_LOOP_CONFIG, C.LIVENESS_KILLS_LOADING, C.DRAINING},
    C.DRAINING: frozenset(
        {C.SCALE_FROM_ZERO, C.NOT_PREPARED, C.ROUTING_MISCONFIGURED, C.MESH_OR_NETWORK}
    ),
    C.PROGRESS_DEADLINE_EXCEEDED: frozenset(
        {C.SCALE_FROM_ZERO, C.CONFIG_CONFLICT, C.DRAINING, C.ROUTING_MISCONFIGURED}
    ),
    C.CANARY_SHIFTED_EARLY: frozenset(
        {C.SCALE_FROM_ZERO, C.NOT_PREPARED, C.ROUTING_MISCONFIGURED, C.MESH_OR_NETWORK}
    ),
    C.NOT_PREPARED: frozenset(
        {
            C.SCALE_FROM_ZERO,
            C.OVERLOAD,
            C.ENGINE_LOAD_SLOW,
            C.ROUTING_MISCONFIGURED,
            C.MESH_OR_NETWORK,
            C.TIMEOUT_SHORTER_THAN_REQUEST,
            C.TIMEOUT_SHORTER_THAN_LOAD,
        }
    ),
    C.WRONG_MODEL_NAME: frozenset({C.ROUTING_MISCONFIGURED}),
    C.MESH_OR_NETWORK: _NO_START | {C.CRASH_LOOP_CONFIG, C.PROBE_TOO_STRICT},
    C.ROUTING_MISCONFIGURED: frozenset({C.MESH_OR_NETWORK}),
    C.AUTOSCALER_MISCONFIGURED: frozenset({C.AUTOSCALER_LAG}),
    C.ENGINE_DIED: frozenset(
        {
            C.OVERLOAD,
            C.PROBE_TOO_STRICT,
            C.TIMEOUT_SHORTER_THAN_REQUEST,
            C.NOT_PREPARED,
            C.ROUTING_MISCONFIGURED,
            C.MESH_OR_NETWORK,
            C.AUTOSCALER_LAG,
            C.CRASH_LOOP_CONFIG,
        }
    ),
    C.AUTOSCALER_LAG: frozenset({C.UNSCHEDULABLE_GPU, C.ENGINE_LOAD_SLOW, C.SCALE_FROM_ZERO}),
    C.OVERLOAD: frozenset({C.SCALE_FROM_ZERO}),
    C.ENGINE_LOAD_SLOW: frozenset({C.CRASH_LOOP_CONFIG}),
}
# What a rule saw can put its cause before another: a start that was given up needs no node any
# more; a node that was emptied is why the next one is waited for; ready although no pod ever was is
# the fault, and so is a download that is far from its end, whoever lost patience first.
_EARLIER: tuple[tuple[Cause, str, Cause], ...] = (
    (C.PROGRESS_DEADLINE_EXCEEDED, "ended", C.NODE_PROVISIONING),
    (C.DRAINING, "node", C.NODE_PROVISIONING),
    (C.SCALE_FROM_ZERO, "never_ran", C.TIMEOUT_SHORTER_THAN_LOAD),
    (C.MODEL_DOWNLOAD_SLOW, "far_off", C.TIMEOUT_SHORTER_THAN_LOAD),
)
# A finding below this is a guess; it is told only behind one that is none.
LEAST = 0.6
_MARGIN = 0.1


def in_order(claims: Iterable[Claim]) -> list[Claim]:
    """Roots and independent faults, best first; [] if nothing is more than a guess."""
    best = _best_of_each(claims)
    kept = [each for each in best if not any(_shadows(other, each) for other in best)]
    kept = kept or best
    known = [each for each in kept if each.seen.confidence >= LEAST]
    return sorted(known, key=_place)


def _best_of_each(claims: Iterable[Claim]) -> list[Claim]:
    """Of several rules with one cause the one that is surest."""
    best: dict[Cause, Claim] = {}
    for each in claims:
        known = best.get(each.cause)
        if known is None or each.seen.confidence > known.seen.confidence:
            best[each.cause] = each
    return list(best.values())


def _shadows(root: Claim, each: Claim) -> bool:
    """Whether root explains each, and not the other way round with more certainty."""
    if root is each or not _explains(root, each):
        return False
    return not _explains(each, root) or _place(root) < _place(each)


def _explains(root: Claim, each: Claim) -> bool:
    surely = root.seen.confidence >= max(LEAST, each.seen.confidence - _MARGIN)
    return surely and each.cause in EXPLAINS.get(root.cause, frozenset())


def _place(claim: Claim) -> tuple[bool, float, float]:
    rank = float(_RANK[claim.cause])
    for cause, sign, before in _EARLIER:
        if claim.cause is cause and claim.seen.params.get(sign):
            rank = _RANK[before] - 0.5
    return (claim.seen.confidence < LEAST + 0.05, rank, -claim.seen.confidence)

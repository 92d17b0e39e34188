"""Remedies for long phases, each with the conditions under which it helps.

A remedy whose condition is not met, or not known, is not named. What it saves is told by this
model's own starts, or not at all. Source of remedies and conditions: vLLM's documentation and
published start-up measurements (docs/comparing.md, "Next best step").
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fleet.domain.coldstart.start import Phase, StartMode, Trigger
from fleet.domain.compare.numbers import ENOUGH_FOR_P50, median, rounded
from fleet.domain.compare.records import Compared, totals_s

# Shorter spans are not worth a change.
WORTH_S = 10.0
# A saving below this is none.
LEAST_SAVING_S = 5.0

FULL_PULL = frozenset({StartMode.COLD.value, StartMode.CACHED_WEIGHTS.value})
# Where weights are read without fetching them for each start.
KEPT_WEIGHTS = frozenset({"pvc", "local-cache"})
# Weights that lie on the node's own disk once they are there.
LOCAL_WEIGHTS = frozenset({"storage-initializer", "local-cache", "modelcar", "baked"})
# Filesystems on which vLLM itself can read ahead. Source: vllm model_loader/weight_utils.py.
NETWORK_FILESYSTEMS = frozenset({"nfs", "nfs4", "lustre"})


class StepCode(StrEnum):
    """What to do."""

    PREPULL_IMAGE = "prepull-image"
    KEEP_WEIGHTS_NEAR = "keep-weights-near"
    PERSIST_COMPILE_CACHE = "persist-compile-cache"
    PERSIST_KERNEL_CACHES = "persist-kernel-caches"
    FEWER_CAPTURE_SIZES = "fewer-capture-sizes"
    SET_KV_CACHE_MEMORY = "set-kv-cache-memory"
    PREFETCH_WEIGHTS = "prefetch-weights"
    FASTER_LOADER = "faster-loader"
    KEEP_WARM = "keep-warm"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """spends_s: median seconds of what it shortens, over n recent starts: it cannot save more.
    saves_s: by as many own starts that have the remedy as n_with; None if too few have it.
    avoids: it shortens no start, but avoids them."""

    code: StepCode
    phase: Phase
    spends_s: float
    n: int
    saves_s: float | None = None
    n_with: int = 0
    avoids: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """last: recent finished starts of one mode; own: all finished starts of the model, of any
    mode. Newest first."""

    last: tuple[Compared, ...]
    own: tuple[Compared, ...]


Length = Callable[[Compared], float | None]


def _phase(*phases: Phase) -> Length:
    """Seconds in the phases together; one that is not passed takes 0 s."""
    return lambda start: sum(start.phases_s.get(phase.value, 0.0) for phase in phases)


def _part(name: str) -> Length:
    """Seconds of a part of loading; None where the log does not tell."""
    return lambda start: start.parts_s.get(name)


def _known(length: Length, starts: Iterable[Compared]) -> list[float]:
    return [seconds for start in starts if (seconds := length(start)) is not None]


def _step(
    code: StepCode,
    phase: Phase,
    length: Length,
    starts: Sequence[Compared],
    *,
    saved: tuple[Length, Sequence[Compared]] | None = None,
) -> NextStep | None:
    """None if it takes too little, in too few starts, or if own starts show that it saves nothing.

    saved: what to compare, and the own starts that have the remedy.
    """
    spent = _known(length, starts)
    if len(spent) < ENOUGH_FOR_P50 or median(spent) < WORTH_S:
        return None
    saves_s, n_with = _saving(starts, saved)
    if saves_s is not None and saves_s < LEAST_SAVING_S:
        return None
    return NextStep(
        code=code,
        phase=phase,
        spends_s=round(median(spent), 1),
        n=len(spent),
        saves_s=rounded(saves_s),
        n_with=n_with,
    )


def _saving(
    without: Sequence[Compared], saved: tuple[Length, Sequence[Compared]] | None
) -> tuple[float | None, int]:
    if saved is None:
        return None, 0
    length, remedied = saved
    before, after = _known(length, without), _known(length, remedied)
    if min(len(before), len(after)) < ENOUGH_FOR_P50:
        return None, len(after)
    return median(before) - median(after), len(after)


def _most(starts: Sequence[Compared], holds: Callable[[Compared], bool]) -> bool:
    """More than half of them, five at the least."""
    count = sum(map(holds, starts))
    return count >= ENOUGH_FOR_P50 and count * 2 > len(starts)


def _says(start: Compared, fact: str) -> str:
    """A fact of the log, "" if it does not tell."""
    return str(start.log_facts.get(fact) or "")


def prepull_image(recent: Recent) -> NextStep | None:
    """Little is gained once the image is on the node: only for starts that pull it."""
    if recent.last[0].start_mode not in FULL_PULL:
        return None
    cached = [start for start in recent.own if start.start_mode in _WITH_IMAGE]
    pull = _phase(Phase.PULL_IMAGE)
    return _step(StepCode.PREPULL_IMAGE, Phase.PULL_IMAGE, pull, recent.last, saved=(pull, cached))


_WITH_IMAGE = frozenset({StartMode.CACHED_IMAGE.value, StartMode.CACHED_BOTH.value})


def keep_weights_near(recent: Recent) -> NextStep | None:
    """On a volume or in a cache of the node. Reading from there may be slower, so what is saved
    counts fetching and loading together."""
    kept = [start for start in recent.own if start.weights_from in KEPT_WEIGHTS]
    saved = (_phase(Phase.FETCH_MODEL, Phase.LOAD_ENGINE), kept)
    code = StepCode.KEEP_WEIGHTS_NEAR
    if _most(recent.last, lambda start: start.weights_from == "storage-initializer"):
        fetch = _phase(Phase.FETCH_MODEL)
        return _step(code, Phase.FETCH_MODEL, fetch, recent.last, saved=saved)
    if _most(recent.last, lambda start: start.weights_from == "download"):
        download = _part("weights_download")
        return _step(code, Phase.LOAD_ENGINE, download, recent.last, saved=saved)
    return None


def persist_compile_cache(recent: Recent) -> NextStep | None:
    """Where starts compile what an earlier one had compiled."""
    if not _most(recent.last, lambda start: _says(start, "compile_cache") == "miss"):
        return None
    hits = [start for start in recent.own if _says(start, "compile_cache") == "hit"]
    missed = [start for start in recent.last if _says(start, "compile_cache") == "miss"]
    return _step(
        StepCode.PERSIST_COMPILE_CACHE,
        Phase.LOAD_ENGINE,
        _part("compile_total"),
        missed,
        saved=(_part("engine_init"), hits),
    )


def persist_kernel_caches(recent: Recent) -> NextStep | None:
    """Kernels that are compiled or tuned at each start."""
    return _step(
        StepCode.PERSIST_KERNEL_CACHES, Phase.LOAD_ENGINE, _part("jit_warmup"), recent.last
    )


def fewer_capture_sizes(recent: Recent) -> NextStep | None:
    """Costs throughput."""
    return _step(
        StepCode.FEWER_CAPTURE_SIZES, Phase.LOAD_ENGINE, _part("graph_capture"), recent.last
    )


def set_kv_cache_memory(recent: Recent) -> NextStep | None:
    """Holds only while GPU and free memory stay the same: not where nodes differ or are unknown."""
    pools = {start.node_pool for start in recent.last}
    if len(pools) != 1 or "" in pools:
        return None
    return _step(StepCode.SET_KV_CACHE_MEMORY, Phase.LOAD_ENGINE, _part("profile_run"), recent.last)


def prefetch_weights(recent: Recent) -> NextStep | None:
    """Network filesystems only, and only if the weights fit into memory."""
    if not _most(recent.last, _could_prefetch):
        return None
    return _step(StepCode.PREFETCH_WEIGHTS, Phase.LOAD_ENGINE, _part("weights_load"), recent.last)


def _could_prefetch(start: Compared) -> bool:
    size, room = (start.log_facts.get(fact) for fact in ("checkpoint_gib", "ram_gib"))
    fits = isinstance(size, int | float) and isinstance(room, int | float) and size < room
    network = _says(start, "filesystem").lower() in NETWORK_FILESYSTEMS
    return network and fits and "prefetch_s" not in start.log_facts


def faster_loader(recent: Recent) -> NextStep | None:
    """For weights on the node's own disk that the default loader reads: it alone says how long
    reading took."""
    if not _most(recent.last, _reads_plainly):
        return None
    others = [start for start in recent.own if _says(start, "loader")]
    return _step(
        StepCode.FASTER_LOADER,
        Phase.LOAD_ENGINE,
        _part("weights_load"),
        recent.last,
        saved=(_part("model_load"), others),
    )


def _reads_plainly(start: Compared) -> bool:
    plain = not _says(start, "loader") and "weights_load" in start.parts_s
    near = _says(start, "filesystem").lower() not in NETWORK_FILESYSTEMS
    return plain and near and start.weights_from in LOCAL_WEIGHTS


def keep_warm(recent: Recent) -> NextStep | None:
    """A replica that never sleeps; its price is the GPU."""
    if not _most(recent.last, lambda start: start.trigger == Trigger.SCALE_FROM_ZERO):
        return None
    whole = round(median(totals_s(recent.last)), 1)
    return NextStep(
        code=StepCode.KEEP_WARM,
        phase=Phase.DECIDE,
        spends_s=whole,
        n=len(recent.last),
        saves_s=whole,
        n_with=len(recent.last),
        avoids=True,
    )


REMEDIES: tuple[Callable[[Recent], NextStep | None], ...] = (
    prepull_image,
    keep_weights_near,
    persist_compile_cache,
    persist_kernel_caches,
    fewer_capture_sizes,
    set_kv_cache_memory,
    prefetch_weights,
    faster_loader,
    keep_warm,
)

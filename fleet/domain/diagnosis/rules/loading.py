"""The engine loads: slowly but it moves, or it stands still.

Source: vllm/v1/engine/core_client.py, vllm/distributed, torch.distributed; vLLM's start-up log.
"""

import re
from datetime import datetime

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Container, Pod, Sample
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import init_containers, is_ready, ready_at
from fleet.domain.diagnosis.records import Piece, Remedy
from fleet.domain.diagnosis.rules.placing import wait_s
from fleet.domain.diagnosis.rules.probes_seen import failures
from fleet.domain.diagnosis.rules.runs import LONGEST_S
from fleet.domain.diagnosis.rules.slow_fetch import spent_lines, spent_s
from fleet.domain.diagnosis.series import seconds_between
from fleet.domain.diagnosis.texts import Text

# Half of vLLM's own limit for its engine processes, `VLLM_ENGINE_READY_TIMEOUT_S`.
_STILL_S = 300.0
_SLOW_S = 300.0
_SLOW_WITH_USERS_S = 120.0
_FRESH_S = 600.0
# Without a line that tells what it was at.
_SILENT_SLOW_S = 600.0
_FLAT_S = 60.0
WAITS = clue(
    "waiting for 1 core engine",
    "core engine proc",
    "no available shared memory broadcast block",
    "using nccl==",
    "init_process_group",
    "nccl info",
    "rendezvous",
    "connectfullmesh",
    "tcpstore",
    "waiting for",
    "still waiting",
    "world_size=",
    "bootstrap",
    "custom_all_reduce",
    "barrier",
    "waiting for other",
    "workers to join",
    pattern=r"^(?!.*waiting for application)",
    places=(Where.ENGINE,),
)
_ENDED_BY_ITSELF = clue(
    "timed out waiting for engine",
    "client socket has timed out",
    "distnetworkerror",
    "distbackenderror",
    "waiting for clients",
    "collective operation timeout",
    "rendezvous timeout",
    "rendezvoustimeouterror",
    "barrier timeout",
    "store.get timeout",
    places=(Where.ENGINE, Where.STATE, Where.CONDITION),
)
PROGRESS = clue(
    "% completed",
    "checkpoint shards",
    "loading weights took",
    "model loading took",
    "torch.compile t",
    "dynamo bytecode",
    "compiling a graph",
    "compiling the model",
    "capturing cuda graph",
    "capturing",
    "graph capturing finished",
    "deepgemm warmup",
    "init engine (",
    "autotun",
    "warmup",
    "warming up",
    "num_tokens:",
    "memory profiling takes",
    "inductor",
    "prefetching checkpoint",
    places=(Where.ENGINE,),
)
_MOVING = ("fs_reads_bytes", "network_receive_bytes", "fb_used", "fs_writes_bytes")
_TOOK = re.compile(
    r"(loading weights|model loading|torch\.compile|init engine|graph capturing|dynamo)"
    r".{0,200}?(?:took|takes|time:|finished in|and) (\d{1,7}(?:\.\d{1,6})?) ?s"
)
_SLOW_SWITCHES = {
    "VLLM_TRACE_FUNCTION": ("1", "true"),
    "CUDA_LAUNCH_BLOCKING": ("1",),
    "VLLM_DISABLE_COMPILE_CACHE": ("1", "true"),
    "TORCH_COMPILE_DEBUG": ("1",),
}


def _loading(case: Case, *, least_s: float) -> list[tuple[Pod, Container, float]]:
    """Model containers that run and are not ready, with for how long."""
    return [
        (pod, each, seconds)
        for pod, each in case.models
        if pod in case.begun
        and not each.ready
        and (seconds := case.age_s(each.running_since)) is not None
        and seconds >= least_s
    ]


def stands_still(case: Case) -> Seen | None:
    """A rendezvous that nobody ends: the same waiting line again, nothing read, nothing filled."""
    ended = case.find(_ENDED_BY_ITSELF)
    running = _loading(case, least_s=_STILL_S)
    waits = case.find(WAITS)
    alone = not case.pods and _repeats(waits)
    if not running and not ended and not alone:
        return None
    flat, moved = _counters(case)
    if moved or (ended and case.find(PROGRESS)):
        return None
    if ended:
        return Seen(confidence=LIKELY, pieces=(*quoted(ended), *quoted(waits[-1:])))
    if not waits or not _last_word(case, waits):
        return None
    return Seen(
        confidence=STRONG if flat else LIKELY if _repeats(waits) else TWO_SIGNS,
        pieces=(
            *quoted((waits[0], waits[-1])),
            *measured(flat, at_most=3),
            *(_runs(*each) for each in running[:1]),
        ),
        params={"seconds": running[0][2] if running else None},
    )


def _last_word(case: Case, waits: tuple[Text, ...]) -> bool:
    """Whether nothing that tells of progress came after the waiting began to be said."""
    progress = [each for each in case.find(PROGRESS) if not each.previous]
    last = max(each.number for each in waits)
    return not any(each.number > last for each in progress) and not any(
        "checkpoint shards" in each.low for each in progress
    )


def _repeats(waits: tuple[Text, ...]) -> bool:
    times = [each.at for each in waits if each.at is not None]
    return len(times) > 1 and (max(times) - min(times)).total_seconds() >= _STILL_S / 2


def _counters(case: Case) -> tuple[list[Sample], bool]:
    """Last samples of counters that stood still, and whether any moved."""
    pairs = [pair for pair in case.series.changes(*_MOVING) if seconds_between(pair) >= _FLAT_S]
    moved = any(_grew(pair) for pair in pairs)
    return [last for first, last in pairs if not _grew((first, last))], moved


def _grew(pair: tuple[Sample, Sample]) -> bool:
    """By more than noise: 1 %, and a megabyte where it counts bytes."""
    first, last = pair
    least = 50.0 if "dcgm" in last.name.lower() else 1e6
    return last.value - first.value > max(least, 0.01 * abs(first.value))


def _runs(pod: Pod, container: Container, seconds: float) -> Piece:
    says = f"{container.name} running for {seconds:.0f} s and not ready"
    return piece("object", f"{pod.ref}/{container.name}", says, container.running_since)


def loads_slowly(case: Case) -> Seen | None:
    """Loading, compiling or warming up takes long, and moves."""
    return (
        _loads_now(case)
        or _given_up(case)
        or _loaded(case)
        or _slowed(case)
        or _by_lines(case)
        or _cut_short(case)
    )


_BAR = re.compile(r"\[(?:(\d{1,3}):)?(\d{1,3}):(\d\d)<")


def _by_lines(case: Case) -> Seen | None:
    """Without the pod, or without a clock: bars and figures of vLLM's own log tell of minutes."""
    if not case.only_lines_tell:
        return None
    told = [
        (each, seconds)
        for each in case.find(PROGRESS)
        if (seconds := max(_took(each), bar_s(each.low))) >= _SLOW_S
    ]
    if not told:
        return None
    text, seconds = max(told, key=lambda each: each[1])
    return Seen(
        confidence=LIKELY,
        pieces=quoted((text,)),
        remedies=_remedies(case, [text]),
        params={"seconds": seconds},
    )


def bar_s(low: str) -> float:
    """Seconds that a bar of tqdm has taken so far, 0 if a line shows none."""
    found = _BAR.search(low[:600])
    if found is None:
        return 0.0
    return int(found[1] or 0) * 3600.0 + int(found[2]) * 60 + int(found[3])


def _given_up(case: Case) -> Seen | None:
    """Its own front end waited no longer, while the engine was at work."""
    ended = [each for each in case.find(_ENDED_BY_ITSELF) if "waiting for engine" in each.low]
    progress = case.find(PROGRESS)
    if not ended or not progress:
        return None
    return Seen(
        confidence=LIKELY + 0.05,
        pieces=(*quoted(ended), *quoted(progress[-1:])),
        remedies=(Remedy.FIX_RUNTIME_ARGS, Remedy.PERSIST_COMPILE_CACHE),
        params={"seconds": None},
    )


def _loads_now(case: Case) -> Seen | None:
    least = _SLOW_WITH_USERS_S if case.users_suffer else _SLOW_S
    running = _loading(case, least_s=least)
    progress = [each for each in case.find(PROGRESS) if not each.previous]
    _, moved = _counters(case)
    if not running or not (progress or moved):
        return None
    pod, container, seconds = running[0]
    if not case.users_suffer and _within_budget(container, seconds, progress):
        return None
    return Seen(
        confidence=LIKELY if progress else TWO_SIGNS,
        pieces=(_runs(pod, container, seconds), *quoted(reversed(progress), at_most=2)),
        remedies=_remedies(case, progress),
        params={"seconds": seconds},
    )


_SHARE = re.compile(r"(\d{1,3})% completed")


def _within_budget(container: Container, seconds: float, progress: list[Text]) -> bool:
    """Whether it will be done, at this pace, well before its startup probe gives up."""
    budget = container.startup.budget_s if container.startup is not None else 0.0
    shares = [int(found[1]) for each in progress if (found := _SHARE.search(each.low))]
    expected = seconds * 100 / shares[-1] if shares and shares[-1] else seconds * 1.5
    return expected < min(budget, 2 * _SLOW_S)


def _loaded(case: Case) -> Seen | None:
    """A start that has just ended, of which loading was the largest part."""
    for pod, container in case.models:
        if not is_ready(pod) or not _is_fresh(case, pod) or _came_back(case, pod, container):
            continue
        seconds = _load_s(pod, container)
        if seconds is None or not _SLOW_S <= seconds <= LONGEST_S:
            continue
        if seconds < _before_s(pod, container):
            continue
        took = [each for each in case.all_texts if each.where is Where.ENGINE and _took(each)]
        fetched = max((spent_s(each) or 0.0 for each in spent_lines(case)), default=0.0)
        if fetched >= seconds / 2 or not took and seconds < _SILENT_SLOW_S:
            continue
        return Seen(
            confidence=STRONG if took else TWO_SIGNS,
            pieces=(_load_piece(pod, container, seconds), *quoted(took)),
            remedies=_remedies(case, took),
            params={"seconds": seconds},
        )
    return None


def _is_fresh(case: Case, pod: Pod) -> bool:
    age = case.age_s(ready_at(pod))
    return age is not None and age <= _FRESH_S


def _came_back(case: Case, pod: Pod, container: Container) -> bool:
    """Whether it was ready before: behind a startup probe nobody asks for readiness sooner. Then
    its newest Ready tells nothing of its load."""
    at = ready_at(pod)
    if at is None or container.startup is None:
        return False
    asked = [
        each.text.first_at or each.text.at
        for each in failures(case, outlived=True)
        if each.kind == "readiness" and each.text.pod == pod.name
    ]
    return any(each is not None and each <= at for each in asked)


def _load_s(pod: Pod, container: Container) -> float | None:
    at = ready_at(pod)
    if at is None or container.running_since is None:
        return None
    return max((at - container.running_since).total_seconds(), 0.0)


def _before_s(pod: Pod, container: Container) -> float:
    """The longest stage before loading."""
    fetched = [each.ended.ran_s or 0.0 for each in init_containers(pod) if each.ended is not None]
    return max([wait_s(pod) or 0.0, *fetched, _pull_s(pod, container)])


def _pull_s(pod: Pod, container: Container) -> float:
    condition = pod.condition("Initialized")
    start: datetime | None = condition.at if condition is not None else None
    if start is None or container.running_since is None or container.restarts:
        return 0.0
    return max((container.running_since - start).total_seconds(), 0.0)


def _load_piece(pod: Pod, container: Container, seconds: float) -> Piece:
    says = f"Ready {seconds:.0f} s after {container.name} started"
    return piece("object", f"{pod.ref}/{container.name}", says, ready_at(pod))


def _took(text: Text) -> float:
    found = _TOOK.search(text.low[:600])
    return float(found[2]) if found is not None else 0.0


def _slowed(case: Case) -> Seen | None:
    """A switch for debugging that makes every call of the loader slow, while a start is cut."""
    for pod, container in case.models:
        if pod not in case.starting:
            continue
        switches = [name for name in _SLOW_SWITCHES if _is_on(container, name)]
        if switches:
            ref = f"{pod.ref}/{container.name}"
            says = ", ".join(f"{name}={container.env[name]}" for name in switches)
            return Seen(
                confidence=TWO_SIGNS,
                pieces=(piece("object", ref, says),),
                remedies=(Remedy.FIX_RUNTIME_ARGS,),
                params={"seconds": None},
            )
    return None


def _cut_short(case: Case) -> Seen | None:
    """A run that a probe ended after long, and that told of progress until then."""
    killed = any(each.reason == "Killing" and "probe" in each.low for each in case.all_texts)
    progress = [each for each in case.find(PROGRESS) if each.previous]
    if not killed or not progress:
        return None
    for pod, container in case.models:
        ran_s = container.last.ran_s if container.last is not None else None
        if pod in case.starting and _SILENT_SLOW_S <= (ran_s or 0.0) <= LONGEST_S:
            ref, says = f"{pod.ref}/{container.name}", f"loaded for {ran_s:.0f} s, then was ended"
            return Seen(
                confidence=TWO_SIGNS,
                pieces=(piece("object", ref, says), *quoted(progress[-1:])),
                remedies=_remedies(case, progress),
                params={"seconds": ran_s},
            )
    return None


def _is_on(container: Container, name: str) -> bool:
    return container.env.get(name, "").lower() in _SLOW_SWITCHES[name]


def _remedies(case: Case, texts: list[Text]) -> tuple[Remedy, ...]:
    """Compiling helps itself with a cache that stays, reading with faster storage."""
    compiles = sum(_took(each) for each in texts if not _is_reading(each))
    reads = sum(_took(each) for each in texts if _is_reading(each))
    shards = any("shards" in each.low for each in texts)
    if shards or reads > compiles:
        return (Remedy.FASTER_WEIGHT_LOADING, Remedy.CACHE_MODEL_LOCALLY)
    return (Remedy.PERSIST_COMPILE_CACHE, Remedy.FASTER_WEIGHT_LOADING)


def _is_reading(text: Text) -> bool:
    return "weights" in text.low or "model loading" in text.low

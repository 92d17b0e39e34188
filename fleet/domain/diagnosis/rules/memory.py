"""Memory: of the device, of its cache blocks, of the host.

Source: vllm/v1/worker, vllm/v1/core; kubelet's OOMKilled and evictions.
"""

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Container, Ending, Pod, Sample
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import is_ready
from fleet.domain.diagnosis.records import FaultPhase, Piece, Remedy
from fleet.domain.diagnosis.rules.sizes import size
from fleet.domain.diagnosis.texts import Text

_DEVICE = ("cuda_oom_load", "cuda_oom_sampler", "cuda_oom", "gpu_memory_taken")
_CACHE = ("kv_no_memory", "kv_too_small_for_len")
_ENGINES = (Where.ENGINE, Where.STATE, Where.CONDITION)
DEVICE = clue(
    "cuda out of memory",
    "outofmemoryerror",
    "hip out of memory",
    "cuda error: out of memory",
    "cuda_error_out_of_memory",
    "cublas_status_alloc_failed",
    "out of memory on device",
    "not enough gpu memory",
    "xpu out of memory",
    "hbm oom",
    "ran out of memory in memory space hbm",
    "resource_exhausted: out of memory",
    places=_ENGINES,
)
CACHE = clue(
    "no available memory for the cache blocks",
    "kv cache is needed",
    "larger than the maximum number of tokens that can be stored in kv cache",
    "not enough memory for kv cache",
    "not enough memory. please try to increase --mem-fraction",
    "kv cache memory is not enough",
    "available kv cache memory: -",
    "decrease max_model_len",
    "decreasing `max_model_len`",
    places=_ENGINES,
)
# Ray watches the host's memory, and ends workers by itself. Source: ray memory monitor.
_RAYS = clue(
    "ray.exceptions.outofmemoryerror",
    "node running low on memory",
    "exceeds the memory usage threshold",
    "workers (tasks / actors) killed due to memory pressure",
    places=_ENGINES,
)
_OTHERS_HOLD = ("gpu_memory_taken", "gpu_shared_profiling")
_SERVED = ("application startup complete", 'http/1.1" 200', "avg generation throughput")


def device_full(case: Case) -> Seen | None:
    """The process says itself that the device has no memory left."""
    told = [each for name in _DEVICE for each in case.complaints.get(name, ())]
    texts = [
        each
        for each in dict.fromkeys((*told, *case.find(DEVICE)))
        if not CACHE.fits(each) and not _RAYS.fits(each)
    ]
    shared = [each for name in _OTHERS_HOLD for each in case.complaints.get(name, ())]
    texts += [each for each in shared if each not in texts]
    if not texts or case.find(CACHE):
        return None
    return Seen(
        confidence=DECISIVE,
        pieces=(
            *quoted(texts),
            *measured(case.series.latest("dcgm_fi_dev_fb_free", "dcgm_fi_dev_fb_used"), at_most=1),
        ),
        phase=FaultPhase.SERVING if _had_served(case, texts) else FaultPhase.ENGINE_LOAD,
        remedies=(Remedy.LOWER_GPU_MEMORY_UTILIZATION, Remedy.RESTART_ENGINE) if shared else (),
        params={"others": bool(shared)},
    )


def _had_served(case: Case, texts: list[Text]) -> bool:
    """Whether the same log shows that it served before."""
    lines = [each for each in texts if each.kind == "log"]
    if not lines:
        return False
    first = min(lines, key=lambda each: each.number)
    return any(
        each.container == first.container
        and each.previous == first.previous
        and each.number < first.number
        and any(sign in each.low for sign in _SERVED)
        for each in case.all_texts
        if each.where is Where.ENGINE
    )


def cache_too_small(case: Case) -> Seen | None:
    """Weights fit, the blocks of the cache do not."""
    told = [each for name in _CACHE for each in case.complaints.get(name, ())]
    texts = list(dict.fromkeys((*told, *case.find(CACHE))))
    if not texts:
        return None
    return Seen(
        confidence=DECISIVE,
        pieces=(
            *quoted(texts),
            *measured(case.series.latest("dcgm_fi_dev_fb_free"), at_most=1),
        ),
    )


_KILLED = clue(
    "memory cgroup out of memory",
    "system oom encountered",
    "low on resource: memory",
    "oom-kill",
    "oomkilling",
    "oom_kill",
    "out of memory: killed process",
    "low on resource memory",
    places=(Where.EVENT, Where.STATE, Where.CONDITION, Where.CONTROL),
)
_KILLED_WORKER = clue(
    "exit code: -9", "exitcode: -9", ": -9}", "signal 9", "sigkill", places=(Where.ENGINE,)
)
_RECENT_S = 3600.0
_AT_LIMIT = 0.95


def host_full(case: Case) -> Seen | None:
    """A container reached its memory limit, or the node had none left."""
    for pod in case.pods:
        for container in pod.containers:
            ending = _oom_of(container)
            if ending is None or case.is_past(pod):
                continue
            if _still_matters(case, pod, container, ending):
                return _killed(pod, container, ending)
    texts = case.find(_KILLED) or case.find(_RAYS)
    if texts:
        return Seen(confidence=STRONG, pieces=quoted(texts), remedies=_serving_remedies())
    return _at_its_limit(case)


def _oom_of(container: Container) -> Ending | None:
    found = (each for each in (container.ended, container.last) if each is not None)
    return next((each for each in found if each.reason == "OOMKilled"), None)


def _still_matters(case: Case, pod: Pod, container: Container, ending: Ending) -> bool:
    """It is down, or comes back only to be killed again while users feel it."""
    if not is_ready(pod) and not container.ready:
        return True
    age = case.age_s(ending.finished_at)
    recent = age is None or age <= _RECENT_S
    return recent and (case.users_suffer or (container.restarts > 1 and not is_ready(pod)))


def _killed(pod: Pod, container: Container, ending: Ending) -> Seen:
    limit = container.limits.get("memory", "")
    says = f"{container.name} OOMKilled (exit {ending.exit_code})" + (
        f", memory limit {limit}" if limit else ""
    )
    evidence = piece("object", f"{pod.ref}/{container.name}", says, ending.finished_at)
    return Seen(
        confidence=DECISIVE,
        pieces=(evidence,),
        phase=_phase(container, ending),
        remedies=(
            (Remedy.RAISE_STORAGE_INITIALIZER_MEMORY, Remedy.CACHE_MODEL_LOCALLY)
            if container.init
            else _serving_remedies()
        ),
        params={"container": container.name, "limit": limit, "init": container.init},
    )


def _serving_remedies() -> tuple[Remedy, ...]:
    return (Remedy.RAISE_CONTAINER_MEMORY, Remedy.FIX_RESOURCE_REQUESTS, Remedy.FIX_RUNTIME_ARGS)


def _phase(container: Container, ending: Ending) -> FaultPhase:
    if container.init:
        return FaultPhase.MODEL_FETCH
    ran = ending.ran_s
    return FaultPhase.SERVING if ran is not None and ran > _RECENT_S else FaultPhase.ENGINE_LOAD


def _at_its_limit(case: Case) -> Seen | None:
    """Killed by nobody who says so, the working set at the limit just before."""
    killed = bool(case.find(_KILLED_WORKER))
    for pod in case.pods:
        for container in pod.containers:
            ending = container.latest_ending
            if ending is None or container.ready or not (killed or ending.exit_code == 137):
                continue
            used, limit = _used(case, pod), size(container.limits.get("memory", ""))
            limit = limit or _limit_of(case)
            if used is not None and limit and used.value >= _AT_LIMIT * limit:
                return Seen(
                    confidence=LIKELY if ending.reason != "Error" else TWO_SIGNS + 0.05,
                    pieces=(_exit(pod, container, ending), *measured([used])),
                    phase=_phase(container, ending),
                    remedies=_serving_remedies(),
                    params={"container": container.name, "limit": f"{limit:.0f}"},
                )
    return None


def _used(case: Case, pod: Pod) -> Sample | None:
    names = ("memory_working_set_bytes", "memory_usage_bytes", "memory_rss", "resident_memory")
    found = [
        each for each in case.series.all(*names) if each.labels.get("pod", pod.name) == pod.name
    ]
    return max(found, key=lambda each: each.value, default=None)


def _limit_of(case: Case) -> float | None:
    found = case.series.most("spec_memory_limit", "resource_limits_memory", "memory_limit_bytes")
    return found.value if found is not None else None


def _exit(pod: Pod, container: Container, ending: Ending) -> Piece:
    says = f"{container.name} exit {ending.exit_code}, {ending.reason}"
    return piece("object", f"{pod.ref}/{container.name}", says, ending.finished_at)

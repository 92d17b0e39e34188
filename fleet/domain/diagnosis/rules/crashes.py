"""The server exits at its start by itself: arguments, environment, driver, architecture.

Source: vllm/engine/arg_utils.py, vllm/platforms, nvidia-container-toolkit, containerd; exit codes
as bash and the kernel give them.
"""

import re
from typing import NamedTuple

from fleet.domain.diagnosis.case import Case, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import Clue, clue
from fleet.domain.diagnosis.evidence import Container, Ending, Pod
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.records import FaultPhase, Piece, Remedy
from fleet.domain.diagnosis.rules.runs import had_served
from fleet.domain.diagnosis.texts import Text

_ENGINES = (Where.ENGINE, Where.STATE, Where.CONDITION, Where.EVENT)
_ARGS, _IMAGE = Remedy.FIX_RUNTIME_ARGS, Remedy.CHANGE_RUNTIME_IMAGE
_REQUESTS = Remedy.FIX_RESOURCE_REQUESTS
# What the server complains of, and what helps. Wrappers are not here: they do not say why.
_OF_CLASS: dict[str, tuple[Remedy, ...]] = {
    "shm_too_small": (Remedy.RAISE_SHARED_MEMORY,),
    "driver_mismatch": (Remedy.UPGRADE_GPU_DRIVER, _IMAGE),
    "no_gpu": (_REQUESTS, _IMAGE, Remedy.UPGRADE_GPU_DRIVER),
    "kernel_image": (_IMAGE,),
    "arch_unsupported": (_IMAGE,),
    "tokenizer_missing": (Remedy.FIX_MODEL_URI, _ARGS),
    "max_len_config": (Remedy.LOWER_MAX_MODEL_LEN, _ARGS),
    "bad_argument": (_ARGS, _IMAGE),
    "cache_permission": (_ARGS,),
    "port_in_use": (_ARGS,),
    "nccl_error": (Remedy.FIX_COLLECTIVE_COMMUNICATION, Remedy.RAISE_SHARED_MEMORY),
    "cuda_fault": (_IMAGE, Remedy.UPGRADE_GPU_DRIVER),
}


class Kind(NamedTuple):
    """A kind of exit: its clue and what helps."""

    name: str
    clue: Clue
    remedies: tuple[Remedy, ...]


_KINDS: tuple[Kind, ...] = (
    Kind(
        "service-links",
        clue(
            "tcp://",
            "appears to be a uri",
            "kubernetes service discovery",
            pattern=r"(?:_port|port|int\(\)|uri|environment).{0,200}tcp://|tcp://.{0,200}"
            r"(?:port|int)|appears to be a uri|service discovery",
            places=_ENGINES,
        ),
        (Remedy.RENAME_SERVICE_OR_DISABLE_SERVICE_LINKS,),
    ),
    Kind(
        "shared-memory",
        clue(
            "/dev/shm",
            "shared memory segment",
            "bus error",
            "shm_open",
            "insufficient shared memory",
            "out of shared memory",
            places=_ENGINES,
        ),
        (Remedy.RAISE_SHARED_MEMORY,),
    ),
    Kind(
        "driver",
        clue(
            "nvidia-container-cli",
            "unsatisfied condition: cuda",
            "driver version is insufficient",
            "driver on your system is too old",
            "unsupported display driver",
            "error 803",
            "error 804",
            "forward compatibility was attempted",
            "libcuda.so",
            "nvml",
            "driver/library version mismatch",
            places=_ENGINES,
        ),
        (Remedy.UPGRADE_GPU_DRIVER, _IMAGE),
    ),
    Kind(
        "devices",
        clue(
            "no cuda gpus are available",
            "failed to infer device type",
            "exceeds the total number of available gpus",
            "greater than the number of available gpus",
            "larger than the number of available gpus",
            "world size",
            "found no nvidia driver",
            "invalid device ordinal",
            "cuda is not available",
            pattern=r"no cuda gpus|infer device|available gpus|no nvidia driver|world size \(?\d+"
            r"\)? (?:is|does|exceed|>)|device ordinal|cuda is not available",
            places=_ENGINES,
        ),
        (_REQUESTS, _ARGS, _IMAGE),
    ),
    Kind(
        "capability",
        clue(
            "compute capability",
            "no kernel image",
            "is only supported on gpus",
            "minimum capability",
            "not supported on this gpu",
            "sm_",
            "illegal instruction",
            "avx512",
            places=_ENGINES,
            pattern=r"capability|no kernel image|only supported on|on this gpu"
            r"|sm_\d+ is not|illegal instruction|avx512",
        ),
        (_ARGS, _IMAGE, Remedy.MORE_OR_LARGER_GPU),
    ),
    Kind(
        "architecture",
        clue(
            "are not supported for now",
            "does not recognize this architecture",
            "model architectures",
            "unrecognized configuration class",
            "unrecognized model",
            "is not supported by",
            "unknown quantization method",
            "rope_scaling",
            "keyerror: '",
            places=_ENGINES,
            pattern=r"not supported for now|recognize this arch|model architectures"
            r"|unrecognized (?:config|model)|not supported by|unknown quant|rope_scaling"
            r"|keyerror: '(?:model|layers|qwen|gemma|llama|mistral|deepseek|phi|type)",
        ),
        (_IMAGE, _ARGS),
    ),
    Kind(
        "library",
        clue(
            "cannot open shared object file",
            "importerror",
            "modulenotfounderror",
            "undefined symbol",
            "no module named",
            "exec format error",
            "glibc",
            places=_ENGINES,
        ),
        (_IMAGE, _ARGS),
    ),
    Kind(
        "command",
        clue(
            "executable file not found",
            "oci runtime create failed",
            "failed to create containerd task",
            "failed to start container",
            "exec: ",
            "permission denied: unknown",
            "runcontainererror",
            "starterror",
            "containercannotrun",
            "createcontainererror",
            "can't open file",
            places=(*_ENGINES,),
            pattern=r"executable file|oci runtime|containerd task|start container|exec: \""
            r"|denied: unknown|runcontainererror|starterror|cannotrun|createcontainererr"
            r"|can't open file",
        ),
        (_ARGS, _IMAGE),
    ),
    Kind(
        "references",
        clue(
            "createcontainerconfigerror",
            "couldn't find key",
            'secret "',
            'configmap "',
            "container has runasnonroot",
            pattern=r"createcontainerconfigerror|couldn't find key"
            r"|(?:secret|configmap) \"[^\"]{1,200}\" not found|runasnonroot",
            places=(Where.STATE, Where.EVENT),
        ),
        (_ARGS, Remedy.FIX_STORAGE_CREDENTIALS, Remedy.RESOLVE_CONFIG_CONFLICT),
    ),
    Kind(
        "arguments",
        clue(
            "unrecognized arguments",
            "the following arguments are required",
            "invalid choice",
            "error: argument",
            "validation error",
            "ambiguous option",
            "must be divisible by",
            "is not divisible by",
            "trust_remote_code",
            "unexpected keyword argument",
            "no such option",
            "is not a valid",
            "permissionerror",
            "permission denied: '/",
            "address already in use",
            "chat template",
            "jsondecodeerror",
            "could not convert",
            "cannot use",
            "not allowed with argument",
            "invalid literal for int",
            "read-only file system",
            places=_ENGINES,
        ),
        (_ARGS, _IMAGE),
    ),
)
# An error as programs print it, when none of the above is said.
_ERROR = re.compile(
    r"\b[a-z_.]{0,60}(?:error|exception)\b[:\]]|failed to start|panic:|fatal|assertion"
    r"|cannot |could not |invalid |not supported|unknown option"
)
_NO_ERRORS = ("warning", "info", "debug")
_WRAPPERS = (
    "see root cause above",
    "failed core proc(s)",
    "engine process failed to start",
    "workerproc initialization failed",
    "enginecore failed to start",
    "enginedeaderror",
    "keyboardinterrupt",
    "died unexpectedly",
    "asyncio.exceptions.cancellederror",
    "subprocess-exited",
)
# Exit codes that say why. Source: bash(1), exit status; signal(7).
_CODES: dict[int, tuple[Remedy, ...]] = {
    2: (_ARGS,),
    126: (_ARGS, _IMAGE),
    127: (_ARGS, _IMAGE),
    132: (_IMAGE,),
    135: (Remedy.RAISE_SHARED_MEMORY,),
}


def exits_at_start(case: Case) -> Seen | None:
    """Not while it serves, and not because somebody ends it."""
    if not _is_down(case) or had_served(case):
        return None
    return _by_kind(case) or _by_class(case) or _by_error(case) or _by_code(case)


def _is_down(case: Case) -> bool:
    """A model container ended, waits to be made or restarted, or a revision says that it failed."""
    for pod, each in case.models:
        if pod in case.starting or (pod.phase == "Failed" and not case.is_past(pod)):
            ended = each.latest_ending is not None or each.restarts > 0
            if not each.ready and (each.waiting or ended):
                return True
    ready = case.evidence.revision.condition("Ready")
    told = ready is not None and ready.status == "False" and ready.reason.startswith("ExitCode")
    return told or (not case.pods and (_only_told(case) or _service_says(case)))


def _service_says(case: Case) -> bool:
    """KServe and Knative copy a container's last words to the objects above it."""
    return any(
        each.about == "modelStatus" or "container failed with" in each.low
        for each in case.texts
        if each.where in (Where.CONDITION, Where.STATE)
    )


_UP = ("startup complete", "uvicorn running on", "avg generation throughput")


def _only_told(case: Case) -> bool:
    """Without any pod: its log ends before it is up, or somebody restarts it."""
    engine = [each for each in case.texts if each.where is Where.ENGINE]
    ready = case.evidence.model.condition("Ready")
    up = (ready is not None and ready.status == "True") or any(
        sign in each.low and not each.previous for each in engine for sign in _UP
    )
    again = any(each.previous for each in engine) or any(
        each.reason == "BackOff" and "restarting" in each.low for each in case.texts
    )
    return bool(engine) and (again or not up)


def _said(case: Case, each: Clue) -> list[Text]:
    return [text for text in case.find(each) if not text.init and _not_a_call(text)]


def _not_a_call(text: Text) -> bool:
    return " http/1." not in text.low and "probe" not in text.low


def _by_kind(case: Case) -> Seen | None:
    for kind in _KINDS:
        texts = _said(case, kind.clue)
        if texts:
            return Seen(
                confidence=DECISIVE if kind.name != "arguments" else STRONG,
                pieces=(*quoted(texts), *_exits(case)),
                phase=FaultPhase.ENGINE_LOAD,
                remedies=kind.remedies,
                params={"kind": kind.name},
            )
    return None


def _by_class(case: Case) -> Seen | None:
    for class_, remedies in _OF_CLASS.items():
        texts = case.complaints.get(class_)
        if texts:
            return Seen(
                confidence=STRONG,
                pieces=(*quoted(texts), *_exits(case)),
                remedies=remedies,
                params={"kind": class_},
            )
    return None


def _by_error(case: Case) -> Seen | None:
    """The last error that it prints before it exits with a code of its own."""
    code = _own_exit(case)
    if code is None and case.pods:
        return None
    errors = [each for each in case.texts if _is_error(each)]
    if not errors:
        return None
    return Seen(
        confidence=TWO_SIGNS if code in (0, 137, 143, None) else LIKELY,
        pieces=(*quoted(errors[-1:]), *_exits(case)),
        params={"kind": "error"},
    )


def _is_error(text: Text) -> bool:
    if text.init or text.where not in (Where.ENGINE, Where.CONDITION, Where.STATE):
        return False
    if text.low.startswith(_NO_ERRORS):
        return False
    failed = text.where is Where.ENGINE or "container failed with" in text.low
    told = failed or text.about == "modelStatus" or text.low.startswith("exit code")
    wrapped = any(sign in text.low for sign in _WRAPPERS)
    said = text.low.partition(": ")[2] if text.low.startswith("exit code") else text.low
    return told and not wrapped and bool(_ERROR.search(said[:1_000])) and _not_a_call(text)


def _own_exit(case: Case) -> int | None:
    """The exit code of a model container that ended by itself; None if one does not know."""
    codes = [
        ending.exit_code
        for _, each in case.models
        if (ending := each.latest_ending) is not None and ending.exit_code is not None
    ]
    own = [code for code in codes if code not in (0, 137, 143, 130)]
    if own:
        return own[0]
    ready = case.evidence.revision.condition("Ready")
    told = ready.reason.removeprefix("ExitCode") if ready is not None else ""
    return int(told) if told.isdigit() and told not in ("137", "143", "0") else None


def _by_code(case: Case) -> Seen | None:
    code = _own_exit(case)
    if code is None or code not in _CODES:
        return None
    return Seen(
        confidence=TWO_SIGNS, pieces=_exits(case), remedies=_CODES[code], params={"kind": "code"}
    )


def _exits(case: Case) -> tuple[Piece, ...]:
    found = [
        _exit(pod, each, ending)
        for pod, each in case.models
        if (ending := each.latest_ending) is not None
    ]
    return tuple(found[:1])


def _exit(pod: Pod, container: Container, ending: Ending) -> Piece:
    says = (
        f"{container.name} exit {ending.exit_code}, {ending.reason}, {container.restarts} restarts"
    )
    return piece("object", f"{pod.ref}/{container.name}", says, ending.finished_at)

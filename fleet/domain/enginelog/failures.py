"""Why a server failed, by what it says: rows in order of rank, wrappers last.

A wrapper only says that something else went wrong, often in another process. Source: vLLM's own
messages, and those of the hub library, boto, torch, NCCL and CUDA.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple


class Signature(NamedTuple):
    """class_: the failure. words: one of them is in every match, as `words_of` finds it. signs: so
    is one of these texts. pattern: None if a sign is enough."""

    class_: str
    words: tuple[bytes, ...]
    signs: tuple[str, ...]
    pattern: re.Pattern[str] | None = None


def _signature(class_: str, words: str, *signs: str, pattern: str = "") -> Signature:
    return Signature(
        class_, tuple(words.encode().split()), signs, re.compile(pattern) if pattern else None
    )


SIGNATURES: tuple[Signature, ...] = (
    _signature("cuda_oom_load", "memory", "Failed to load model - not enough GPU memory"),
    _signature(
        "cuda_oom_sampler", "sampler", "CUDA out of memory occurred when warming up sampler"
    ),
    _signature(
        "gpu_memory_taken",
        "Free",
        "Free memory on device",
        pattern=r"Free memory on device.{0,300}is less than desired GPU memory utilization",
    ),
    _signature("kv_no_memory", "memory", "No available memory for the cache blocks"),
    _signature(
        "kv_too_small_for_len",
        "seq",
        "max seq len",
        pattern=r"max seq len \(\d{1,12}\).{0,400}?(?:larger than the maximum number of tokens"
        r"|KV cache is needed, which is larger)",
    ),
    _signature("gpu_shared_profiling", "profiling", "Error in memory profiling."),
    _signature(
        "shm_too_small",
        "segment posix_fallocate Bus",
        "Error while creating shared memory segment /dev/shm/",
        "posix_fallocate failed: No space left",
        "posix_fallocate failed : No space left",
        "Bus error",
    ),
    _signature(
        "disk_full",
        "space quota",
        "No space left on device",
        "ot enough free disk space",
        "Disk quota exceeded",
    ),
    _signature(
        "hf_rate_limited",
        "429",
        "429 Client Error: Too Many Requests",
        "HTTP Error 429",
        "Error 429",
    ),
    _signature(
        "hf_gated",
        "gated GatedRepoError authorized authenticated",
        "gated repo",
        "GatedRepoError",
        "not in the authorized list",
        "You must have access to it and be authenticated",
    ),
    _signature(
        "hf_auth_or_missing",
        "401 RepositoryNotFoundError Invalid",
        "401 Client Error",
        "RepositoryNotFoundError",
        "Invalid username or password",
        "Invalid user token",
    ),
    _signature(
        "hf_unreachable",
        "LocalEntryNotFoundError outgoing connect",
        "LocalEntryNotFoundError",
        "outgoing traffic has been disabled",
        "couldn't connect to 'https://huggingface",
    ),
    _signature(
        "s3_denied",
        "AccessDenied Denied 403 InvalidAccessKeyId SignatureDoesNotMatch",
        "(AccessDenied)",
        "Access Denied",
        "An error occurred (403)",
        "InvalidAccessKeyId",
        "SignatureDoesNotMatch",
    ),
    _signature(
        "driver_mismatch",
        "803 804 driver unsatisfied",
        "Error 803: ",
        "Error 804: ",
        "CUDA driver version is insufficient",
        "NVIDIA driver on your system is too old",
        "unsatisfied condition: cuda",
    ),
    _signature("no_gpu", "GPUs infer", "No CUDA GPUs are available", "Failed to infer device type"),
    _signature("kernel_image", "kernel", "no kernel image is available for execution"),
    _signature(
        "arch_unsupported",
        "supported recognize",
        "are not supported for now",
        "does not recognize this architecture",
        "is not supported anymore",
    ),
    _signature(
        "tokenizer_missing",
        "tokenizer vocabulary",
        "Can't load tokenizer for",
        "Couldn't instantiate the backend tokenizer",
        "Unable to load vocabulary from file",
    ),
    _signature(
        "model_path_wrong",
        "Invalid folder weights",
        "Invalid repository ID or local directory specified",
        "is not a local folder and is not a valid model identifier",
        "Cannot find any model weights with",
    ),
    _signature(
        "max_len_config",
        "max_model_len",
        "User-specified max_model_len",
        pattern=r"User-specified max_model_len \(\d{1,12}\) is greater than the derived",
    ),
    _signature(
        "bad_argument",
        "unrecognized argument validation",
        "error: unrecognized arguments",
        "error: argument -",
        "validation error",
        pattern=r"error: (?:unrecognized arguments|argument -)"
        r"|validation errors? for (?:Model|Cache|Parallel|Vllm)\w{0,60}Config",
    ),
    _signature(
        "cache_permission",
        "Permission",
        "Permission denied: '",
        pattern=r"PermissionError: \[Errno 13\] Permission denied: '/(?:\.|root)",
    ),
    _signature(
        "port_in_use", "98", "[Errno 98]", pattern=r"\[Errno 98\].{0,300}[Aa]ddress already in use"
    ),
    _signature(
        "nccl_error",
        "NCCL ncclSystemError ncclUnhandledCudaError ncclInternalError ncclRemoteError"
        " Watchdog watchdog",
        "NCCL error in",
        "ncclSystemError",
        "ncclUnhandledCudaError",
        "ncclInternalError",
        "ncclRemoteError",
        "Watchdog caught collective operation timeout",
        "ProcessGroupNCCL's watchdog got stuck",
    ),
    _signature(
        "cuda_oom",
        "OutOfMemoryError memory",
        "torch.OutOfMemoryError",
        "torch.cuda.OutOfMemoryError",
        "CUDA out of memory",
        "CUDA error: out of memory",
    ),
    _signature(
        "cuda_fault",
        "illegal CUDA_ERROR_ILLEGAL_ADDRESS assert Xid",
        "illegal memory access",
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "device-side assert",
        "Xid",
        pattern=r"illegal memory access|CUDA_ERROR_ILLEGAL_ADDRESS|device-side assert|\bXid\b",
    ),
    _signature(
        "engine_ready_timeout",
        "Timed",
        "Timed out waiting for engine",
        pattern=r"Timed out waiting for engine(?: core processe)?s to (?:start|send initial)",
    ),
    _signature("killed_by_sigterm", "KeyboardInterrupt", "KeyboardInterrupt: terminated"),
    _signature(
        "engine_dead",
        "encountered EngineDeadError AsyncEngineDeadError died Background",
        "EngineCore encountered a fatal error",
        "EngineDeadError",
        "died unexpectedly",
        " died, exit code: ",
        "Background loop has errored",
    ),
    _signature(
        "engine_init_wrapper",
        "initialization Engine WorkerProc failed",
        "Engine core initialization failed. See root cause above",
        "Engine process failed to start",
        "WorkerProc initialization failed",
        "EngineCore failed to start",
    ),
)
RANK = {signature.class_: rank for rank, signature in enumerate(SIGNATURES)}
# They say that it broke, not why.
WRAPPERS = frozenset({"engine_dead", "engine_init_wrapper"})

# Frames of a traceback and the source lines below them.
QUOTES = ("    ", '  File "')


def _by_word() -> dict[bytes, tuple[int, ...]]:
    """Ranks by a word: one of the words that stand for a signature is in every match of it."""
    ranks: dict[bytes, tuple[int, ...]] = {}
    for rank, signature in enumerate(SIGNATURES):
        for word in signature.words:
            ranks[word] = (*ranks.get(word, ()), rank)
    return ranks


_BY_WORD = _by_word()
FAILING_WORDS = frozenset(_BY_WORD)


def failure_in(text: str, words: Iterable[bytes]) -> str | None:
    """The class of what a line complains of, None if it does not.

    words: of the text, by `words_of`. Frames of a traceback only quote.
    """
    ranks = {rank for word in FAILING_WORDS.intersection(words) for rank in _BY_WORD[word]}
    if not ranks or text.startswith(QUOTES):
        return None
    for rank in sorted(ranks):
        if _fits(SIGNATURES[rank], text):
            return SIGNATURES[rank].class_
    return None


def _fits(signature: Signature, text: str) -> bool:
    for sign in signature.signs:
        if sign in text:
            return signature.pattern is None or signature.pattern.search(text) is not None
    return False

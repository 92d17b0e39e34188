"""The templates of vLLM's start-up log, as rows: name, a word every match contains, the pattern.

The word is looked for first, so that a line that says nothing costs no regex. Every repetition is
bounded: lines come from strangers. Versions 0.4 to 0.33; where the wording changed, one pattern
takes all. Source: vllm/entrypoints, vllm/v1/worker, vllm/v1/engine, vllm/compilation.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from fleet.domain.enginelog.facts import READERS


class Row(NamedTuple):
    """name: of the milestone. word: one that every match contains, as `words_of` finds it.
    prints: whether it tells seconds of a sub-phase. marks: whether it is a moment of the start.
    reads: takes what it states into the known facts, None if it states none."""

    name: str
    word: bytes
    pattern: re.Pattern[str]
    prints: bool = False
    marks: bool = True
    reads: Callable[[dict[str, Any], re.Match[str]], None] | None = None


# Seconds that vLLM prints; of several in one process these are summed, of the others the longest
# counts. Of several processes always the longest.
SUMMED = frozenset({"compile_graph", "api_warmup"})
PRINTED = frozenset(
    {
        "weights_download",
        "weights_load",
        "model_load",
        "compile_dynamo",
        "compile_graph",
        "compile_total",
        "profile_run",
        "jit_warmup",
        "graph_capture",
        "engine_init",
        "api_warmup",
    }
)


def _row(name: str, word: str, pattern: str, *, marks: bool = True) -> Row:
    compiled = re.compile(pattern)
    return Row(
        name,
        word.encode(),
        compiled,
        prints="s" in compiled.groupindex and name in PRINTED,
        marks=marks,
        reads=READERS.get(name),
    )


# In the order in which a start passes them.
STARTING: tuple[Row, ...] = (
    _row("platform", "platform", r"Automatically detected platform (?P<platform>\w{1,40})"),
    _row("banner", "version", r"vLLM (?:API )?server version (?P<v>[^\s,]{1,60})"),
    _row("banner_logo", "version", r"█\s{1,20}version (?P<v>\S{1,60})\s{0,20}(?:$|\[rep)"),
    _row("args", "args", r"(?:^|non-default )args: "),
    _row("arch", "Resolved", r"\bResolved architectures?: "),
    _row("max_len", "len", r"Using max model len (?P<n>\d{1,12})"),
    _row(
        "engine_start",
        "engine",
        r"Initializing (?:a V(?P<eng>[01]) LLM|an LLM) engine \(v?(?P<v>[^)\s]{1,60})\)",
    ),
    _row("nccl_start", "nccl", r"vLLM is using nccl==[\d.]{1,20}"),
    _row("load_start", "load", r"Starting to load model .{1,400}"),
    _row(
        "weights_download",
        "downloading",
        r"Time spent downloading weights for .{1,400}?: (?P<s>\d{1,9}(?:\.\d{1,9})?) s",
    ),
    _row(
        "shards",
        "Completed",
        r"Loading (?P<kind>[\w ]{1,80}?):\s{1,9}(?P<pct>\d{1,3})% Completed \| ",
    ),
    _row(
        "filesystem",
        "Filesystem",
        r"\bFilesystem type for checkpoints: (?P<fs>[^\s.]{1,40})"
        r"(?:\. Checkpoint size: (?P<gib>\d{1,9}(?:\.\d{1,9})?) GiB)?"
        r"(?:\. Available RAM: (?P<ram>\d{1,9}(?:\.\d{1,9})?) GiB)?",
    ),
    _row(
        "prefetch",
        "Prefetching",
        r"\bPrefetching .{1,200}?into page cache finished in (?P<s>\d{1,9}(?:\.\d{1,9})?) ?s",
    ),
    _row("weights_load", "took", r"Loading weights took (?P<s>\d{1,9}(?:\.\d{1,9})?) second"),
    _row(
        "model_load",
        "took",
        r"(?:Model loading took|Loading model weights took) (?P<gib>\d{1,9}(?:\.\d{1,9})?) Gi?B"
        r"(?: memory)?(?: and (?P<s>\d{1,9}(?:\.\d{1,9})?) s)?",
    ),
    _row("cache_dir", "directory", r"Using cache directory: .{1,400}torch\.compile"),
    _row("cache_off", "disabled", r"torch\.compile cache is disabled\b"),
    _row(
        "compile_dynamo",
        "Dynamo",
        r"\bDynamo bytecode transform time: (?P<s>\d{1,9}(?:\.\d{1,9})?) s",
    ),
    _row(
        "compile_graph",
        "Compiling",
        r"\bCompiling a graph for .{1,120}? t(?:akes|ook) (?P<s>\d{1,9}(?:\.\d{1,9})?) s",
    ),
    _row("compile_cached", "Directly", r"\bDirectly load the compiled graph"),
    _row("compile_aot", "Directly", r"\bDirectly load AOT compilation"),
    _row(
        "compile_total",
        "total",
        r"torch\.compile t(?:akes|ook) (?P<s>\d{1,9}(?:\.\d{1,9})?) s in total\b",
    ),
    _row(
        "profile_run",
        "profiling",
        r"(?:Memory profiling takes|Initial profiling/warmup run took)"
        r" (?P<s>\d{1,9}(?:\.\d{1,9})?) s",
    ),
    _row("kv_memory", "memory", r"Available KV cache memory: (?P<gib>-?\d{1,9}(?:\.\d{1,9})?) GiB"),
    _row("kv_tokens", "tokens", r"KV cache size: (?P<tok>\d[\d,]{0,18}) tokens\b"),
    _row("kv_blocks", "blocks", r"# (?:GPU|cuda|CUDA|gpu) blocks: (?P<n>\d{1,12})"),
    _row(
        "concurrency",
        "concurrency",
        r"Maximum concurrency for [\d,]{1,20} tokens per request: (?P<x>\d{1,9}(?:\.\d{1,9})?)x",
    ),
    _row(
        "deepgemm",
        "DeepGEMM",
        r"\bDeepGEMM warmup:\s{1,9}\d{1,3}%(?:.{0,200}?\[(?P<bar>\d{1,3}(?::\d\d){1,2})<)?",
    ),
    _row("flashinfer", "FlashInfer", r"Running FlashInfer autotune"),
    _row(
        "jit_warmup",
        "warmup",
        r"JIT kernel warmup finished in (?P<s>\d{1,9}(?:\.\d{1,9})?) ?s",
    ),
    _row(
        "graph_capture",
        "capturing",
        r"Graph capturing finished in (?P<s>\d{1,9}(?:\.\d{1,9})?) s",
    ),
    _row(
        "engine_init",
        "init",
        r"\binit engine \([^)]{1,120}\) took (?P<s>\d{1,9}(?:\.\d{1,9})?) s",
    ),
    _row(
        "api_warmup",
        "warmup",
        r"\bwarmup completed in (?P<s>\d{1,9}(?:\.\d{1,9})?) ?(?P<unit>ms|s)\b",
    ),
    _row(
        "capture_bar",
        "Capturing",
        r"\bCapturing (?:CUDA|cuda) graph.{0,120}?\s\d{1,3}%.{0,60}?\s\d{1,5}/(?P<n>\d{1,5}) \[",
        marks=False,
    ),
    _row("custom_allreduce", "allreduce", r"Custom allreduce is disabled because", marks=False),
    _row("kv_hint", "kv", r"--kv-cache-memory(?:-bytes)?=(?P<n>\d{1,15})", marks=False),
    _row("server_start", "vLLM", r"[Ss]tarting vLLM (?:API )?server\b(?! version)"),
)
# How lines begin, and the milestones that they may hold then: the quick way to their rows.
BEGINNING = 10
_BEGIN = (
    ("Automatically", "platform"),
    ("vLLM API server version", "banner"),
    ("vLLM server version", "banner"),
    ("non-default args", "args"),
    ("Resolved architecture", "arch"),
    ("Using max model len", "max_len"),
    ("Initializing a", "engine_start"),
    ("vLLM is using nccl", "nccl_start"),
    ("Starting to load", "load_start"),
    ("Time spent downloading", "weights_download"),
    ("Loading safetensors", "shards"),
    ("Filesystem type", "filesystem"),
    ("Prefetching checkpoint", "prefetch"),
    ("Loading weights took", "weights_load"),
    ("Loading model weights took", "model_load"),
    ("Model loading took", "model_load"),
    ("Using cache directory", "cache_dir"),
    ("Dynamo bytecode", "compile_dynamo"),
    ("Compiling a graph", "compile_graph"),
    ("Directly load", "compile_cached compile_aot"),
    ("torch.compile took", "compile_total"),
    ("Initial profiling", "profile_run"),
    ("Memory profiling", "profile_run"),
    ("Available KV cache", "kv_memory"),
    ("GPU KV cache size", "kv_tokens concurrency"),
    ("# GPU blocks", "kv_blocks"),
    ("# cuda blocks", "kv_blocks"),
    ("Maximum concurrency", "concurrency"),
    ("Running FlashInfer", "flashinfer"),
    ("JIT kernel warmup", "jit_warmup"),
    ("Graph capturing", "graph_capture"),
    ("init engine", "engine_init"),
    ("Multi-modal warmup", "api_warmup"),
    ("Chat template warmup", "api_warmup"),
    ("Starting vLLM", "server_start"),
)
BEGINNINGS: dict[str, tuple[Row, ...]] = {
    text[:BEGINNING]: tuple(row for row in STARTING if row.name in names.split())
    for text, names in _BEGIN
}
# What a server says once it serves; the rows above are done with by then.
SERVING: tuple[Row, ...] = (
    _row(
        "jit_during_serving",
        "inference",
        r"during inference: .{0,400}latency spike",
        marks=False,
    ),
)
SHUTDOWN = ("[shutdown] API server: ", "Shutting down FastAPI HTTP server")
STARTUP_COMPLETE = "Application startup complete."
ACCESS = re.compile(
    r'INFO:\s{1,9}\S{1,100} - "(?P<method>[A-Z]{1,10}) (?P<path>\S{1,2000}) HTTP/[\d.]{1,4}"'
    r" (?P<status>\d{3})"
)

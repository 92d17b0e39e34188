"""What a server's log told of its start, for people. The log's words are hostile text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from dashboard.charts.spoken import clock_text
from dashboard.words import Words, word

LOG_STATES: Mapping[str, Words] = {
    "read": _("read"),
    "json": _("in JSON: only some facts can be read"),
    "none": _("nothing of vLLM in it yet"),
    "cut": _("read in part: it was too long, or its beginning is gone"),
}
# Facts of a start's log (docs/vllm-log.md); one that is not here is shown by its own name.
FACT_LABELS: Mapping[str, Words] = {
    "version": _("vLLM"),
    "engine": _("engine"),
    "platform": _("platform"),
    "loader": _("loader"),
    "load_format": _("load format"),
    "load_strategy": _("read ahead"),
    "filesystem": _("file system"),
    "quantization": _("quantisation"),
    "tensor_parallel": _("tensor parallel"),
    "ranks": _("processes that load"),
    "checkpoint_gib": _("checkpoint, GiB"),
    "weights_gib": _("weights in GPU memory, GiB"),
    "ram_gib": _("memory of the node, GiB"),
    "prefetch_s": _("prefetching weights"),
    "nccl_s": _("connecting GPUs (NCCL)"),
    "custom_allreduce": _("custom all-reduce"),
    "deepgemm_s": _("warming DeepGEMM up"),
    "flashinfer_autotune": _("FlashInfer autotuning"),
    "shard_progress_pct": _("shards read, %"),
    "compile_cache": _("compile cache"),
    "eager": _("eager mode"),
    "graph_sizes": _("sizes of CUDA graphs"),
    "kv_memory_gib": _("KV cache, GiB"),
    "kv_tokens": _("KV cache, tokens"),
    "kv_blocks": _("KV cache, blocks"),
    "kv_cache_memory_bytes": _("room for --kv-cache-memory, bytes"),
    "concurrency": _("concurrency at full length"),
    "engine_rest_s": _("rest of initialising the engine"),
}
# Told elsewhere on the page: sub-phases in the waterfall, earlier runs in lines of their own.
TOLD_ELSEWHERE = frozenset(
    [
        "load_s",
        "weights_s",
        "download_s",
        "post_load_s",
        "compile_s",
        "dynamo_s",
        "graph_compile_s",
        "profile_s",
        "graph_capture_s",
        "jit_warmup_s",
        "engine_init_s",
        "api_warmup_s",
        "api_setup_s",
        "listen_s",
        "runs",
    ]
)
MOST_FACTS = 40
MOST_LINES = 5
MOST_RUNS = 5
LONGEST_TEXT = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWords:
    """state: how far the log could be read. facts: label and value. silent_since: the last word of
    a server that says nothing any more. lines: the decisive ones. runs: those that ended before
    the last one began, a line each."""

    state: Words
    engine_version: str
    silent_since: datetime | None
    facts: tuple[tuple[Words, str], ...]
    lines: tuple[str, ...]
    runs: tuple[str, ...]


def log_words(log: Mapping[str, Any] | None) -> LogWords | None:
    """None = no log was read."""
    if not isinstance(log, Mapping):
        return None
    facts = log.get("facts")
    facts = facts if isinstance(facts, Mapping) else {}
    lines = log.get("decisive")
    runs = facts.get("runs")
    return LogWords(
        state=word(LOG_STATES, _text(log.get("state"))),
        engine_version=_text(log.get("engine_version")),
        silent_since=_moment(log.get("silent_since")),
        facts=tuple(_facts(facts)),
        lines=tuple(
            _text(line) for line in (lines if isinstance(lines, list) else ())[:MOST_LINES]
        ),
        runs=tuple(
            _run(run)
            for run in (runs if isinstance(runs, list) else ())[-MOST_RUNS:]
            if isinstance(run, Mapping)
        ),
    )


def _run(run: Mapping[str, Any]) -> str:
    """Which it was, its length where it is known, and what ended it where its log said so."""
    number, seconds = run.get("run"), run.get("seconds")
    ended = _text(run.get("failure")).replace("_", " "), _text(run.get("line"))
    told = (
        _("run %(n)s") % {"n": number + 1 if isinstance(number, int) else "?"},
        clock_text(seconds) if isinstance(seconds, int | float) else "",
        ": ".join(part for part in ended if part) or _("its log says no cause"),
    )
    return " · ".join(str(part) for part in told if part)


def _facts(facts: Mapping[str, Any]) -> list[tuple[Words, str]]:
    shown = [
        (word(FACT_LABELS, name), _value(name, value))
        for name, value in facts.items()
        if name not in TOLD_ELSEWHERE
    ]
    return [(label, value) for label, value in shown if value][:MOST_FACTS]


def _value(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    if isinstance(value, int | float):
        return clock_text(value) if name.endswith("_s") else f"{value:,}".replace(",", " ")
    return _text(value)


def _text(value: Any) -> str:
    return "" if value is None else str(value)[:LONGEST_TEXT]


def _moment(value: Any) -> datetime | None:
    """RFC 3339, or None where there is none."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None

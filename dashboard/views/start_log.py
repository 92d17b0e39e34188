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
# Facts of `fleet.domain.enginelog.facts`; one that is not here is shown by its own name.
FACT_LABELS: Mapping[str, Words] = {
    "version": _("vLLM"),
    "engine": _("engine"),
    "platform": _("platform"),
    "loader": _("loader"),
    "load_format": _("load format"),
    "filesystem": _("file system"),
    "quantization": _("quantisation"),
    "tensor_parallel": _("tensor parallel"),
    "ranks": _("processes that load"),
    "checkpoint_gib": _("checkpoint, GiB"),
    "weights_gib": _("weights, GiB"),
    "model_load_gib": _("model in GPU memory, GiB"),
    "ram_gib": _("memory of the node, GiB"),
    "prefetch_s": _("prefetching weights"),
    "deepgemm_s": _("warming DeepGEMM up"),
    "shard_progress_pct": _("shards read, %"),
    "compile_cache": _("compile cache"),
    "eager": _("eager mode"),
    "graph_sizes": _("sizes of CUDA graphs"),
    "graph_capture_s": _("capturing CUDA graphs"),
    "kv_memory_gib": _("KV cache, GiB"),
    "kv_tokens": _("KV cache, tokens"),
    "kv_blocks": _("KV cache, blocks"),
    "concurrency": _("concurrency at full length"),
}
MOST_FACTS = 40
MOST_LINES = 5
LONGEST_TEXT = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWords:
    """state: how far the log could be read. facts: label and value. silent_since: the last word of
    a server that says nothing any more. lines: the decisive ones."""

    state: Words
    engine_version: str
    silent_since: datetime | None
    facts: tuple[tuple[Words, str], ...]
    lines: tuple[str, ...]


def log_words(log: Mapping[str, Any] | None) -> LogWords | None:
    """None = no log was read."""
    if not isinstance(log, Mapping):
        return None
    facts = log.get("facts")
    lines = log.get("decisive")
    return LogWords(
        state=word(LOG_STATES, _text(log.get("state"))),
        engine_version=_text(log.get("engine_version")),
        silent_since=_moment(log.get("silent_since")),
        facts=tuple(_facts(facts if isinstance(facts, Mapping) else {})),
        lines=tuple(
            _text(line) for line in (lines if isinstance(lines, list) else ())[:MOST_LINES]
        ),
    )


def _facts(facts: Mapping[str, Any]) -> list[tuple[Words, str]]:
    shown = [(word(FACT_LABELS, name), _value(name, value)) for name, value in facts.items()]
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

"""Facts that a start-up log states beside its durations."""

import re
from collections.abc import Callable
from typing import Any

_RANKS_AT_MOST = 4096
_LOADERS = {
    "Runai": "runai_streamer",
    "Fastsafetensor": "fastsafetensors",
    "InstantTensor": "instanttensor",
    "tensorizer": "tensorizer",
}

Said = re.Match[str]


class Facts:
    """What milestones say, as readers take it. Where ranks differ, the smallest room counts."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self._ranks: set[str] = set()

    def loads(self, process: str) -> None:
        """One of the processes that load the model."""
        if len(self._ranks) < _RANKS_AT_MOST:
            self._ranks.add(process)

    def plain(self) -> dict[str, Any]:
        """As plain JSON values."""
        ranks = {"ranks": len(self._ranks)} if len(self._ranks) > 1 else {}
        return {**self.known, **ranks}


def _version(known: dict[str, Any], said: Said) -> None:
    known.setdefault("version", (said["v"] or "").removeprefix("v"))


def _engine(known: dict[str, Any], said: Said) -> None:
    _version(known, said)
    if said["eng"]:
        known["engine"] = f"V{said['eng']}"
    _asked(known, said)


def _least(fact: str, group: str, kind: Callable[[str], float]) -> Callable[[Any, Said], None]:
    def read(known: dict[str, Any], said: Said) -> None:
        value = kind((said[group] or "0").replace(",", ""))
        known[fact] = min(known.get(fact, value), value)

    return read


def _most(fact: str, group: str, kind: Callable[[str], float]) -> Callable[[Any, Said], None]:
    def read(known: dict[str, Any], said: Said) -> None:
        value = kind(said[group] or "0")
        if value >= known.get(fact, value):
            known[fact] = value

    return read


def _text(fact: str, group: str) -> Callable[[Any, Said], None]:
    def read(known: dict[str, Any], said: Said) -> None:
        known.setdefault(fact, said[group])

    return read


def _filesystem(known: dict[str, Any], said: Said) -> None:
    known.setdefault("filesystem", said["fs"])
    for fact, group in (("checkpoint_gib", "gib"), ("ram_gib", "ram")):
        if said[group]:
            known.setdefault(fact, float(said[group]))


def _bar_s(fact: str) -> Callable[[Any, Said], None]:
    """The time that a bar shows as passed: [mm:ss<…] or [h:mm:ss<…]."""

    def read(known: dict[str, Any], said: Said) -> None:
        if said["bar"]:
            hours, minutes, seconds = ("0:" * (2 - said["bar"].count(":")) + said["bar"]).split(":")
            passed = int(hours) * 3600.0 + int(minutes) * 60.0 + int(seconds)
            known[fact] = max(known.get(fact, passed), passed)

    return read


def _is(fact: str, value: Any) -> Callable[[Any, Said], None]:
    def read(known: dict[str, Any], said: Said) -> None:
        known[fact] = value

    return read


# What the server was started with, in its own list of arguments or of its configuration: the fact,
# the word that stands before it, and both.
_ASKED: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (fact, word, re.compile(word + pattern))
    for fact, word, pattern in (
        ("load_format", "load_format", r"['\"]?[=:] ?['\"]?(?:LoadFormat\.)?(\w{1,40})"),
        ("load_strategy", "safetensors_load_strategy", r"['\"]?[=:] ?['\"](\w{1,40})"),
        ("quantization", "quantization", r"['\"]?[=:] ?['\"]?(\w{1,40})"),
        ("tensor_parallel", "tensor_parallel_size", r"['\"]?[=:] ?(\d{1,4})\b"),
        ("eager", "enforce_eager", r"['\"]?[=:] ?(True|False)\b"),
    )
)
_SIZES = re.compile(r"cudagraph_capture_sizes['\"]?[=:] ?\[([\d, ]{0,8000})\]")


def _asked(known: dict[str, Any], said: Said) -> None:
    """From the whole line: configurations are long."""
    text = said.string
    for fact, word, pattern in _ASKED:
        found = pattern.search(text) if word in text else None
        if found is not None and found[1] != "None":
            known[fact] = _plain(found[1])
    sizes = _SIZES.search(text) if "cudagraph_capture_sizes" in text else None
    if sizes is not None:
        known["graph_sizes"] = len(sizes[1].split(","))


def _plain(word: str) -> Any:
    if word in {"True", "False"}:
        return word == "True"
    return int(word) if word.isascii() and word.isdigit() else word.lower()


def _shards(known: dict[str, Any], said: Said) -> None:
    known["shard_progress_pct"] = int(said["pct"] or 0)
    kind = said["kind"] or ""
    loader = next((value for sign, value in _LOADERS.items() if sign in kind), None)
    if loader is not None:
        known["loader"] = loader


def _cache(value: str, *over: str) -> Callable[[Any, Said], None]:
    """What was compiled was no hit, whatever else came from the cache."""

    def read(known: dict[str, Any], said: Said) -> None:
        if known.get("compile_cache") in {None, *over}:
            known["compile_cache"] = value

    return read


def _count(fact: str) -> Callable[[Any, Said], None]:
    def read(known: dict[str, Any], said: Said) -> None:
        known[fact] = known.get(fact, 0) + 1

    return read


# What a milestone states, taken from how its pattern matched.
READERS: dict[str, Callable[[dict[str, Any], Said], None]] = {
    "banner": _version,
    "banner_logo": _version,
    "engine_start": _engine,
    "platform": _text("platform", "platform"),
    "args": _asked,
    "filesystem": _filesystem,
    "deepgemm": _bar_s("deepgemm_s"),
    "flashinfer": _is("flashinfer_autotune", True),
    "capture_bar": _most("graph_sizes", "n", int),
    "custom_allreduce": _is("custom_allreduce", "off"),
    "kv_hint": _least("kv_cache_memory_bytes", "n", int),
    "prefetch": _most("prefetch_s", "s", float),
    "shards": _shards,
    "model_load": _most("model_load_gib", "gib", float),
    "kv_memory": _least("kv_memory_gib", "gib", float),
    "kv_tokens": _least("kv_tokens", "tok", int),
    "kv_blocks": _least("kv_blocks", "n", int),
    "concurrency": _least("concurrency", "x", float),
    "compile_graph": _cache("miss", "hit", "off"),
    "compile_cached": _cache("hit"),
    "compile_aot": _cache("hit"),
    "cache_off": _cache("off"),
    "jit_during_serving": _count("jit_during_serving"),
}

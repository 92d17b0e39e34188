"""A witness to sub-phases. Nested ones are never summed: a total is a difference of moments."""

from fleet.domain.enginelog.witness import Witness

# Which sub-phase lies within which; the others follow one another.
WITHIN = {
    "weights_download": "model_load",
    "weights_load": "model_load",
    "post_load": "model_load",
    "compile_dynamo": "compile_total",
    "compile_graph": "compile_total",
    "compile_total": "engine_init",
    "profile_run": "engine_init",
    "jit_warmup": "engine_init",
    "graph_capture": "engine_init",
    "api_warmup": "api_setup",
}
# In the order in which a start passes them, each after what it lies within.
ORDER = (
    "process_boot",
    "config",
    "engine_spawn",
    "model_load",
    "weights_download",
    "weights_load",
    "post_load",
    "engine_init",
    "compile_total",
    "compile_dynamo",
    "compile_graph",
    "profile_run",
    "jit_warmup",
    "graph_capture",
    "api_setup",
    "api_warmup",
    "listen",
)
# A start in another zone than UTC looks early, or late by whole quarters of an hour.
_ZONE_STEP_S = 900.0
_BOOT_AT_MOST_S = 1800.0


def sub_phases(witness: Witness, *, started_at: float | None = None) -> dict[str, float]:
    """Seconds by name, of those that the log tells; `total` among them.

    started_at: when the container started, seconds since the epoch.
    """
    boot = _span(started_at, witness.first_at)
    derived = {
        "process_boot": _zoned(boot) if witness.clock == "inline" else boot,
        "config": _span(witness.banner_at, witness.engine_at),
        "engine_spawn": _span(witness.engine_at, witness.load_at),
        "api_setup": _span(witness.init_at, witness.server_at),
        "listen": _span(witness.server_at, witness.complete_at),
        "total": _span(started_at, witness.complete_at),
        "post_load": _post_load(witness.printed),
    }
    known = {name: seconds for name, seconds in derived.items() if seconds is not None}
    return {name: round(seconds, 6) for name, seconds in (known | witness.printed).items()}


def _span(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else end - start


def _zoned(boot_s: float | None) -> float | None:
    """vLLM's own clock is the container's local one."""
    if boot_s is None or -2.0 <= boot_s <= _BOOT_AT_MOST_S:
        return boot_s
    return boot_s % _ZONE_STEP_S


def _post_load(printed: dict[str, float]) -> float | None:
    """Quantising and sorting after the last shard; not told without both times."""
    if "model_load" not in printed or "weights_load" not in printed:
        return None
    download = printed.get("weights_download", 0.0)
    return printed["model_load"] - download - printed["weights_load"]

"""What is kept of a log: parsed facts and the decisive line, small and without anybody's words."""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The log of one run of a model server, read so far.

    All moments are seconds since the epoch by `clock`: "kubelet" (the stamps of the API's
    `timestamps=true`), "inline" (vLLM's own: whole seconds, UTC assumed) or "" (no line had any).
    None = not seen.
    first_at: the first record of vLLM. banner_at, nccl_at, engine_at, load_at, init_at, server_at,
    complete_at: the milestones that bound the derived phases; complete_at needs the kubelet's
    clock, or a log in JSON. last_at: the last line. milestone: the latest one; milestone_at: its
    time.
    printed: seconds that vLLM prints, by name: of several processes the longest.
    facts: version, engine, kv_tokens, model_load_gib, compile_cache, … as far as said.
    serves: the server was seen to listen, though perhaps not by its own word. complete: it said
    so itself. failure, line: class and decisive line (redacted) of the weightiest complaint;
    decisive: the first lines of the weightiest classes, cut shorter; died: the complaint came after
    the server was up. is_json: somebody reshaped the log; nothing is confirmed then.
    """

    clock: str = ""
    first_at: float | None = None
    banner_at: float | None = None
    nccl_at: float | None = None
    engine_at: float | None = None
    load_at: float | None = None
    init_at: float | None = None
    server_at: float | None = None
    complete_at: float | None = None
    last_at: float | None = None
    milestone: str = ""
    milestone_at: float | None = None
    printed: dict[str, float] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    serves: bool = False
    complete: bool = False
    failure: str = ""
    line: str = ""
    decisive: list[str] = field(default_factory=list)
    died: bool = False
    unauthorised: bool = False
    shut_down: bool = False
    is_json: bool = False


def plain_of(witness: Witness) -> dict[str, Any]:
    """Plain JSON values: only what differs from an unread log."""
    empty = Witness()
    pairs = ((item.name, getattr(witness, item.name)) for item in fields(Witness))
    return {name: value for name, value in pairs if value != getattr(empty, name)}


def witness_of(plain: dict[str, Any]) -> Witness:
    """Back from plain values; keys that this version does not know are dropped."""
    known = {item.name for item in fields(Witness)}
    return Witness(**{key: value for key, value in plain.items() if key in known})

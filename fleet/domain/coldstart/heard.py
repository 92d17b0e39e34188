"""What was heard of a replica: its server's log, as evidence of the start."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from fleet.domain.coldstart.sight import Sight
from fleet.domain.enginelog.complaints import DECISIVE_AT_MOST, DECISIVE_LENGTH
from fleet.domain.enginelog.failures import WRAPPERS
from fleet.domain.enginelog.phases import ORDER, WITHIN, sub_phases
from fleet.domain.enginelog.witness import Witness, plain_of, witness_of

RUNS_AT_MOST = 5
# Sub-phases as facts.
_SECONDS = {
    "model_load": "load_s",
    "weights_load": "weights_s",
    "weights_download": "download_s",
    "post_load": "post_load_s",
    "compile_total": "compile_s",
    "compile_dynamo": "dynamo_s",
    "compile_graph": "graph_compile_s",
    "profile_run": "profile_s",
    "graph_capture": "graph_capture_s",
    "jit_warmup": "jit_warmup_s",
    "engine_init": "engine_init_s",
    "api_warmup": "api_warmup_s",
    "api_setup": "api_setup_s",
    "listen": "listen_s",
}
# Below this a sub-phase says nothing.
PART_AT_LEAST_S = 0.001
# Classes that tell no cause: what ended it stands elsewhere.
_NO_CAUSE = frozenset({"", "killed_by_sigterm"})


class Part(NamedTuple):
    """A sub-phase. within: the one that it is part of, "" = of the phase itself. Those of the same
    `within` follow one another but need not fill it."""

    part: str
    seconds: float
    within: str


class Run(NamedTuple):
    """One that ended before the last began. run: restarts when it began. failure, line: class and
    decisive line, "" if no log says. seconds: from its first line to its last, None if not read."""

    run: int
    failure: str
    line: str
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The log of one run of the model's container.

    run: its restarts when the run began. by: our clock when the log said so. done: nothing more
    will be read. failure, line: why this run failed, or the one before it; "" if no log says.
    cut: it is longer than what is read. runs: those before this one, the last RUNS_AT_MOST.
    """

    run: int
    by: float
    witness: Witness = field(default_factory=Witness)
    done: bool = False
    failure: str = ""
    line: str = ""
    cut: bool = False
    runs: tuple[Run, ...] = ()

    @property
    def reason(self) -> str:
        """Class and decisive line, "" where the log names no cause."""
        if self.failure in _NO_CAUSE:
            return ""
        return f"{self.failure}: {self.line}" if self.line else self.failure


def joined(known: Heard | None, new: Heard) -> Heard | None:
    """What is kept when a log was read again; None if that is no news."""
    if known is not None and (known.done or new.run < known.run):
        return None
    if known is not None:
        new = replace(new, runs=_runs(known, new))
    if known is not None and new.failure in _NO_CAUSE and known.failure:
        new = replace(new, failure=known.failure, line=known.line)
    return None if known is not None and replace(new, by=known.by) == known else new


def _runs(known: Heard, new: Heard) -> tuple[Run, ...]:
    """Runs that ended, each once: what was read after its end knows it best."""
    runs = {each.run: each for each in known.runs}
    if known.run < new.run:
        last = run_of(known.run, known.witness)
        if not last.failure and not runs:
            last = last._replace(failure=known.failure, line=known.line)
        runs[known.run] = last
    for each in new.runs:
        runs[each.run] = each
    return tuple(runs[run] for run in sorted(runs))[-RUNS_AT_MOST:]


def run_of(run: int, witness: Witness) -> Run:
    """A run whose log was read after its end."""
    return Run(run, witness.failure, witness.line, _length_s(witness))


def _length_s(witness: Witness) -> float | None:
    if witness.first_at is None or witness.last_at is None:
        return None
    return round(witness.last_at - witness.first_at, 3)


def engine_ready(heard: Heard | None, *, run: int) -> Sight | None:
    """When the server of that run said that it serves, by its node's clock."""
    if heard is None or heard.run != run or heard.witness.clock != "kubelet":
        return None
    stamp = heard.witness.complete_at
    return None if stamp is None else Sight(stamp, None, heard.by)


def parts_of(heard: Heard | None, *, run: int, began: float | None) -> Iterator[Part]:
    """Sub-phases of loading. began: the container's start by its node's clock, None if this run
    is not the one that the phase began with."""
    if heard is None or heard.run != run:
        return
    seconds = sub_phases(heard.witness, started_at=began)
    for name in ORDER:
        if seconds.get(name, 0.0) >= PART_AT_LEAST_S:
            yield Part(name, round(seconds[name], 3), _within(name, seconds))


def _within(name: str, seconds: dict[str, float]) -> str:
    """The nearest that is known: a parent that is not told leaves its children one step up."""
    parent = WITHIN.get(name, "")
    while parent and parent not in seconds:
        parent = WITHIN.get(parent, "")
    return parent


def telling(heard: Heard | None, workers: Iterable[Heard]) -> Heard | None:
    """Of a group the pod whose log says why it failed: the leader often only says that a worker
    did."""
    if heard is not None and heard.reason and heard.failure not in WRAPPERS:
        return heard
    return next((each for each in workers if each.reason), heard)


def log_of(heard: Heard | None, workers: Iterable[Heard] = ()) -> dict[str, Any] | None:
    """What the log tells of the start, as kept with it (docs/vllm-log.md); None where none was
    read. workers: of the group's other pods, those whose logs were read because they failed."""
    lines = [each.line for each in workers if each.line]
    if heard is None:
        return None if not lines else _log(Heard(run=0, by=0.0), lines)
    return _log(heard, lines)


def _log(heard: Heard, lines: list[str]) -> dict[str, Any]:
    witness = heard.witness
    own = witness.decisive or [line for line in [heard.line] if line]
    # A wrapper of the leader's comes after what it wraps.
    ordered = lines + own if heard.failure in WRAPPERS else own + lines
    return {
        "state": _state(heard),
        "engine_version": witness.facts.get("version") or None,
        "silent_since": _silent_since(heard),
        "facts": _facts(heard),
        "decisive": [line[:DECISIVE_LENGTH] for line in ordered[:DECISIVE_AT_MOST]],
    }


def _state(heard: Heard) -> str:
    """cut: more was written than is read; none: nothing that vLLM says was found."""
    if heard.cut:
        return "cut"
    if heard.witness.is_json:
        return "json"
    return "read" if heard.witness.milestone or heard.witness.first_at else "none"


def _silent_since(heard: Heard) -> str | None:
    """The last line's time, of a server that loads and has said nothing for a while."""
    witness = heard.witness
    if witness.last_at is None or heard.done or witness.serves or witness.failure:
        return None
    at = datetime.fromtimestamp(round(witness.last_at, 3), UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _facts(heard: Heard) -> dict[str, Any]:
    """Numbers and short words: what was stated, and seconds by name."""
    witness = heard.witness
    stated = {name: value for name, value in witness.facts.items() if name != "version"}
    seconds = sub_phases(witness)
    told = {fact: seconds[name] for name, fact in _SECONDS.items() if name in seconds}
    if "model_load_gib" in stated:
        told["weights_gib"] = stated.pop("model_load_gib")
    if witness.nccl_at is not None and witness.load_at is not None:
        told["nccl_s"] = max(0.0, witness.load_at - witness.nccl_at)
    rest = _rest_s(seconds)
    if rest is not None:
        told["engine_rest_s"] = rest
    runs = [each._asdict() for each in heard.runs]
    rounded = {name: round(value, 3) for name, value in told.items()}
    return stated | rounded | ({"runs": runs} if runs else {})


def _rest_s(seconds: Mapping[str, float]) -> float | None:
    """What starting the engine took beside compiling, profiling and capturing: room for the KV
    cache, warming kernels up. None where one of the two ends is not told."""
    if "engine_init" not in seconds or "graph_capture" not in seconds:
        return None
    within = ("compile_total", "profile_run", "graph_capture")
    return max(0.0, seconds["engine_init"] - sum(seconds.get(name, 0.0) for name in within))


def heard_plain(heard: Heard) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "run": heard.run,
        "by": heard.by,
        "witness": plain_of(heard.witness),
        "done": heard.done,
        "failure": heard.failure,
        "line": heard.line,
        "cut": heard.cut,
        "runs": [list(each) for each in heard.runs],
    }


def heard_of(plain: dict[str, Any]) -> Heard:
    """Back from plain values; those of an earlier version lack some."""
    runs = tuple(Run(*each) for each in plain.get("runs", ()))
    return Heard(**(plain | {"witness": witness_of(plain["witness"]), "runs": runs}))

"""How a run ended: what its log says, and what the kubelet says of its container."""

from dataclasses import dataclass
from enum import StrEnum

from fleet.domain.enginelog.witness import Witness

# 128 + signal: SIGINT (vLLM's own handler of SIGTERM), SIGKILL, SIGTERM.
KILLED = frozenset({130, 137, 143})


class LogOutcome(StrEnum):
    """ready_unconfirmed: it listens, but did not say so itself. stalled: neither ready nor wrong
    as far as the log goes: in a log that is still written, underway."""

    READY = "ready"
    READY_UNCONFIRMED = "ready_unconfirmed"
    FAILED = "failed"
    KILLED = "killed"
    STALLED = "stalled"
    CRASHED_AFTER_READY = "crashed_after_ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerEnd:
    """A container that ended. reason: as its state says it, "" if it does not."""

    exit_code: int
    reason: str = ""


def verdict_of(witness: Witness, end: ContainerEnd | None) -> tuple[LogOutcome, str]:
    """Outcome and class of the failure, "" if there is none or it cannot be told. end: None while
    the container runs, or when nothing is known of it."""
    class_ = _class(witness, end)
    if class_ in {"oom_killed", "killed_by_sigterm"}:
        return LogOutcome.KILLED, class_
    if class_ == "probe_unauthorized":
        return (LogOutcome.KILLED if end is not None else _up(witness)), class_
    if witness.serves and not (class_ and not witness.died):
        crashed = witness.died or _crashed(witness, end)
        return (LogOutcome.CRASHED_AFTER_READY if crashed else _up(witness)), class_
    if class_:
        return LogOutcome.FAILED, class_
    if end is None:
        return LogOutcome.STALLED, ""
    return (LogOutcome.KILLED if end.exit_code in KILLED else LogOutcome.FAILED), ""


def _up(witness: Witness) -> LogOutcome:
    return LogOutcome.READY if witness.complete else LogOutcome.READY_UNCONFIRMED


def _class(witness: Witness, end: ContainerEnd | None) -> str:
    """By the log. Two classes stand outside of it: who ran out of memory has no last words, and a
    probe that is refused looks like a server that serves."""
    if end is not None and end.reason == "OOMKilled":
        return "oom_killed"
    if witness.unauthorised and witness.serves and witness.failure in {"", "killed_by_sigterm"}:
        return "probe_unauthorized"
    return witness.failure


def _crashed(witness: Witness, end: ContainerEnd | None) -> bool:
    """A serving container that ended without being asked crashed, exit code 0 included."""
    if end is None:
        return False
    return not (witness.shut_down and end.exit_code in KILLED | {0})

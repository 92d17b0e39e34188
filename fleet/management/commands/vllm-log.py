"""vllm-log: what a vLLM server's log says of its start. Needs no cluster and no database."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.phases import ORDER, WITHIN, sub_phases
from fleet.domain.enginelog.verdict import ContainerEnd, verdict_of
from fleet.domain.enginelog.witness import Witness

# Read in pieces, so that a line without end fills no memory.
LINE_AT_MOST = 1024 * 1024
SAMPLE_AT_MOST = 64 * LINE_AT_MOST


class Command(BaseCommand):
    """Prints sub-phases, facts, outcome and, of a failed start, its class and decisive line."""

    help = "Read a vLLM server's start-up log: sub-phases, facts, and why it failed"
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A log, or samples one a line."""
        parser.add_argument("log", nargs="?", type=Path, help="FILE with the log of one container")
        parser.add_argument("--started-at", help="when the container started, RFC 3339")
        parser.add_argument("--json", action="store_true", help="one JSON object")
        parser.add_argument("--jsonl", type=Path, help="FILE with a JSON sample a line")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, parse, print."""
        if (options["log"] is None) == (options["jsonl"] is None):
            raise CommandError("give a log, or --jsonl FILE")
        if options["jsonl"] is not None:
            for sample in _samples(options["jsonl"]):
                self.stdout.write(json.dumps(answer_of(sample)))
            return
        started_at = _moment(options["started_at"])
        answer = answer_to(_lines(options["log"]), started_at=started_at)
        lines = [json.dumps(answer)] if options["json"] else said(answer)
        for line in lines:
            self.stdout.write(line)


def answer_of(sample: Mapping[str, Any]) -> dict[str, Any]:
    """A sample's answer: its `lines`, `container_started_at` and the `container`'s end."""
    end = sample.get("container") or {}
    code = end.get("exit_code")
    container = None if code is None else ContainerEnd(exit_code=code, reason=end.get("reason", ""))
    answer = answer_to(
        sample.get("lines", []),
        started_at=_moment(sample.get("container_started_at")),
        end=container,
    )
    return {"id": sample.get("id"), **answer}


def answer_to(
    lines: Iterable[str], *, started_at: float | None, end: ContainerEnd | None = None
) -> dict[str, Any]:
    """What the lines say, as plain JSON values."""
    log = EngineLog(started_at=started_at)
    log.feed_all(lines)
    witness = log.witness()
    outcome, failure_class = verdict_of(witness, end)
    return {
        "outcome": outcome.value,
        "failure_class": failure_class or None,
        "decisive_line": witness.line or None,
        "last_phase": witness.milestone or None,
        "phases": sub_phases(witness, started_at=started_at),
        "facts": witness.facts | {"clock": witness.clock or None} | _degraded(witness),
    }


def _degraded(witness: Witness) -> dict[str, str]:
    return {"layout": "json"} if witness.is_json else {}


def said(answer: Mapping[str, Any]) -> Iterator[str]:
    """An answer for people: how it ended, what took how long, what else the log states."""
    if not (answer["last_phase"] or answer["failure_class"] or answer["phases"]):
        yield "nothing that vLLM says was found in it"
        return
    why = f" ({answer['failure_class']})" if answer["failure_class"] else ""
    yield f"{answer['outcome']}{why}, last seen: {answer['last_phase'] or 'nothing known'}"
    if answer["decisive_line"]:
        yield f"  {answer['decisive_line']}"
    phases = answer["phases"]
    for name in (*ORDER, "total"):
        if name in phases:
            yield f"{_indent(name)}{name:<18}{phases[name]:10.2f} s"
    for name, value in answer["facts"].items():
        if value is not None:
            yield f"{name}: {value}"


def _indent(name: str) -> str:
    """Two blanks for each sub-phase that it lies within."""
    within, deep = WITHIN.get(name), 1
    while within is not None:
        within, deep = WITHIN.get(within), deep + 1
    return "  " * deep


def _moment(text: str | None) -> float | None:
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{text!r} is not a time such as 2026-11-30T09:00:00Z") from None
    return at.replace(tzinfo=at.tzinfo or UTC).timestamp()


def _lines(path: Path, *, at_most: int = LINE_AT_MOST) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            while line := file.readline(at_most):
                yield line.rstrip("\r\n")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def _samples(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(path, at_most=SAMPLE_AT_MOST), start=1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
        except ValueError as error:
            raise CommandError(f"{path}: line {number} is not JSON: {error}") from None
        if not isinstance(sample, dict):
            raise CommandError(f"{path}: line {number} is not a JSON object")
        yield sample

"""measure: cold starts out of recorded watch messages. Needs no cluster and no database."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.adapters.kubernetes.parse.stream import Recording, lines_of
from fleet.domain.coldstart.start import ColdStart, PhaseSpan
from fleet.domain.ledger.ledger import Ledger
from fleet.errors import BadInput

# A follower settles about this often; a start is the same however its messages are batched.
BATCH = timedelta(seconds=0.25)


class Command(BaseCommand):
    """Prints every start found, one a replica, ordered by `started_at`."""

    help = "Measure cold starts in a recorded stream of watch messages (JSON lines, may be gzipped)"
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The recording, and how to print."""
        parser.add_argument("stream", type=Path, help="STREAM.jsonl or STREAM.jsonl.gz")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("--cluster", default="stream", help="the cluster's name in the output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, measure, print."""
        recording = Recording()
        try:
            lines = lines_of(options["stream"])
            starts = starts_in(recording, lines, cluster=options["cluster"])
        except BadInput as error:
            raise CommandError(str(error)) from error
        for start in starts:
            text = json.dumps(start_json(start)) if options["json"] else start_line(start)
            self.stdout.write(text)
        for problem in recording.odd:
            self.stderr.write(f"skipped: {problem}")


def starts_in(recording: Recording, lines: Iterable[bytes], *, cluster: str) -> list[ColdStart]:
    """The first start of every replica in a recording; its clock ends at the last message."""
    ledger = Ledger(cluster)
    found: dict[str, ColdStart] = {}
    settled: datetime | None = None
    for message in recording.messages(lines):
        ledger.apply(message)
        if settled is None or message.received_at - settled >= BATCH:
            settled = message.received_at
            found.update(_first(ledger.settle(now=settled).starts))
    if recording.last is not None:
        found.update(_first(ledger.settle_all(now=recording.last).starts))
    return sorted(found.values(), key=lambda start: (start.started_at, start.replica_uid))


def _first(starts: Iterable[ColdStart]) -> Iterator[tuple[str, ColdStart]]:
    return ((start.replica_uid, start) for start in starts if start.attempt == 0)


def start_json(start: ColdStart) -> dict[str, Any]:
    """A start in the shape of the API's ColdStart; `id` is null, for nothing is kept, and so is
    `requests_lost`: objects do not tell it."""
    failure = start.failure
    return {
        "id": None,
        "model": str(start.model),
        "revision": start.revision,
        "replica": start.replica,
        "replica_uid": start.replica_uid,
        "role": start.role,
        "node": start.node,
        "restarts": start.restarts,
        "trigger": start.trigger.value,
        "start_mode": start.start_mode.value,
        "outcome": start.outcome.value,
        "failure": {"class": failure.class_, "reason": failure.reason} if failure else None,
        "started_at": _time(start.started_at),
        "ready_at": _time(start.ready_at),
        "ended_at": _time(start.ended_at),
        "first_answer_at": _time(start.first_answer_at),
        "ended_in_phase": start.ended_in_phase.value if start.ended_in_phase else None,
        "total_s": start.total_s,
        "total_to_first_answer_s": start.total_to_first_answer_s,
        "unexplained_s": start.unexplained_s,
        "clamped": start.clamped,
        "phases": [_phase_json(span) for span in start.phases],
        "requests_lost": None,
        **attributes_json(start),
    }


def attributes_json(start: ColdStart) -> dict[str, Any]:
    """What the start was made of; what is not known is null."""
    return {
        "image": start.image or None,
        "image_digest": start.image_digest or None,
        "engine_version": start.engine_version or None,
        "gpus": start.gpus,
        "node_pool": start.node_pool or None,
        "weights_from": start.weights_from or None,
        "progress_deadline_s": start.progress_deadline_s,
        "image_pull": start.image_pull or None,
        "image_bytes": start.image_bytes,
        "log": start.log,
    }


def _phase_json(span: PhaseSpan) -> dict[str, Any]:
    return {
        "phase": span.phase.value,
        "started_at": _time(span.started_at),
        "ended_at": _time(span.ended_at),
        "seconds": span.seconds,
        "source": span.source,
        "error_s": span.error_s,
        "parts": [part._asdict() for part in span.parts],
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z") if at else None


def start_line(start: ColdStart) -> str:
    """A start for people: what, why, how it ended, how long, and where the time went."""
    total = "?" if start.total_s is None else f"{start.total_s:.1f} s"
    spans = "  ".join(f"{span.phase.value} {span.seconds:.1f}" for span in start.phases)
    why = f" ({start.failure.class_})" if start.failure else ""
    return (
        f"{_time(start.started_at)}  {start.replica}  {start.trigger.value}  "
        f"{start.outcome.value}{why}  {total}  [{spans}]"
    )

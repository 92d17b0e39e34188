"""import-past: what was recorded of clusters becomes their history."""

import signal
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from fleet import wiring
from fleet.errors import FleetError


class Command(BaseCommand):
    """Reads each file, one after the other, beside whatever follows the clusters now."""

    help = "Read recorded pasts of followed clusters (watch messages, JSON lines, may be gzipped)"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The recordings; each names its cluster in its first line."""
        parser.add_argument("pasts", type=Path, nargs="+", metavar="PAST.jsonl[.gz]")

    def handle(self, *args: Any, **options: Any) -> None:
        """One line for each; ends with an error if one could not be read to its end."""
        failed = 0
        with _until_told() as stop:
            for path in options["pasts"]:
                if not stop.is_set():
                    failed += not self._read(path, stop)
        if failed:
            raise CommandError(f"{failed} of {len(options['pasts'])} could not be read to the end")

    def _read(self, path: Path, stop: threading.Event) -> bool:
        try:
            read, problems = wiring.import_past(path, stop=stop)
        except (FleetError, DatabaseError) as error:
            # What was read until a full disk stays; the next reading goes over it again.
            self.stderr.write(f"{path}: {error}")
            return False
        self.stdout.write(
            f"{read.cluster}: {read.state}, {read.starts} starts in {read.messages} messages, "
            f"{read.skipped} skipped"
        )
        for problem in problems:
            self.stderr.write(f"{path.name}: skipped {problem}")
        return True


@contextmanager
def _until_told() -> Iterator[threading.Event]:
    """Set by SIGTERM or Ctrl-C."""
    stop = threading.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""manage.py report: a weekly report, as a page, a table, values or Markdown."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.reports.written import FORMS
from fleet import wiring
from fleet.domain.reports.report import Choice
from fleet.domain.reports.week import Week, begun_week
from fleet.errors import BadInput
from fleet.reporting.weekly import make_again, make_report, read_report

# As for arguments that cannot be read at all.
WRONG_INPUT = 2


class Command(BaseCommand):
    """The same numbers at each call, once the week is over."""

    help = "Write a weekly report: made once when its week is over, then always the same numbers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which week, which form, which part of the fleet."""
        parser.add_argument("--week", required=True, help="an ISO week in UTC, like 2026-W48")
        parser.add_argument("--format", choices=tuple(FORMS), default="md")
        parser.add_argument("--team", default="")
        parser.add_argument("--environment", default="")
        parser.add_argument("--cluster", default="")
        parser.add_argument("--revision", type=int, help="an older one; else the newest")
        parser.add_argument("--again", metavar="WHY", help="count once more, as a new revision")

    def handle(self, *_: Any, **options: Any) -> None:
        """Make it if it is due, then write it to standard output."""
        now = wiring.now()
        try:
            week = begun_week(options["week"], now=now)
            self._make(week, options["again"])
            choice = Choice(**{n: options[n] for n in ("cluster", "team", "environment")})
            report = read_report(week, choice, now=now, revision=options["revision"])
        except BadInput as error:
            raise CommandError(str(error), returncode=WRONG_INPUT) from error
        written = FORMS[options["format"]].write(report)
        self.stdout.write(written.decode(), ending="")

    def _make(self, week: Week, why: str | None) -> None:
        if why is None:
            make_report(week, now=wiring.now())
            return
        kept = make_again(week, why=why, now=wiring.now())
        self.stderr.write(f"made revision {kept.revision} of {week}")

"""manage.py prune: delete what is past its time."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from fleet import wiring


class Command(BaseCommand):
    """Facts after 30 days, starts after three years; the audit trail never."""

    help = "Delete facts older than 30 days and starts older than three years."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="delete nothing, say how much would go"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        only_count = bool(options["dry_run"])
        went = "would be deleted" if only_count else "deleted"
        for noun, rows in wiring.prune(only_count=only_count).items():
            self.stdout.write(f"{noun}: {rows} {went}")

"""manage.py prune: delete what is past its time."""

from typing import Any

from django.core.management.base import BaseCommand

from fleet import wiring


class Command(BaseCommand):
    """Facts after 30 days, starts after three years; the audit trail never."""

    help = "Delete facts older than 30 days and starts older than three years."

    def handle(self, *_: Any, **__: Any) -> None:
        for noun, rows in wiring.prune().items():
            self.stdout.write(f"{noun}: {rows} deleted")

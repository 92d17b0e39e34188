"""`manage.py run`: migrate once, then every process of one host until Ctrl-C."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    """Follow the clusters named by PILOTLIGHT_CONTEXTS, or the one we run in."""

    help = "Run web server, workers and (without REDIS_URL) an embedded broker."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen, and where the processes' logs go."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--logs", type=Path, help="a folder; else everything to stderr")

    def handle(self, *args: Any, **options: Any) -> None:
        """Does not return: the supervisor replaces this process."""
        call_command("migrate", interactive=False, verbosity=0)
        address = f"http://{options['host']}:{options['port']}"
        self.stdout.write(f"Pilot Light: {address}/")
        self.stdout.flush()
        arguments = ["--host", options["host"], "--port", str(options["port"])]
        if options["logs"] is not None:
            arguments += ["--logs", str(options["logs"])]
        module = ("-m", "dashboard.processes", "--state", str(settings.STATE_DIR))
        os.execv(sys.executable, [sys.executable, *module, *arguments])

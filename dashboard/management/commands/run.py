"""`manage.py run`: migrate once, then every process of one host until Ctrl-C."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from dashboard import first_steps
from fleet.errors import BadInput


class Command(BaseCommand):
    """Follow the clusters named by PILOTLIGHT_CONTEXTS, or the one we run in."""

    help = "Run web server, workers and (without REDIS_URL) an embedded broker."
    # They load every page, and this process is replaced before it shows one.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen, and where the processes' logs go."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--logs", type=Path, help="a folder; else everything to stderr")
        parser.add_argument(
            "--gateway",
            action="append",
            default=[],
            metavar="CLUSTER=URL",
            help="where a cluster's models are reached; may be repeated",
        )
        parser.add_argument(
            "--metrics",
            action="append",
            default=[],
            metavar="CLUSTER=URL",
            help="where a cluster's Prometheus answers; may be repeated",
        )
        parser.add_argument(
            "--accounts", type=Path, help="make an operator and a viewer, sign-in into this file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Does not return: the supervisor replaces this process."""
        try:
            first_steps.check_contexts()
            call_command("migrate", interactive=False, verbosity=0)
            self._first_steps(options)
        except BadInput as error:
            raise CommandError(str(error)) from error
        except OperationalError as error:
            raise CommandError(f"the database does not answer: {error}") from error
        self.stdout.flush()
        arguments = ["--host", options["host"], "--port", str(options["port"])]
        if options["logs"] is not None:
            arguments += ["--logs", str(options["logs"])]
        module = ("-m", "dashboard.processes", "--state", str(settings.STATE_DIR))
        os.execv(sys.executable, [sys.executable, *module, *arguments])

    def _first_steps(self, options: dict[str, Any]) -> None:
        now = datetime.now(UTC)
        address = f"http://{options['host']}:{options['port']}"
        first_steps.name_gateways(options["gateway"], now=now)
        first_steps.name_metrics(options["metrics"], now=now)
        self.stdout.write(f"Pilot Light: {address}/")
        if options["accounts"] is not None:
            first_steps.make_accounts(options["accounts"], now=now)
        elif link := first_steps.admin_link(now=now):
            self.stdout.write(f"Make the first admin (works once, 24 h): {address}{link}")

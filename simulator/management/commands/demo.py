"""`manage.py demo`: the product on simulated clusters, for a first look."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

DEFAULTS = {"port": 8000, "seed": 1, "clusters": 3, "models": 24}


class Command(BaseCommand):
    """Options may also come as variables: PORT, SEED, CLUSTERS, MODELS."""

    help = "Start simulated clusters and everything that watches them; Ctrl-C ends it all."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """One option for each variable."""
        for name, default in DEFAULTS.items():
            given = os.environ.get(name.upper(), default)
            parser.add_argument(f"--{name}", type=int, default=given)
        parser.add_argument("--state", type=Path, default=Path("var"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Does not return: a process without Django takes this one's place."""
        arguments = ["--state", str(options["state"].absolute())]
        for name in DEFAULTS:
            arguments += [f"--{name}", str(options[name])]
        os.execv(sys.executable, [sys.executable, "-m", "simulator.demo", *arguments])

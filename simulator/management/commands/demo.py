"""`manage.py demo`: the product on simulated clusters, for a first look."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from simulator.past.length import as_text, length
from simulator.world.kinds import DEMO, WORLDS

DEFAULTS = {"port": 8000, "seed": 1, "clusters": 3, "models": 24}
# 26 clusters: they are told apart by a letter. Port 0 = any that is free.
BOUNDS = {"port": (0, 65535), "seed": (-(2**31), 2**31), "clusters": (1, 26), "models": (1, 5000)}


class Command(BaseCommand):
    """Options may also come as variables: PORT, SEED, CLUSTERS, MODELS, HISTORY, WORLD."""

    help = "Start simulated clusters and everything that watches them; Ctrl-C ends it all."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """One option for each variable."""
        for name, default in DEFAULTS.items():
            given = os.environ.get(name.upper(), default)
            parser.add_argument(f"--{name}", type=_whole(*BOUNDS[name]), default=given)
        parser.add_argument(
            "--history",
            type=length,
            default=os.environ.get("HISTORY", "") or "0h",
            help="a past of the simulated clusters, as 7d or 12h",
        )
        parser.add_argument(
            "--world",
            type=_world,
            default=os.environ.get("WORLD", "") or DEMO,
            help="faulty: a model for each fault; healthy: nothing ever fails",
        )
        parser.add_argument("--state", type=Path, default=Path("var"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Does not return: a process without Django takes this one's place."""
        arguments = ["--state", str(options["state"].absolute())]
        arguments += ["--history", as_text(options["history"]), "--world", options["world"]]
        for name in DEFAULTS:
            arguments += [f"--{name}", str(options[name])]
        os.execv(sys.executable, [sys.executable, "-m", "simulator.demo", *arguments])


def _world(text: str) -> str:
    if text not in WORLDS:
        raise ArgumentTypeError(f"{text[:40]!r}: one of {', '.join(sorted(WORLDS))}")
    return text


def _whole(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number within the bounds."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise ArgumentTypeError(f"{text[:40]!r}: a whole number from {least} to {most}")
        return number

    return read

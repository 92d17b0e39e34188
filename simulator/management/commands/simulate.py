"""`manage.py simulate`: the simulated clusters alone."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from simulator.past.apart import run_apart
from simulator.past.length import length
from simulator.world.kinds import DEMO, WORLDS
from simulator.world.papers import Options
from simulator.world.run import run


class Command(BaseCommand):
    help = "Run simulated clusters until Ctrl-C; writes a kubeconfig and simulated.json."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--clusters", type=int, default=3)
        parser.add_argument("--models", type=int, default=24, help="vLLM models in all clusters")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--speed", type=float, default=1.0, help="divides stage lengths")
        parser.add_argument("--dir", type=Path, default=Path("var/simulated"))
        parser.add_argument(
            "--history",
            type=length,
            default=timedelta(0),
            help="a past to write down, as 7d or 12h",
        )
        parser.add_argument(
            "--world",
            choices=sorted(WORLDS),
            default=DEMO,
            help="faulty: a model for each fault; healthy: nothing ever fails",
        )
        parser.add_argument("--port-base", type=int, default=0, help="0: any free ports")

    def handle(self, *args: Any, **options: Any) -> None:
        """Returns when told to stop by SIGTERM or SIGINT."""
        asked = Options(
            directory=options["dir"].absolute(),
            world=options["world"],
            clusters=options["clusters"],
            models=options["models"],
            seed=options["seed"],
            speed=options["speed"],
            port_base=options["port_base"],
            history=options["history"],
        )
        if asked.history:
            run_apart(asked)
        else:
            asyncio.run(run(asked))

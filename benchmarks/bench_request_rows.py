"""Writing one step of requests of 2,000 busy models, late in their hour: the worst that one cluster
can ask for. MODELS: how many."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import django

MODELS = int(os.environ.get("MODELS", "2000"))
STEPS = 5
WINDOWS_BEFORE = 100


def main() -> bool:
    """Seconds and processor seconds of a step; whether they keep to their budgets."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
        os.environ["PILOTLIGHT_STATE_DIR"] = folder
        os.environ["DATABASE_URL"] = f"sqlite:///{Path(folder) / 'bench.sqlite3'}"
        django.setup()
        return _measured()


def _measured() -> bool:
    from django.core.management import call_command

    from benchmarks.common import load_now, report
    from benchmarks.request_steps import Steps

    call_command("migrate", verbosity=0)
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    steps = Steps(models=MODELS, hour=hour)
    for place in range(WINDOWS_BEFORE, 0, -20):
        steps.write(hour + timedelta(seconds=30 * (WINDOWS_BEFORE - place)), windows=20)
    load = load_now()
    walls: list[float] = []
    processor: list[float] = []
    for number in range(STEPS):
        at = hour + timedelta(seconds=30 * (WINDOWS_BEFORE + number))
        began, used = time.monotonic(), time.process_time()
        steps.write(at, windows=1)
        walls.append(time.monotonic() - began)
        processor.append(time.process_time() - used)
    note = f"{MODELS} models with requests and errors, {WINDOWS_BEFORE} windows of the hour before"
    return all(
        (
            report("writing a step of requests", walls, unit="s", budget={}, note=note, load=load),
            report(
                "our processor for it",
                processor,
                unit="s",
                budget={"median": 4.0},
                note=f"{note}; a step comes every 30 s",
                load=load,
            ),
        )
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)

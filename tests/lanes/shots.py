"""`make shots`: retake the README's screenshots from a seeded demo of its own."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.running_demo import running_demo
from tests.browser import shots

FOLDER = Path("docs/screenshots")
# What README shows: picture of `tests.browser.shots` -> its name here.
KEPT = {"fleet-desktop-dark.png": "fleet.png"}
# By then requests that were held for a start have reached their time limit: an incident goes on.
AFTER_S = 480


def main() -> None:
    """All pictures into a throw-away folder; those that README shows are kept."""
    with running_demo() as demo, tempfile.TemporaryDirectory() as folder:
        time.sleep(AFTER_S)
        shots.DEMO = demo.state / "demo.json"
        shots.main(folder, "/")
        FOLDER.mkdir(parents=True, exist_ok=True)
        for taken, name in KEPT.items():
            shutil.copy(Path(folder) / taken, FOLDER / name)


if __name__ == "__main__":
    main()

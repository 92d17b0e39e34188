"""The whole suite: the fast lane, the database tests on PostgreSQL, the browser.

`python -m tests.lanes.suite`. Ends with what did not run; exits 1 when a test failed, or when
a lane named in PILOTLIGHT_REQUIRE_LANES (commas) did not run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.lanes.plugin import LEFT_OUT, ONLY_DATABASE
from tests.lanes.servers import postgres_server
from tests.lanes.tools import LACKS, LANES, tool

ROOT = Path(__file__).resolve().parents[2]
BROWSER = Path("tests/browser")
# pytest's exit code when it found no test at all.
NOTHING_COLLECTED = 5


@dataclass(slots=True)
class Outcome:
    """Which parts failed, and how many tests each missing tool left out."""

    failed: list[str] = field(default_factory=list)
    left_out: dict[str, int | None] = field(default_factory=dict)


def main() -> int:
    """Run the parts one after the other; the sum of what happened is the exit code."""
    outcome = Outcome()
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as notes:
        environ = {**os.environ, LEFT_OUT: notes.name}
        _part("fast lane", [], environ=environ, outcome=outcome)
        _postgres_part(environ, outcome)
        _browser_part(environ, outcome)
        _collect(notes, outcome)
    return _tell(outcome)


def _postgres_part(environ: Mapping[str, str], outcome: Outcome) -> None:
    programs = tool("postgres")
    if programs is None:
        outcome.left_out.setdefault("postgres", None)
        return
    with ExitStack() as stack:
        url = stack.enter_context(postgres_server(programs))
        chosen = {**environ, "DATABASE_URL": url, ONLY_DATABASE: "1"}
        chosen.pop(LEFT_OUT)
        _part("database tests on PostgreSQL", [], environ=chosen, outcome=outcome)


def _browser_part(environ: Mapping[str, str], outcome: Outcome) -> None:
    """A command of its own: Playwright's event loop and pytest-asyncio's cannot share one."""
    if tool("chromium") is None:
        outcome.left_out.setdefault("chromium", None)
    elif (ROOT / BROWSER).is_dir():
        chosen = {**environ, "DJANGO_ALLOW_ASYNC_UNSAFE": "true"}
        _part("browser", [str(BROWSER)], environ=chosen, outcome=outcome)


def _part(name: str, arguments: list[str], *, environ: Mapping[str, str], outcome: Outcome) -> None:
    sys.stdout.write(f"== {name}\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "pytest", "-q", *sys.argv[1:], *arguments]
    code = subprocess.run(command, cwd=ROOT, env=dict(environ), check=False).returncode
    if code not in (0, NOTHING_COLLECTED):
        outcome.failed.append(name)


def _collect(notes: Iterable[str], outcome: Outcome) -> None:
    for line in notes:
        for lane, tests in json.loads(line).items():
            outcome.left_out[lane] = (outcome.left_out.get(lane) or 0) + tests


def _tell(outcome: Outcome) -> int:
    required = set(os.environ.get("PILOTLIGHT_REQUIRE_LANES", "").split(",")) & set(LANES)
    missing = sorted(required & set(outcome.left_out))
    lines = [f"not run: {lane}: {LACKS[lane]}" for lane in sorted(outcome.left_out)]
    lines += [f"failed: {name}" for name in outcome.failed]
    lines += [f"required, but not run: {lane}" for lane in missing]
    ran = [lane for lane in LANES if lane not in outcome.left_out]
    lines.append(f"lanes run: fast, {', '.join(ran)}")
    sys.stdout.write("\n".join(["== summary", *lines, ""]))
    return 1 if outcome.failed or missing else 0


if __name__ == "__main__":
    raise SystemExit(main())

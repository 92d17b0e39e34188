"""make: bare it explains itself, and its targets are those that the contract promises."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.tooling.tree import ROOT

PROMISED = {"setup", "demo", "test", "run", "check", "lock", "bench", "truth", "shots", "format"}


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_bare_make_prints_the_targets() -> None:
    done = make()
    assert done.returncode == 0
    printed = set(re.findall(r"^  ([a-z-]+) ", done.stdout, re.MULTILINE))
    assert printed >= PROMISED


@pytest.mark.parametrize("target", sorted(PROMISED))
def test_a_promised_target_exists(target: str) -> None:
    done = make("--dry-run", target)
    assert done.returncode == 0, done.stderr


def test_check_is_format_lint_types_contracts_and_tests() -> None:
    commands = make("--dry-run", "check").stdout
    for word in (
        "ruff format --check",
        "ruff check",
        "mypy",
        "lint-imports",
        "makemigrations --check",
    ):
        assert word in commands
    assert "tests.lanes.suite" in commands


def test_ci_requires_every_lane_but_kubectl() -> None:
    text = (ROOT / ".ci" / "run").read_text()
    assert "PILOTLIGHT_REQUIRE_LANES=postgres,redis,prometheus,chromium\n" in text
    assert text.rstrip().endswith("make check")

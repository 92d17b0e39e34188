"""Each import contract fails when it is broken: a breach is planted in a copy of the code."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tooling.tree import ROOT, project

PACKAGES = ("dashboard", "workers", "fleet", "simulator")
LINT = Path(sys.executable).with_name("lint-imports")


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A line of code that must not be, and the contract that forbids it."""

    contract: str
    file: str
    line: str


BREACHES = [
    pytest.param(
        Breach(contract="houses", file="fleet/history/__init__.py", line="import workers"),
        id="history enqueues work",
    ),
    pytest.param(
        Breach(contract="houses", file="workers/__init__.py", line="import dashboard"),
        id="a task knows a page",
    ),
    pytest.param(
        Breach(
            contract="fleet-layers", file="fleet/domain/__init__.py", line="import fleet.models"
        ),
        id="the domain reads rows",
    ),
    pytest.param(
        Breach(
            contract="fleet-layers", file="fleet/history/__init__.py", line="import fleet.observe"
        ),
        id="history calls a use case",
    ),
    pytest.param(
        Breach(contract="fleet-layers", file="fleet/stray.py", line=""),
        id="a module without a place in the layers",
    ),
    pytest.param(
        Breach(
            contract="use-cases", file="fleet/observe/__init__.py", line="import fleet.adapters"
        ),
        id="a use case takes an adapter",
    ),
    pytest.param(
        Breach(contract="adapters", file="fleet/adapters/__init__.py", line="import fleet.models"),
        id="an adapter reads rows",
    ),
    pytest.param(
        Breach(contract="no-simulator", file="fleet/errors.py", line="import simulator"),
        id="the product knows the simulator",
    ),
    pytest.param(
        Breach(contract="simulator", file="simulator/__init__.py", line="import fleet.errors"),
        id="the simulator borrows from the product",
    ),
    pytest.param(
        Breach(contract="pure-domain", file="fleet/domain/__init__.py", line="import django"),
        id="the domain uses a framework",
    ),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("code")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("static"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(LINT), "--no-cache", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("breach", BREACHES)
def test_a_planted_breach_is_found(breach: Breach, copy: Path) -> None:
    path = copy / breach.file
    before = path.read_text() if path.exists() else None
    path.write_text(f"{before or ''}\n{breach.line}\n")
    try:
        done = lint(copy, "--contract", breach.contract)
    finally:
        path.unlink() if before is None else path.write_text(before)
    assert done.returncode == 1
    assert "BROKEN" in done.stdout


def test_without_a_breach_all_contracts_are_kept(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_every_contract_has_a_breach() -> None:
    contracts = {contract["id"] for contract in project()["tool"]["importlinter"]["contracts"]}
    assert contracts == {param.values[0].contract for param in BREACHES}  # type: ignore[union-attr]


def test_every_use_case_is_kept_from_the_adapters() -> None:
    contracts = {c["id"]: c for c in project()["tool"]["importlinter"]["contracts"]}
    layer = next(line for line in contracts["fleet-layers"]["layers"] if "observe" in line)
    use_cases = [name.strip(" ()") for name in layer.split("|")]
    there = {f"fleet.{name}" for name in use_cases if (ROOT / "fleet" / name).is_dir()}
    assert there <= set(contracts["use-cases"]["source_modules"])

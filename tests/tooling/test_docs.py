"""What the documents name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from dashboard.settings_table import as_markdown
from tests.tooling.tree import ROOT

DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda path: path.as_posix()
)
START, END = "<!-- settings: made by `make docs` -->\n", "\n<!-- end of settings -->"
# Homes and folders of one machine say nothing to a reader on another.
FOREIGN_PATHS = re.compile(r"(?<![\w.])/(?:work|root|home|mnt)/")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_make_target_exists(path: Path) -> None:
    asked = set(re.findall(r"`?\bmake ([a-z]+)(?=[`\s])", code_of(path)))
    assert asked <= targets()


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_management_command_exists(path: Path) -> None:
    asked = set(re.findall(r"manage\.py ([a-z-]+)", path.read_text()))
    assert asked <= {*get_commands()}


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    missing = [link for link in links if not (path.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_file_named_in_code_marks_exists(path: Path) -> None:
    paths = re.findall(
        r"`((?:deploy|docs|fleet|workers|dashboard|simulator|tests)/[\w./-]*)`", path.read_text()
    )
    missing = [name for name in paths if not (ROOT / name).exists()]
    assert missing == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_no_document_speaks_of_one_machine(path: Path) -> None:
    assert not FOREIGN_PATHS.search(path.read_text())


def test_the_table_of_settings_is_in_step() -> None:
    text = (ROOT / "README.md").read_text()
    shown = text.split(START)[1].split(END)[0]
    assert shown == as_markdown(), "run `make docs`"


def test_readme_names_the_two_commands_first() -> None:
    commands = re.findall(r"^make .*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]


def test_the_decisions_are_all_there() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    assert [path.name[:4] for path in records] == [f"{n:04d}" for n in range(1, len(records) + 1)]
    index = (ROOT / "docs" / "decisions" / "README.md").read_text()
    for path in records:
        text = path.read_text()
        assert path.name in index
        for part in ("## Context", "## Choice", "## What it costs", "## When to think again"):
            assert part in text, path.name


def code_of(path: Path) -> str:
    """What a document shows as code: fenced blocks and marked words."""
    text = path.read_text()
    fenced = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    marked = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return "\n".join([*fenced, *(f"{word} " for word in marked)])

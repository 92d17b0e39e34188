"""The domain imports the standard library, itself and `fleet.errors`: nothing else, ever."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tooling.tree import ROOT, modules

OURS = ("fleet.domain", "fleet.errors")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."


@pytest.mark.parametrize(
    "path", modules("fleet/domain"), ids=lambda path: str(path.relative_to(ROOT))
)
def test_a_domain_module_imports_only_what_is_pure(path: Path) -> None:
    foreign = [
        name
        for name in imported(path)
        if not name.startswith(OURS) and name.split(".")[0] not in sys.stdlib_module_names
    ]
    assert foreign == []

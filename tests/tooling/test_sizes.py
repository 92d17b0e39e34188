"""Small files, small functions. The bars are those of CONTRIBUTING.md."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles

from tests.tooling.tree import PRODUCT, ROOT, functions, modules

LONGEST_FUNCTION = 50
LONGEST_FILE = 400


def p95(lengths: Sequence[int]) -> float:
    return quantiles(lengths, n=20, method="inclusive")[-1]


def test_no_function_is_too_long() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {name} has {length} lines"
        for path in modules(*PRODUCT, "tests")
        for name, length in functions(path)
        if length > LONGEST_FUNCTION
    ]
    assert long == []


def test_no_file_is_too_long() -> None:
    long = [
        f"{path.relative_to(ROOT)} has {length} lines"
        for path in modules(*PRODUCT, "tests")
        if (length := len(path.read_text().splitlines())) > LONGEST_FILE
    ]
    assert long == []


def test_most_functions_are_small() -> None:
    lengths = [length for path in modules(*PRODUCT) for _, length in functions(path)]
    assert median(lengths) <= 8
    assert p95(lengths) <= 30


def test_most_files_are_small() -> None:
    lengths = [len(path.read_text().splitlines()) for path in modules(*PRODUCT)]
    lengths = [length for length in lengths if length > 3]
    assert median(lengths) <= 100
    assert p95(lengths) <= 300

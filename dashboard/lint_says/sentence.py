"""The sentence of a rule, and when it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.words import Words
from fleet.domain.lint.records import LintFinding

When = Callable[[LintFinding], bool]


def always(_finding: LintFinding) -> bool:
    return True


def param(name: str, value: object) -> When:
    return lambda finding: finding.params.get(name) == value


def without(name: str) -> When:
    return lambda finding: finding.params.get(name) is None


@dataclass(frozen=True, slots=True)
class Sentence:
    """title, why: with the finding's params in brackets."""

    title: Words
    why: Words
    when: When = always

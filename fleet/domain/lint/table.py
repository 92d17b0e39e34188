"""The rules, and lint: what they say of one model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fleet.domain.lint.measured import NOTHING, Measured
from fleet.domain.lint.records import LintFinding, Severity
from fleet.domain.lint.settings import Settings

WORST_FIRST = tuple(Severity)


@dataclass(frozen=True, slots=True)
class Rule:
    """code, slug: as in docs/rules. check: what it finds, None where nothing is to be said, which
    is also so where it does not know enough."""

    code: str
    slug: str
    check: Callable[[Settings, Measured], LintFinding | None]


RULES: Sequence[Rule] = ()


def lint(settings: Settings, measured: Measured = NOTHING) -> tuple[LintFinding, ...]:
    """What stands against these settings, worst first, then by code."""
    found = [finding for rule in RULES if (finding := rule.check(settings, measured)) is not None]
    return tuple(sorted(found, key=lambda each: (WORST_FIRST.index(each.severity), each.code)))

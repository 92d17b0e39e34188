"""How tables of small bundles ask the diagnosis."""

from typing import Any

import pytest

from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle


def case(
    sentence: str, cause: str, bundle: dict[str, Any], *, second: str = "", remedy: str = ""
) -> Any:
    """A row: what is seen, the first cause, another fault that must be named too, a remedy that
    must be among those of the first."""
    return pytest.param(bundle, cause, second, remedy, id=sentence)


def holds(bundle: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    """Assert a row."""
    found = diagnose(evidence_from_bundle(bundle))
    causes = [each.cause.value for each in found]
    assert causes[0] == cause, [(each.cause.value, each.confidence, each.rule) for each in found]
    assert not second or second in causes[1:], causes
    assert not remedy or remedy in [each.value for each in found[0].remedies]
    assert cause in ("none", "insufficient-evidence") or found[0].evidence

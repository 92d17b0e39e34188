"""Nothing is remembered from another test."""

import pytest

from fleet.reporting.lately import forget


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    forget()

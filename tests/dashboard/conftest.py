"""What tests of pages share."""

from __future__ import annotations

import pytest

from dashboard.views.fleet_parts import KEPT_PARTS
from dashboard.views.row_fragments import KEPT_ROWS
from fleet.reporting import lately


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Rows of another test may bear the same numbers and versions."""
    KEPT_ROWS.forget()
    KEPT_PARTS.forget()
    lately.forget()

"""The week's report is made by whichever worker comes first, and once."""

from datetime import UTC, datetime, timedelta

import pytest

from fleet import wiring
from fleet.models import Report
from tests.factories import make_cluster, make_model, make_start
from workers.chores import make_reports
from workers.schedule import SCHEDULE

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def _a_week() -> None:
    make_cluster(created_at=MONDAY - timedelta(days=6), last_proof_at=MONDAY)
    make_start(make_model(), started_at=MONDAY - timedelta(days=2))


@pytest.mark.usefixtures("_a_week")
@pytest.mark.parametrize(
    ("at", "kept"),
    [
        pytest.param(MONDAY + timedelta(minutes=10), [], id="not yet settled"),
        pytest.param(MONDAY + timedelta(minutes=15), ["2026-W48"], id="Monday 00:15"),
        pytest.param(MONDAY + timedelta(days=3), ["2026-W48"], id="caught up on Thursday"),
    ],
)
def test_when_it_is_made(monkeypatch: pytest.MonkeyPatch, at: datetime, kept: list[str]) -> None:
    monkeypatch.setattr(wiring, "now", lambda: at)
    make_reports()
    make_reports()
    assert list(Report.objects.values_list("week", flat=True)) == kept


def test_beat_asks_for_it_within_minutes() -> None:
    assert SCHEDULE["reports"]["task"] == make_reports.name
    assert SCHEDULE["reports"]["schedule"] <= 15 * 60

"""The list of incidents as a socket sees it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboard.access.rules import Grant, Role
from dashboard.live.bell import Ring
from dashboard.live.views import IncidentsView
from fleet.models import Incident
from tests.factories import make_cluster, make_incident, make_model

pytestmark = pytest.mark.django_db
EVERYWHERE = Grant(who="", role=Role.VIEWER)


@pytest.fixture
def now() -> datetime:
    """A view asks its own clock; rows are made around it."""
    return datetime.now(UTC)


def begun(now: datetime, minutes: float, **fields: Any) -> Incident:
    make_cluster(f"c-{minutes:g}", now=now)
    model = make_model(f"model-{minutes:g}", cluster=f"c-{minutes:g}")
    moment = now - timedelta(minutes=minutes)
    given = {"last_error_at": now, "ended_at": None, **fields}
    return make_incident(model, started_at=moment, **given)


def test_what_begins_comes_first_and_what_ends_goes_down(now: datetime) -> None:
    view = IncidentsView("", EVERYWHERE)
    one = begun(now, 9)
    assert view.look().order == (f"incident-{one.pk}",)
    two = begun(now, 3)
    assert view.look().order == (f"incident-{two.pk}", f"incident-{one.pk}")
    two.ended_at = now
    two.save()
    assert view.look().order == (f"incident-{one.pk}", f"incident-{two.pk}")


def test_more_that_is_lost_is_told_and_time_that_passes_is_not(now: datetime) -> None:
    row = begun(now, 9)
    view = IncidentsView("", EVERYWHERE)
    first = view.look().fragments[f"incident-{row.pk}"]
    assert view.look().fragments[f"incident-{row.pk}"].stamp == first.stamp
    row.requests_lost, row.version = 97, 2
    row.save()
    after = view.look().fragments[f"incident-{row.pk}"]
    assert after.stamp != first.stamp
    assert "97" in after.html


def test_a_range_with_an_end_keeps_its_rows_in_place(now: datetime) -> None:
    begun(now, 9)
    assert IncidentsView("until=2200-01-01", EVERYWHERE).look().order is None


def test_rows_out_of_scope_are_not_sent(now: datetime) -> None:
    begun(now, 9)
    narrow = Grant(who="", role=Role.VIEWER, clusters=frozenset({"c-3"}))
    mine = begun(now, 3)
    view = IncidentsView("", narrow)
    assert view.look().order == (f"incident-{mine.pk}",)
    assert not view.touched_by(Ring("c-9", frozenset({"c-9/InferenceService/chat/model-9"})))

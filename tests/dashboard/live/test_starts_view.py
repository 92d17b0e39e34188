"""The list of cold starts as a socket sees it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict

from dashboard.access.rules import Grant, Role
from dashboard.live.bell import Ring
from dashboard.live.views import StartsView
from dashboard.views import starts_page as pages
from dashboard.views.starts_query import StartsQuery
from tests.factories import make_cluster, make_model, make_start

pytestmark = pytest.mark.django_db
EVERYWHERE = Grant(who="", role=Role.VIEWER)


@pytest.fixture
def now() -> datetime:
    """A view asks its own clock; rows are made around it."""
    return datetime.now(UTC)


def test_a_new_start_comes_first_and_the_range_moves_on(now: datetime) -> None:
    make_cluster(now=now)
    model = make_model()
    view = StartsView("range=24h", EVERYWHERE)
    old = make_start(model, started_at=now - timedelta(hours=1))
    assert view.look().order == (f"start-{old.pk}",)
    new = make_start(model, started_at=now - timedelta(seconds=1), outcome="running")
    assert view.look().order == (f"start-{new.pk}", f"start-{old.pk}")


def test_a_start_that_ended_is_told_anew(now: datetime) -> None:
    make_cluster(now=now)
    start = make_start(make_model(), started_at=now - timedelta(seconds=90), outcome="running")
    view = StartsView("", EVERYWHERE)
    before = view.look().fragments[f"start-{start.pk}"]
    start.outcome, start.total_s, start.ended_at = "ready", 84.0, now
    start.save()
    after = view.look().fragments[f"start-{start.pk}"]
    assert before.stamp != after.stamp
    assert "1:24" in after.html


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("sort=slowest", id="another order"),
        pytest.param("until=2200-01-01", id="a range with an end"),
    ],
)
def test_other_lists_keep_their_rows_in_place(now: datetime, asked: str) -> None:
    make_cluster(now=now)
    make_start(make_model(), started_at=now - timedelta(minutes=5))
    assert StartsView(asked, EVERYWHERE).look().order is None


def test_further_pages_keep_their_rows_in_place(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_SIZE", 1)
    make_cluster(now=now)
    model = make_model()
    for n in range(2):
        make_start(model, started_at=now - timedelta(minutes=n + 1))
    query = StartsQuery.read(QueryDict(""), now=now)
    cursor = pages.starts_page(query, EVERYWHERE).following
    seen = StartsView(f"cursor={cursor}", EVERYWHERE).look()
    assert (seen.order, len(seen.fragments)) == (None, 1)


@pytest.mark.parametrize(
    ("clusters", "keys", "looks"),
    [
        pytest.param(None, {"demo-b/InferenceService/x/y"}, True, id="everywhere"),
        pytest.param({"demo-a"}, {"demo-b/InferenceService/x/y"}, False, id="another cluster"),
        pytest.param({"demo-a"}, {"demo-a/InferenceService/x/y"}, True, id="its cluster"),
        pytest.param({"demo-a"}, None, True, id="not known what changed"),
    ],
)
def test_what_it_looks_again_for(
    clusters: set[str] | None, keys: set[str] | None, *, looks: bool
) -> None:
    scope = None if clusters is None else frozenset(clusters)
    view = StartsView("", Grant(who="", role=Role.VIEWER, clusters=scope))
    ring = Ring("", None if keys is None else frozenset(keys))
    assert view.touched_by(ring) is looks


def test_time_that_passes_is_no_news_of_a_start_in_flight(now: datetime) -> None:
    make_cluster(now=now)
    begun = now - timedelta(seconds=30)
    start = make_start(make_model(), started_at=begun, outcome="running")
    view = StartsView("", EVERYWHERE)
    before = view.look().fragments[f"start-{start.pk}"]
    start.phases[-1]["seconds"] += 5.0
    start.total_s = 35.0
    start.save()
    assert view.look().fragments[f"start-{start.pk}"].stamp == before.stamp

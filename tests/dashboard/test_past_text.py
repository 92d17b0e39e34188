"""What a page says of a recorded past that was read, or is being read."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.past_text import past_progress, past_text
from fleet.models import Cluster
from tests.factories import make_cluster, make_user

WEEK = {"since": "2026-11-23T14:00:00+00:00", "until": "2026-11-30T14:00:00+00:00"}
HALF_A_DAY = {"since": "2026-11-30T02:00:00+00:00", "until": "2026-11-30T14:00:00+00:00"}


@pytest.mark.parametrize(
    ("past", "simulated", "progress", "text"),
    [
        pytest.param({}, False, "", "", id="none"),
        pytest.param(
            WEEK | {"state": "reading", "read_to": "2026-11-26T15:00:00+00:00"},
            True,
            "reading the past: 3 of 7 days",
            "reading the past: 3 of 7 days",
            id="a week, being read",
        ),
        pytest.param(
            HALF_A_DAY | {"state": "reading", "read_to": "2026-11-30T07:00:00+00:00"},
            True,
            "reading the past: 0.2 of 0.5 days",
            "reading the past: 0.2 of 0.5 days",
            id="hours, being read",
        ),
        pytest.param(
            WEEK | {"state": "done", "read_to": "2026-11-30T14:00:00+00:00"},
            True,
            "",
            "history of 7 days, made by the simulator",
            id="made up",
        ),
        pytest.param(
            WEEK | {"state": "done", "read_to": "2026-11-30T14:00:00+00:00"},
            False,
            "",
            "history of 7 days, read from a recording",
            id="recorded",
        ),
        pytest.param(
            WEEK | {"state": "failed", "read_to": "2026-11-28T14:00:00+00:00", "problem": "cut"},
            True,
            "the past was read for 5 of 7 days, then broke off",
            "the past was read for 5 of 7 days, then broke off",
            id="broken off",
        ),
    ],
)
def test_how_it_reads(past: dict[str, Any], simulated: bool, progress: str, text: str) -> None:  # noqa: FBT001
    assert past_progress(past) == progress
    assert past_text(Cluster(past=past, simulated=simulated)) == text


@pytest.mark.django_db
def test_fleet_and_clusters_page_say_how_far_it_was_read(client: Client) -> None:
    past = WEEK | {"state": "reading", "read_to": "2026-11-26T15:00:00+00:00"}
    make_cluster("west", past=past, simulated=True)
    client.force_login(make_user("ann", role="viewer"))
    for page in ("/", "/clusters/"):
        assert "reading the past: 3 of 7 days" in client.get(page).content.decode()


@pytest.mark.django_db
def test_the_clusters_page_says_that_history_was_made_up(client: Client) -> None:
    past = WEEK | {"state": "done", "read_to": WEEK["until"]}
    make_cluster("west", past=past, simulated=True)
    client.force_login(make_user("ann", role="viewer"))
    shown = client.get("/clusters/").content.decode()
    assert "history of 7 days, made by the simulator" in shown

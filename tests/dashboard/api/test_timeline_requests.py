"""The timeline's requests: even steps, unread is null, quiet is 0."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.history.request_hours import by_hour, hour_row
from fleet.history.requests import METRICS
from fleet.models import Cluster, Gap
from tests.dashboard.api import rows
from tests.dashboard.api.conftest import Get

PATH = f"models/{rows.PILOT}/timeline"
KNATIVE = frozenset({Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER})
FACTS = {
    "source": "prometheus",
    "asked_at": "2026-11-30T12:00:00Z",
    "told": ["activator", "queue-proxy", "container"],
}


def measured(**given: Any) -> Cluster:
    """A cluster whose metrics were read up to now."""
    rows.served_model()
    Cluster.objects.filter(name="demo-a").delete()
    return rows.cluster(metrics=FACTS, metrics_read_to=rows.NOW, **given)


def kept(*windows: tuple[float, Tally], revision: str = "pilot-00001") -> None:
    """Windows by how long ago they began."""
    owner = Owner(f"uid-{rows.PILOT}", rows.PILOT)
    made = [RequestWindow(revision=revision, at=rows.ago(s), tally=tally) for s, tally in windows]
    for (name, hour), some in by_hour(made).items():
        hour_row(owner, name, hour, some).save()


def counted(requests: int, lost: int = 0, **more: Any) -> Tally:
    errors = {(Hop.ACTIVATOR, 503): lost} if lost else {}
    return Tally(requests=requests, errors=errors, told=KNATIVE, client_gone=0, **more)


def points(get: Get, *, since_s: float, step: float) -> list[dict[str, Any]]:
    since = (rows.NOW - timedelta(seconds=since_s)).isoformat()
    status, body = get(PATH, since=since, step=step)
    assert status == 200
    found: list[dict[str, Any]] = body["requests"]
    return found


def test_windows_are_added_up_by_step(get: Get) -> None:
    measured()
    kept((60, counted(4, 1, in_flight=2.0)), (30, counted(6, 2, in_flight=5.0)))
    kept((30, counted(5, in_flight=1.0)), revision="pilot-00002")
    quiet, busy = points(get, since_s=120, step=60)
    assert (quiet["requests"], quiet["lost"], quiet["by_hop"]["activator"]) == (0, 0, 0)
    assert (busy["requests"], busy["lost"], busy["share_5xx"]) == (15, 3, 0.2)
    assert busy["by_hop"] == {
        "ingress": None,
        "endpoint-picker": None,
        "activator": 3,
        "queue-proxy": 0,
        "container": 0,
    }
    assert (busy["by_code"], busy["in_flight"], busy["at_least"]) == ({"503": 3}, 6.0, [])
    assert busy["at"] == "2026-11-30T11:59:00Z"


def test_a_step_is_a_window_at_least(get: Get) -> None:
    measured()
    kept((30, counted(6)))
    assert [point["requests"] for point in points(get, since_s=90, step=10)] == [0, 0, 6]


def test_what_was_not_read_is_null_and_in_part_a_lower_bound(get: Get) -> None:
    cluster = measured()
    kept((120, counted(4, 1)))
    Gap.objects.create(
        cluster=cluster, resource=METRICS, since=rows.ago(90), until=rows.ago(60), why="x"
    )
    dark, half, whole = points(get, since_s=180, step=60)
    assert (dark["requests"], half["requests"], whole["requests"]) == (0, 4, 0)
    assert half["requests_at_least"]
    assert "activator" in half["at_least"]
    Gap.objects.update(since=rows.ago(180), until=rows.ago(120))
    dark, *_ = points(get, since_s=180, step=60)
    assert (dark["requests"], dark["lost"], dark["by_hop"]["activator"]) == (None, None, None)


@pytest.mark.parametrize("facts", [{}, FACTS | {"told": []}], ids=["not asked", "no hop is told"])
def test_where_nothing_is_measured_there_are_no_points(get: Get, facts: dict[str, Any]) -> None:
    measured()
    Cluster.objects.update(metrics=facts)
    assert points(get, since_s=60, step=30) == []

"""Requests lose their windows first, and their sums much later."""

from datetime import timedelta

import pytest

from fleet.history.prune import WINDOWS_NOUN, prune
from fleet.history.request_hours import hour_row
from fleet.history.requests import METRICS, unread, windows_between
from fleet.models import Cluster, Gap, RequestHour
from tests.fleet.history.request_samples import OWNER, REVISION, window
from tests.fleet.history.samples import KEY, NOW, ago


@pytest.fixture(autouse=True)
def _kept(cluster: Cluster) -> None:
    """An hour of requests before one in which metrics were not read."""
    hour_row(OWNER, REVISION, ago(hours=2), [window(ago(hours=2))]).save()
    Gap.objects.create(cluster=cluster, resource=METRICS, since=ago(hours=1), until=NOW)
    Gap.objects.create(cluster=cluster, resource="pods", since=ago(hours=1), until=NOW)
    Cluster.objects.update(metrics_read_to=NOW + timedelta(days=9999))


@pytest.mark.parametrize(
    ("after", "windows", "hours", "gaps"),
    [
        pytest.param(timedelta(days=13), 1, 1, 2, id="within 14 days everything"),
        pytest.param(timedelta(days=15), 0, 1, 2, id="then sums of hours"),
        pytest.param(timedelta(days=31), 0, 1, 1, id="gaps of metrics stay with them"),
        pytest.param(timedelta(days=732), 0, 0, 0, id="after two years nothing"),
    ],
)
def test_prune(after: timedelta, windows: int, hours: int, gaps: int) -> None:
    prune(now=NOW + after)
    left = (RequestHour.objects.with_windows().count(), RequestHour.objects.count())
    assert (*left, Gap.objects.count()) == (windows, hours, gaps)


def test_an_hour_without_windows_is_still_told() -> None:
    prune(now=NOW + timedelta(days=31))
    (hour,) = windows_between(KEY, ago(hours=3), NOW)
    assert (hour.at, hour.tally.requests) == (ago(hours=2), 10)
    assert unread("one", ago(hours=3), NOW) == [(ago(hours=1), NOW)]


def test_how_long_windows_are_kept_is_a_setting() -> None:
    later = NOW + timedelta(days=2)
    assert prune(now=later, only_count=True)[WINDOWS_NOUN] == 0
    assert prune(now=later, only_count=True, windows=timedelta(days=1))[WINDOWS_NOUN] == 1
    assert prune(now=later, windows=timedelta(days=1))[WINDOWS_NOUN] == 1
    assert not RequestHour.objects.with_windows().exists()

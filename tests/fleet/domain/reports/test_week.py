"""ISO weeks in UTC."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from fleet.domain.reports.week import Week, begun_week
from fleet.errors import BadInput

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "since", "last_day"),
    [
        pytest.param("2026-W48", datetime(2026, 11, 23, tzinfo=UTC), date(2026, 11, 29), id="any"),
        pytest.param(
            "2026-W01", datetime(2025, 12, 29, tzinfo=UTC), date(2026, 1, 4), id="begins last year"
        ),
        pytest.param(
            "2026-W53", datetime(2026, 12, 28, tzinfo=UTC), date(2027, 1, 3), id="a 53rd week"
        ),
    ],
)
def test_a_week_runs_from_monday_to_sunday(text: str, since: datetime, last_day: date) -> None:
    week = Week.parse(text)
    assert (week.since, week.last_day) == (since, last_day)
    assert week.until - week.since == timedelta(days=7)
    assert str(week) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("2026-W60", "W01 to W53", id="no such week"),
        pytest.param("2026-W00", "W01 to W53", id="no week zero"),
        pytest.param("2025-W53", "W01 to W52", id="a year of 52 weeks"),
        pytest.param("W1", "like 2026-W48", id="no year"),
        pytest.param("", "like 2026-W48", id="nothing"),
        pytest.param("2026-w48", "like 2026-W48", id="small letter"),
        pytest.param("2026-W48\n", "like 2026-W48", id="a line more"),
        pytest.param("２０２６-W48", "like 2026-W48", id="digits of another script"),
        pytest.param("x" * 5000, "like 2026-W48", id="a long text is cut"),
        pytest.param("0001-W01", "from 1970 to 2200", id="before computers"),
        pytest.param("9999-W52", "from 1970 to 2200", id="the last year that dates know"),
    ],
)
def test_what_is_no_week_is_said(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as refused:
        Week.parse(text)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("moment", "week"),
    [
        pytest.param(datetime(2026, 11, 29, 23, 59, 59, tzinfo=UTC), "2026-W48", id="Sunday night"),
        pytest.param(datetime(2026, 11, 30, tzinfo=UTC), "2026-W49", id="Monday 00:00"),
        pytest.param(
            datetime(2026, 11, 30, 3, tzinfo=timezone(timedelta(hours=9))),
            "2026-W48",
            id="Monday in Tokyo is Sunday in UTC",
        ),
        pytest.param(datetime(2027, 1, 1, tzinfo=UTC), "2026-W53", id="New Year"),
    ],
)
def test_the_week_of_a_moment(moment: datetime, week: str) -> None:
    assert str(Week.of(moment)) == week


def test_weeks_follow_one_another_over_the_year() -> None:
    week = Week.parse("2026-W53")
    assert (str(week.before), str(week.after)) == ("2026-W52", "2027-W01")
    assert week.before < week < week.after


@pytest.mark.parametrize(
    ("now", "over", "settled"),
    [
        pytest.param(datetime(2026, 11, 29, 23, 59, tzinfo=UTC), False, False, id="running"),
        pytest.param(datetime(2026, 11, 30, tzinfo=UTC), True, False, id="over, not settled"),
        pytest.param(datetime(2026, 11, 30, 0, 15, tzinfo=UTC), True, True, id="Monday 00:15"),
    ],
)
def test_a_report_is_made_a_quarter_of_an_hour_later(
    now: datetime, over: bool, settled: bool
) -> None:
    week = Week.parse("2026-W48")
    assert (week.is_over(now=now), week.is_settled(now=now)) == (over, settled)


def test_a_week_that_has_not_begun_is_said() -> None:
    assert str(begun_week("2026-W49", now=NOW)) == "2026-W49"
    with pytest.raises(BadInput, match="begins on 2026-12-07 UTC"):
        begun_week("2026-W50", now=NOW)

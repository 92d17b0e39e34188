"""Time ranges in addresses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict

from dashboard.ranges import RANGE_LABELS, SPANS, moment_text, range_links, read_range

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def day(number: int, hour: int = 0) -> datetime:
    return datetime(2026, 11, number, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("address", "since", "until", "said"),
    [
        pytest.param("", day(23, 12), NOW, {}, id="nothing said: the default, up to now"),
        pytest.param("range=24h", day(29, 12), NOW, {"range": "24h"}, id="a named range"),
        pytest.param("range=7d", day(23, 12), NOW, {}, id="the default is left out of addresses"),
        pytest.param(
            "since=2026-11-01T00:00:00Z&until=2026-11-02T06:00:00Z",
            day(1),
            day(2, 6),
            {"since": "2026-11-01T00:00:00Z", "until": "2026-11-02T06:00:00Z"},
            id="two moments",
        ),
        pytest.param(
            "since=2026-11-01T02:00:00%2B02:00",
            day(1),
            NOW,
            {"since": "2026-11-01T00:00:00Z"},
            id="since alone reaches to now; another zone is turned to UTC",
        ),
        pytest.param(
            "since=2026-11-01T02:00:00+02:00",
            day(1),
            NOW,
            {"since": "2026-11-01T00:00:00Z"},
            id="a plus that was not quoted",
        ),
        pytest.param(
            "until=2026-11-10",
            day(3),
            day(10),
            {"until": "2026-11-10T00:00:00Z"},
            id="until alone reaches back as far as the default; a day is its midnight in UTC",
        ),
        pytest.param(
            "range=24h&since=2026-11-29T06:00",
            day(29, 6),
            NOW,
            {"since": "2026-11-29T06:00:00Z"},
            id="moments win over a name; without a zone it is UTC",
        ),
    ],
)
def test_what_an_address_asks_for(
    address: str, since: datetime, until: datetime, said: dict[str, str]
) -> None:
    found = read_range(QueryDict(address), now=NOW)
    assert (found.since, found.until, found.said, found.fault) == (since, until, said, "")


@pytest.mark.parametrize(
    ("address", "says"),
    [
        pytest.param("range=5y", "no such range", id="a range that there is not"),
        pytest.param("since=yesterday", "could not be read", id="no moment"),
        pytest.param("until=0001-01-01T00:00:00Z", "out of bounds", id="a year out of bounds"),
        pytest.param("since=9999-12-31T23:00:00-23:00", "out of bounds", id="a year too far"),
        pytest.param("since=2026-11-02&until=2026-11-01", "ends before it begins", id="reversed"),
        pytest.param("since=2027-01-01", "ends before it begins", id="since in the future"),
        pytest.param("since=" + "1" * 5000, "could not be read", id="a long text"),
    ],
)
def test_what_is_not_understood_is_said_and_the_default_shown(address: str, says: str) -> None:
    found = read_range(QueryDict(address), now=NOW)
    assert says in str(found.fault)
    assert (found.name, found.until - found.since) == ("7d", timedelta(days=7))


def test_a_page_offers_its_own_choices() -> None:
    asked = QueryDict("range=1h")
    found = read_range(asked, now=NOW, choices=("24h", "7d"), default="24h")
    assert found.name == "24h"


def test_links_keep_the_other_filters_and_leave_the_default_out() -> None:
    found = read_range(QueryDict("range=24h"), now=NOW)
    links = range_links(found, choices=("24h", "7d"), rest={"cluster": "demo a"})
    assert [(link.address, link.chosen) for link in links] == [
        ("cluster=demo+a&range=24h", True),
        ("cluster=demo+a", False),
    ]


def test_what_a_range_says_leads_to_the_same_range() -> None:
    text = moment_text(day(1).replace(microsecond=120_000))
    found = read_range(QueryDict(f"since={text}"), now=NOW)
    again = QueryDict(mutable=True)
    again.update(dict(found.said))
    assert read_range(again, now=NOW) == found


def test_every_range_has_words_and_a_file_name() -> None:
    assert set(RANGE_LABELS) == set(SPANS)
    found = read_range(QueryDict(""), now=NOW)
    assert (str(found.label), found.seconds) == ("last 7 days", 7 * 86400)
    assert found.file_part == "20261123T1200Z-20261130T1200Z"

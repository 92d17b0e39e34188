"""What must be known before the figures of a week are believed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dashboard.reports.page import about_text, report_page
from fleet.domain.reports.report import Choice, report_of
from fleet.domain.reports.sight import Sight
from fleet.domain.reports.tally import CountedStart
from tests.fleet.domain.reports.made import WEEK, facts, failed, line, sight, start

LATE = WEEK.since + timedelta(days=2)
BLIND = "Part of this week was not watched, or that is not known any more: %s."


@pytest.mark.parametrize(
    ("sights", "says"),
    [
        pytest.param([sight()], [], id="all was seen"),
        pytest.param([sight(thin_s=600.0)], [], id="thin hides no start"),
        pytest.param([sight(blind_s=5400.0)], [BLIND % "a (90 min)"], id="blind for a while"),
        pytest.param(
            [sight(blind_s=None, thin_s=None)], [BLIND % "a (not kept)"], id="not known any more"
        ),
        pytest.param(
            [sight(f"c{n}", blind_s=60.0) for n in range(7)],
            [BLIND % (", ".join(f"c{n} (60 s)" for n in range(5)) + " and 2 more")],
            id="more than a line holds",
        ),
        pytest.param(
            [sight("b", watched_from=LATE)],
            ["Followed for part of this week only: b. What they did before is neither in"],
            id="followed since Wednesday",
        ),
    ],
)
def test_notices(sights: list[Sight], says: list[str]) -> None:
    report = report_of(facts(line("m", [start()]), sights=tuple(sights)), Choice())
    notices = report_page(report).notices
    assert len(notices) == len(says)
    for notice, text in zip(notices, says, strict=True):
        assert notice.startswith(text)


def test_without_a_week_before_there_is_nothing_to_compare_with() -> None:
    page = report_page(report_of(facts(first_data_at=WEEK.since), Choice()))
    assert page.notices == (
        "Nothing was watched in the week before: there is nothing to compare with.",
    )
    assert [tile.last_week for tile in page.tiles] == ["–"] * 5


@pytest.mark.parametrize(
    ("blind_s", "tone"),
    [pytest.param(0.0, "better", id="seen"), pytest.param(60.0, "", id="perhaps not all seen")],
)
def test_less_is_better_only_where_all_was_seen(blind_s: float, tone: str) -> None:
    less = line("m", [start()], [failed(), failed()])
    page = report_page(report_of(facts(less, sights=(sight(blind_s=blind_s),)), Choice()))
    tones = {str(tile.title): tile.tone for tile in page.tiles}
    assert (tones["Failed starts"], tones["Waited for starts"]) == (tone, tone)


@pytest.mark.parametrize(
    ("this", "before", "value", "last_week"),
    [
        pytest.param([start(lost=4)], [start(lost=9)], "4", "9", id="known of all"),
        pytest.param([start(lost=4), start()], [start()], "≥ 4", "–", id="known of some"),
        pytest.param([start()], [start(lost=9)], None, None, id="not measured: no tile"),
    ],
)
def test_requests_lost_to_starts(
    this: list[CountedStart],
    before: list[CountedStart],
    value: str | None,
    last_week: str | None,
) -> None:
    page = report_page(report_of(facts(line("m", this, before)), Choice()))
    tile = next((t for t in page.tiles if t.title == "Requests lost to starts"), None)
    assert (tile and tile.value, tile and tile.last_week) == (value, last_week)


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        pytest.param(Choice(), "All models of all clusters", id="everything"),
        pytest.param(
            Choice(namespaces=frozenset({"rag"})), "All models that you may see", id="a scope"
        ),
        pytest.param(
            Choice(team="ads", environment="prod"), "Team ads, environment prod", id="asked for"
        ),
    ],
)
def test_what_of_the_fleet_it_is_about(choice: Choice, text: str) -> None:
    assert about_text(report_of(facts(), choice)) == text

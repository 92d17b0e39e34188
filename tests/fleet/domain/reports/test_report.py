"""The report as one reader sees it."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from fleet.domain.reports.facts import WeekFacts
from fleet.domain.reports.report import Choice, Kept, Report, report_of
from fleet.domain.reports.shape import report_shape
from tests.fleet.domain.reports.made import (
    LONG_AGO,
    MADE_AT,
    WEEK,
    facts,
    failed,
    line,
    sight,
    start,
)

ALL = Choice()
FLEET = facts(
    line("slow", [start(300.0)] * 6, [start(100.0)] * 5),
    line("quick", [start(10.0)] * 20, [start(60.0)] * 20, namespace="rag", team="ads"),
    line("broken", [failed(2000.0)], cluster="b", environment="dev"),
    line("quiet", [], [start()] * 2),
    line("here", created_at=LONG_AGO),
    sights=(sight("a"), sight("b", blind_s=7200.0)),
)


def names(report: Report, which: str) -> list[str]:
    return [model.key.name for model in getattr(report, which)]


def test_the_worst_took_the_most_seconds_failed_starts_included() -> None:
    report = report_of(FLEET, ALL)
    assert names(report, "worst") == ["broken", "slow", "quick"]
    assert names(report, "models") == ["broken", "slow", "quick", "quiet"]


def test_five_are_the_worst_and_equals_are_told_by_failures_then_by_name() -> None:
    lines = [line(f"m{n}", [start(10.0)]) for n in range(7)]
    worse = line("z", [start(10.0), failed(0.0)])
    report = report_of(facts(*lines, worse), ALL)
    assert names(report, "worst") == ["z", "m0", "m1", "m2", "m3"]


def test_worse_and_better_by_seconds_waited() -> None:
    report = report_of(FLEET, ALL)
    assert names(report, "got_worse") == ["broken", "slow"]
    assert names(report, "got_better") == ["quick", "quiet"]
    assert report.got_better[0].change_s == -1000.0


@pytest.mark.parametrize(
    ("blind_s", "better"),
    [
        pytest.param(0.0, ["m"], id="all was seen"),
        pytest.param(3 * 3600.0, ["m"], id="blind for three hours"),
        pytest.param(4 * 3600.0, [], id="blind for longer"),
        pytest.param(None, [], id="not known any more"),
    ],
)
def test_what_was_not_seen_is_no_gain(blind_s: float | None, better: list[str]) -> None:
    lines = (line("m", [], [start(600.0)]), line("n", [start(600.0)], []))
    report = report_of(facts(*lines, sights=(sight(blind_s=blind_s),)), ALL)
    assert (names(report, "got_better"), names(report, "got_worse")) == (better, ["n"])


def test_small_changes_are_noise() -> None:
    report = report_of(facts(line("a", [start(119.0)], [start(60.0)])), ALL)
    assert (report.got_worse, report.got_better) == ((), ())


@pytest.mark.parametrize(
    ("choice", "models", "lower_bounds"),
    [
        pytest.param(ALL, ["broken", "slow", "quick", "quiet"], True, id="the whole fleet"),
        pytest.param(Choice(team="ads"), ["quick"], True, id="a team"),
        pytest.param(Choice(environment="dev"), ["broken"], True, id="an environment"),
        pytest.param(Choice(cluster="a"), ["slow", "quick", "quiet"], False, id="a cluster"),
        pytest.param(
            Choice(namespaces=frozenset({"rag"})), ["quick"], True, id="scope of a namespace"
        ),
        pytest.param(Choice(clusters=frozenset({"b"})), ["broken"], True, id="scope of a cluster"),
        pytest.param(Choice(clusters=frozenset()), [], False, id="scope of nothing"),
        pytest.param(
            Choice(clusters=frozenset({"a"}), cluster="b"), [], False, id="asked out of scope"
        ),
    ],
)
def test_each_reader_sees_their_part(choice: Choice, models: list[str], lower_bounds: bool) -> None:
    report = report_of(FLEET, choice)
    assert names(report, "models") == models
    assert report.this_week is not None
    assert report.this_week.starts == sum(m.this_week.starts for m in report.models)
    assert report.lower_bounds == lower_bounds


def test_a_narrow_reader_learns_no_other_teams_or_clusters() -> None:
    report = report_of(FLEET, Choice(namespaces=frozenset({"rag"})))
    assert report.facets.teams == ("ads",)
    assert report.facets.clusters == ("a",)
    assert [team.team for team in report.teams] == ["ads"]
    assert "broken" not in json.dumps(report_shape(report))


def test_teams_with_those_not_told_at_the_end() -> None:
    lines = [line("x", [start()], team="", environment=""), line("y", [start()], team="zoo")]
    report = report_of(facts(*lines), ALL)
    assert [(team.team, team.models) for team in report.teams] == [("zoo", 1), ("", 1)]


def at(**ago: float) -> datetime:
    return WEEK.until - timedelta(**ago)


def test_models_that_came_and_went() -> None:
    report = report_of(
        facts(
            line("new", created_at=at(days=1)),
            line("gone", created_at=LONG_AGO, gone_at=at(days=2)),
            line("both", created_at=at(days=3), gone_at=at(days=2)),
            line("next", created_at=WEEK.until),
        ),
        ALL,
    )
    assert [key.name for key in report.new_models] == ["both", "new"]
    assert [key.name for key in report.gone_models] == ["both", "gone"]


def test_a_model_made_anew_is_told_once() -> None:
    report = report_of(
        facts(line("m", [start(5.0)], uid="one"), line("m", [start(7.0)], uid="two")), ALL
    )
    assert names(report, "models") == ["m"]
    assert report.models[0].this_week.waited_s == 12.0


@pytest.mark.parametrize(
    ("fields", "this", "last"),
    [
        pytest.param({"first_data_at": None}, False, False, id="nothing was ever watched"),
        pytest.param({"first_data_at": WEEK.until}, False, False, id="before the first data"),
        pytest.param({"first_data_at": at(days=2)}, True, False, id="the first week"),
        pytest.param({"first_data_at": at(days=9)}, True, True, id="part of last week"),
    ],
)
def test_what_was_not_watched_is_not_told_as_none(
    fields: dict[str, Any], this: bool, last: bool
) -> None:
    report = report_of(facts(**fields), ALL)
    assert (report.this_week is not None, report.last_week is not None) == (this, last)
    shape = report_shape(report)
    assert (shape["this_week"] is None, shape["change"] is None) == (not this, not last)


def test_a_first_week_has_no_change_and_nothing_got_worse() -> None:
    report = report_of(facts(line("m", [start(600.0)], None), first_data_at=at(days=2)), ALL)
    assert report.models[0].change_s is None
    assert (report.got_worse, report.got_better) == ((), ())


def test_a_cluster_followed_since_this_week_made_no_model_worse() -> None:
    old = line("old", [start(60.0)], [start(60.0)])
    report = report_of(facts(old, line("late", [start(900.0)], None, cluster="b")), ALL)
    assert [model.change_s for model in report.models] == [None, 0.0]
    assert (report.got_worse, report.last_week and report.last_week.starts) == ((), 1)


def test_a_running_week_says_so() -> None:
    running = replace(facts(), counted_until=at(days=3), counted_at=at(days=3))
    assert report_shape(report_of(running, ALL))["so_far"] is True
    assert report_shape(report_of(facts(), ALL))["so_far"] is False


def test_equal_facts_give_equal_text() -> None:
    kept = Kept(revision=1, created_at=MADE_AT, why="")
    turned: WeekFacts = replace(FLEET, lines=FLEET.lines[::-1])
    one, other = (report_shape(report_of(f, ALL, kept=kept)) for f in (FLEET, turned))
    assert json.dumps(one) == json.dumps(other)
    assert one["revision"] == 1
    assert one["created_at"] == "2026-11-30T00:15:00Z"
    assert one["worst"]["models"][0] == "b/InferenceService/chat/broken"

"""Series put together into windows: which are told at all, and depths and durations in them."""

from datetime import UTC, datetime

import pytest

from fleet.domain.requests.eras import KNATIVE, Program
from fleet.domain.requests.gathering import Gathering
from fleet.domain.requests.moves import Move, Role, Sight, Way
from fleet.domain.requests.pages import Page, chosen
from fleet.domain.requests.records import Era, Subject, SubjectKind

FIRST = 1_796_032_800
SUBJECT = Subject("chat", SubjectKind.REVISION, "llama-00001")
OK = Move(Role.QUEUE_PROXY, 200, "", Way.PAST)


def gathering(**more: object) -> Gathering:
    roles = frozenset(counted.role for counted in KNATIVE[Era.OPENTELEMETRY])
    return Gathering(
        first=FIRST,
        length=6,
        sight=Sight(era=Era.OPENTELEMETRY, roles=roles),
        depths={SubjectKind.REVISION: frozenset({"in-flight", "queued"})},
    )


def test_only_what_was_asked_for_and_had_anything_in_it() -> None:
    found = gathering()
    for number in (0, 2, 5):
        found.column_of(SUBJECT, OK)[number] += 3
    windows = list(found.windows(since=FIRST + 60, until=FIRST + 120))
    assert [(w.at, w.tally.requests) for w in windows] == [
        (datetime.fromtimestamp(FIRST + 60, UTC), 3)
    ]


def test_a_depth_that_is_told_is_0_where_nothing_waits() -> None:
    found = gathering()
    found.column_of(SUBJECT, OK)[0] += 1
    (window,) = found.windows(since=FIRST, until=FIRST + 30)
    assert (window.tally.in_flight, window.tally.queued) == (0.0, 0.0)


def test_what_waits_makes_a_window_also_without_an_end() -> None:
    found = gathering()
    found.levels_of(SUBJECT).queued[1] = 4.0
    (window,) = found.windows(since=FIRST, until=FIRST + 180)
    assert (window.tally.requests, window.tally.queued) == (0, 4.0)


def test_the_servers_own_figures_come_first() -> None:
    found = gathering()
    found.column_of(SUBJECT, OK)[0] += 30
    levels = found.levels_of(SUBJECT)
    levels.in_flight[0], levels.engine_in_flight[0] = 9.0, 2.0
    levels.p95_s[0], levels.engine_p95_s[0] = 10.0, 14.0
    (window,) = found.windows(since=FIRST, until=FIRST + 30)
    assert (window.tally.in_flight, window.tally.p95_s) == (2.0, 14.0)


def test_few_requests_have_no_95th_percentile() -> None:
    found = gathering()
    found.column_of(SUBJECT, OK)[0] += 19
    found.levels_of(SUBJECT).p95_s[0] = 3.0
    (window,) = found.windows(since=FIRST, until=FIRST + 30)
    assert window.tally.p95_s is None


def page(uid: str, program: Program = Program.QUEUE_PROXY, *, urgent: bool = False) -> Page:
    return Page(program=program, namespace="chat", pod=uid, uid=uid, port=9091, urgent=urgent)


@pytest.mark.parametrize(
    ("at_most", "uids"),
    [
        pytest.param(1, ["activator"], id="what all share"),
        pytest.param(2, ["activator", "starting"], id="then what starts or errs"),
        pytest.param(4, ["activator", "starting", "new", "early"], id="then the longest unread"),
        pytest.param(9, ["activator", "starting", "new", "early", "late"], id="all"),
    ],
)
def test_which_pages_are_read(at_most: int, uids: list[str]) -> None:
    pages = [
        page("late"),
        page("early"),
        page("new"),
        page("starting", urgent=True),
        page("activator", Program.ACTIVATOR),
    ]
    read_at = {("late", 9091): 200.0, ("early", 9091): 100.0, ("starting", 9091): 300.0}
    assert [each.uid for each in chosen(pages, at_most=at_most, read_at=read_at)] == uids

"""How much of a week was watched."""

from datetime import UTC, datetime, timedelta

import pytest

from fleet.domain.reports.sight import Following, Sight, Span, WatchGap, covered_s, sight_of

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
WEEK_S = 7 * 86400.0
H = 3600.0


def at(hours: float) -> datetime:
    return MONDAY + timedelta(hours=hours)


def span(since: float, until: float) -> Span:
    return Span(at(since), at(until))


WEEK = span(0, 168)


def followed(
    *gaps: tuple[str, float, float], since: float = -50, until: float = 500, proof: float = 500
) -> Sight:
    return sight_of(
        Following(
            cluster="a",
            span=span(since, until),
            last_proof_at=at(proof),
            gaps=tuple(WatchGap(stream=s, span=span(b, e)) for s, b, e in gaps),
        ),
        counted=WEEK,
    )


@pytest.mark.parametrize(
    ("sight", "watched_s", "blind_s", "thin_s"),
    [
        pytest.param(followed(), WEEK_S, 0, 0, id="always in step"),
        pytest.param(followed(("pods", 10, 12)), WEEK_S, 2 * H, 0, id="pods not seen"),
        pytest.param(followed(("events", 10, 12)), WEEK_S, 0, 2 * H, id="events not seen"),
        pytest.param(
            followed(("pods/LLMInferenceService", 10, 12)), WEEK_S, 2 * H, 0, id="a narrowed stream"
        ),
        pytest.param(
            followed(("pods", 10, 12), ("pods", 11, 14), ("events", 9, 15)),
            WEEK_S,
            4 * H,
            2 * H,
            id="gaps over one another count once",
        ),
        pytest.param(
            followed(("pods", -3, 1), ("pods", 167, 170)), WEEK_S, 2 * H, 0, id="cut to the week"
        ),
        pytest.param(followed(("pods", 200, 210)), WEEK_S, 0, 0, id="another week's gap"),
        pytest.param(followed(proof=160), WEEK_S, 8 * H, 0, id="no proof since, and no gap yet"),
        pytest.param(followed(proof=167.99), WEEK_S, 0, 0, id="a fresh proof"),
        pytest.param(followed(since=100), 68 * H, 0, 0, id="followed since Friday"),
        pytest.param(followed(until=100), 100 * H, 0, 0, id="removed on Friday"),
        pytest.param(followed(since=200), 0, 0, 0, id="not yet followed"),
        pytest.param(
            followed(("pods", 90, 110), since=100), 68 * H, 10 * H, 0, id="blind as followed only"
        ),
    ],
)
def test_hours_blind(sight: Sight, watched_s: float, blind_s: float, thin_s: float) -> None:
    assert (sight.watched_s, sight.blind_s, sight.thin_s) == (watched_s, blind_s, thin_s)
    assert sight.hides_starts == (blind_s > 0)


def test_never_in_step_is_blind_from_the_first_moment() -> None:
    following = Following(cluster="a", span=span(100, 500), last_proof_at=None, gaps=())
    assert sight_of(following, counted=WEEK).blind_s == 68 * H


def test_gaps_no_longer_kept_are_not_told_as_none() -> None:
    following = Following(cluster="a", span=span(-1, 999), last_proof_at=at(999), gaps=None)
    sight = sight_of(following, counted=WEEK)
    assert (sight.blind_s, sight.thin_s, sight.hides_starts) == (None, None, True)


def test_empty_and_turned_spans_cover_nothing() -> None:
    assert covered_s([span(3, 3), span(5, 4)]) == 0
    assert covered_s([span(0, 10), span(2, 3), span(9, 11)]) == 11 * H

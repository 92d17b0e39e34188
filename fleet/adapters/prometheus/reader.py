"""MetricsReader over a Prometheus-compatible API: a few queries for all models at once."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from fleet.adapters.prometheus.answers import Row, number_of
from fleet.adapters.prometheus.client import PrometheusAccess, PrometheusClient
from fleet.adapters.prometheus.look import look
from fleet.adapters.prometheus.queries import Depth, Figure, Query, queries_of
from fleet.domain.requests.columns import REACH
from fleet.domain.requests.eras import Counted, Program
from fleet.domain.requests.gathering import Gathering
from fleet.domain.requests.increments import MOST
from fleet.domain.requests.levels import Levels
from fleet.domain.requests.moves import sight_of
from fleet.domain.requests.reading import move_of, subject_of
from fleet.domain.requests.records import (
    WINDOW_S,
    MetricsFacts,
    Subject,
    SubjectKind,
    SubjectWindow,
)

# Windows around those asked for, in which the other hop may have counted the same call.
MARGIN_S = REACH * WINDOW_S
# A query loads all samples of its span: histograms have a dozen series where a counter has one.
SPAN_S = 15 * 60
# All questions of one look, and of one step, together: a worker's claim on a cluster is longer.
LOOK_S = 30.0
STEP_S = 75.0


class PrometheusReader:
    """One cluster's metrics. knative: its version as its objects tell, "" = unknown or none."""

    def __init__(self, access: PrometheusAccess, *, knative: str = "") -> None:
        self._client = PrometheusClient(access)
        self._knative = knative

    def look(self, *, now: datetime) -> MetricsFacts:
        """Asks a handful of questions; see docs/metrics.md."""
        return look(self._client.within(LOOK_S), now=now, knative=self._knative)

    def windows(
        self, facts: MetricsFacts, *, since: datetime, until: datetime
    ) -> Sequence[SubjectWindow]:
        """Windows without anything in them are left out."""
        first, last = _seconds(since), _seconds(until)
        gathering = gathering_of(facts, since=first - MARGIN_S, until=last + MARGIN_S)
        client = self._client.within(STEP_S)
        for query in queries_of(facts):
            for row in _rows(client, query, gathering):
                take(gathering, query, row, facts)
        return list(gathering.windows(since=first, until=last))

    def close(self) -> None:
        """Drop idle connections."""
        self._client.close()


def _rows(client: PrometheusClient, query: Query, gathering: Gathering) -> Iterator[Row]:
    """A window is asked for at its end. Only counts need the windows around."""
    start = gathering.first + WINDOW_S
    end = gathering.first + gathering.length * WINDOW_S
    if isinstance(query.figures[0].means, Depth):
        start, end = start + MARGIN_S, end - MARGIN_S
    for begin in range(start, end + 1, SPAN_S):
        yield from client.matrix(
            query.promql,
            start=begin,
            end=min(begin + SPAN_S - WINDOW_S, end),
            step_s=WINDOW_S,
            about=query.about,
        )


def gathering_of(facts: MetricsFacts, *, since: int, until: int) -> Gathering:
    """An empty one for the windows of [since, until), in seconds since the epoch."""
    depths = {SubjectKind.REVISION: frozenset[str](), SubjectKind.SERVICE: frozenset[str]()}
    for query in queries_of(facts):
        for figure in query.figures:
            if figure.means in (Depth.IN_FLIGHT, Depth.QUEUED):
                engine = figure.program is Program.VLLM
                kind = SubjectKind.SERVICE if engine else SubjectKind.REVISION
                depths[kind] |= {str(figure.means)}
    return Gathering(
        first=since, length=(until - since) // WINDOW_S, sight=sight_of(facts), depths=depths
    )


def take(gathering: Gathering, query: Query, row: Row, facts: MetricsFacts) -> None:
    """Put one series of an answer where it belongs; series of nobody are left out."""
    figure = query.figure_of(row.metric)
    subject = subject_of(figure.program, row.metric, facts) if figure else None
    if figure is None or subject is None:
        return
    if isinstance(figure.means, Counted):
        _take_counts(gathering, figure.means, subject, row)
    else:
        _take_levels(gathering, figure, subject, row)


def _take_counts(gathering: Gathering, counted: Counted, subject: Subject, row: Row) -> None:
    move = move_of(counted, row.metric)
    if move is None:
        return
    column = gathering.column_of(subject, move)
    for at, value in _points(gathering, row):
        column[at] += round(value)


def _take_levels(gathering: Gathering, figure: Figure, subject: Subject, row: Row) -> None:
    levels = gathering.levels_of(subject)
    engine = figure.program is Program.VLLM
    for at, value in _points(gathering, row):
        if figure.means is Depth.P95:
            _take_p95(levels, figure, at, value * figure.unit_s)
        elif figure.means is Depth.QUEUED:
            levels.queued[at] = levels.queued.get(at, 0.0) + value
        else:
            place = levels.engine_in_flight if engine else levels.in_flight
            place[at] = place.get(at, 0.0) + value


def _take_p95(levels: Levels, figure: Figure, at: int, seconds: float) -> None:
    """At the last bound it is only known to be longer. Of several pods the slowest counts."""
    place = levels.engine_p95_s if figure.program is Program.VLLM else levels.p95_s
    if figure.last_s is None or seconds < figure.last_s * 0.999:
        place[at] = max(seconds, place.get(at, 0.0))


def _points(gathering: Gathering, row: Row) -> list[tuple[int, float]]:
    """Numbers of windows and what is above 0 in them; NaN, infinities and what is above MOST are
    left out."""
    first, length = gathering.first + WINDOW_S, gathering.length
    numbered = ((round(at - first) // WINDOW_S, number_of(text)) for at, text in row.points())
    return [(at, value) for at, value in numbered if 0 < value <= MOST and 0 <= at < length]


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp()) // WINDOW_S * WINDOW_S

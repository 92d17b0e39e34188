"""MetricsReader over metrics pages of pods, through the API server's proxy.

Needs the right `get` on `pods/proxy`. One instance must live from step to step: what happened is
the difference to the pages of the step before.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from fleet.adapters.kubernetes.client import Access, Client
from fleet.adapters.prometheus.counts import PageCounts, Series, Target, counts_of
from fleet.adapters.prometheus.proxied import read_pages
from fleet.adapters.prometheus.text import samples
from fleet.domain.requests import eras
from fleet.domain.requests.eras import Program
from fleet.domain.requests.facts import facts_of
from fleet.domain.requests.found import ACTIVATORS_OWN, NAMES, Found
from fleet.domain.requests.gathering import Gathering
from fleet.domain.requests.increments import increments
from fleet.domain.requests.moves import sight_of
from fleet.domain.requests.pages import Page, chosen
from fleet.domain.requests.records import (
    WINDOW_S,
    MetricsFacts,
    SubjectKind,
    SubjectWindow,
)

AT_MOST = 50
LOOKED_AT = 5
# The programs whose pages could be read, whatever was on them.
ANY = "any"
# Two readings further apart than this do not make a window: what lies between is unread.
APART_S = 1.5 * WINDOW_S
# Nor do nearer ones: the most of it lies before both.
NEAR_S = 0.5 * WINDOW_S
Identity = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a page said, and when it was read, in seconds since the epoch."""

    at: float
    counts: PageCounts


@dataclass(slots=True)
class Memory:
    """The newest reading of each page."""

    readings: dict[Identity, Reading] = field(default_factory=dict)
    read_at: float | None = None


class PagesReader:
    """pages: which there are now (docs/metrics.md); at most `at_most` are read in a step."""

    def __init__(
        self,
        access: Access,
        *,
        pages: Callable[[], Iterable[Page]],
        clock: Callable[[], datetime],
        at_most: int = AT_MOST,
    ) -> None:
        self._client = Client(access)
        self._pages = pages
        self._clock = clock
        self._at_most = at_most
        self._memory = Memory()

    def look(self, *, now: datetime) -> MetricsFacts:
        """Reads some pages of each program and says what is on them."""
        jobs: dict[str, set[str]] = defaultdict(set)
        pages = list(self._pages())
        for page, text in read_pages(self._client, _some_of_each(pages)):
            for name in {sample.name for sample in samples(text, wanted=NAMES)}:
                jobs[name].add(page.program)
            jobs[ANY].add(page.program)
        found = Found(
            source="pages",
            asked_at=now,
            jobs=jobs,
            identities=("relabelled",),
            activator_named=True,
            pods=any(page.program is Program.QUEUE_PROXY for page in pages),
        )
        return facts_of(replace(found, jobs=_with_quiet(jobs, facts_of(found))))

    def windows(
        self, facts: MetricsFacts, *, since: datetime, until: datetime
    ) -> Sequence[SubjectWindow] | None:
        """The window [until - 30 s, until) from the pages as they are now; since: not older ones.

        None: the pages were not read about 30 s ago, so nobody knows. A step that fails leaves
        what was read before.
        """
        before, now = self._memory, self._clock().timestamp()
        pages, readings = list(self._pages()), {}
        for page, text in read_pages(self._client, self._chosen(pages, before)):
            counts = counts_of(text, target_of(page, facts), facts)
            at = self._clock().timestamp()
            readings[page.identity] = Reading(at=at, counts=counts)
        self._memory = Memory(read_at=now, readings=_with_kept(readings, pages, before))
        if not _make_a_window(before.read_at, now):
            return None
        return list(self._told(facts, before, until=int(until.timestamp())))

    def close(self) -> None:
        """Drop idle connections."""
        self._client.close()

    def _told(self, facts: MetricsFacts, before: Memory, *, until: int) -> Iterator[SubjectWindow]:
        gathering = Gathering(
            first=until - WINDOW_S, length=1, sight=sight_of(facts), depths=_depths(facts)
        )
        for identity, reading in self._memory.readings.items():
            earlier = before.readings.get(identity)
            if reading is not earlier:
                _take(gathering, earlier, reading)
        yield from gathering.windows(since=until - WINDOW_S, until=until)

    def _chosen(self, pages: Sequence[Page], before: Memory) -> list[Page]:
        read_at = {identity: reading.at for identity, reading in before.readings.items()}
        return chosen(pages, at_most=self._at_most, read_at=read_at)


def _with_kept(
    readings: Mapping[Identity, Reading], pages: Iterable[Page], before: Memory
) -> dict[Identity, Reading]:
    """Beside them pages whose turn it was not; those of pods that are gone go."""
    alive = {page.identity for page in pages}
    kept = {known: reading for known, reading in before.readings.items() if known in alive}
    return {**kept, **readings}


def _make_a_window(first: float | None, second: float) -> bool:
    """Whether two readings, in seconds since the epoch, lie a window apart or about so."""
    return first is not None and NEAR_S <= second - first <= APART_S


def _some_of_each(pages: Iterable[Page]) -> list[Page]:
    """A program's first page may be of a pod that nobody called yet."""
    found: dict[Program, list[Page]] = defaultdict(list)
    for page in pages:
        if len(found[page.program]) < LOOKED_AT:
            found[page.program].append(page)
    return [page for some in found.values() for page in some]


def _with_quiet(jobs: Mapping[str, set[str]], facts: MetricsFacts) -> dict[str, set[str]]:
    """A program whose page is readable counts all that its era counts, also where it has not
    counted anything yet."""
    found = {name: set(programs) for name, programs in jobs.items()}
    for counted in eras.KNATIVE[facts.era]:
        if counted.program in jobs.get(ANY, ()):
            found.setdefault(counted.metric, set()).add(counted.program)
        if Program.ACTIVATOR in jobs.get(ANY, ()):
            found.setdefault(ACTIVATORS_OWN[-1], set()).add(Program.ACTIVATOR)
    return found


def target_of(page: Page, facts: MetricsFacts) -> Target:
    """The labels that a scrape would set."""
    labels = {"namespace": page.namespace, "pod": page.pod}
    if page.revision and facts.era in eras.REVISION_LABELS:
        namespace, revision = eras.REVISION_LABELS[facts.era]
        labels |= {namespace: page.namespace, revision: page.revision}
    return Target(program=page.program, labels=labels)


def _counters_before(before: Reading | None, now: Reading) -> Mapping[Series, float] | None:
    """None: never read. A process that began since then has counted all it counts since then."""
    if before is None:
        return None
    started = now.counts.process_started
    return {} if started is not None and started > before.at else before.counts.counters


def _take(gathering: Gathering, before: Reading | None, now: Reading) -> None:
    moved: Mapping[Series, int] = increments(
        _counters_before(before, now),
        now.counts.counters,
        read_at=now.at,
        process_started=now.counts.process_started,
    )
    for series, count in moved.items():
        gathering.column_of(series.subject, series.move)[0] += count
    for subject, depth in now.counts.in_flight.items():
        if depth > 0:
            levels = gathering.levels_of(subject)
            levels.in_flight[0] = levels.in_flight.get(0, 0.0) + depth
    for subject, depth in now.counts.queued.items():
        if depth > 0:
            levels = gathering.levels_of(subject)
            levels.queued[0] = levels.queued.get(0, 0.0) + depth


def _depths(facts: MetricsFacts) -> dict[SubjectKind, frozenset[str]]:
    knative = {
        name
        for name, table in (("in-flight", eras.IN_FLIGHT), ("queued", eras.QUEUED))
        if facts.era in table and Program.ACTIVATOR in facts.jobs
    }
    engine = {"in-flight", "queued"} if facts.vllm else set()
    return {SubjectKind.REVISION: frozenset(knative), SubjectKind.SERVICE: frozenset(engine)}

"""Pages of a simulated world before and after some calls: what they come to, and the truth."""

from collections import Counter, defaultdict
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from fleet.adapters.prometheus.counts import PageCounts, Target, counts_of
from fleet.domain.requests import eras
from fleet.domain.requests.eras import Program
from fleet.domain.requests.hops import tallies_of
from fleet.domain.requests.increments import increments
from fleet.domain.requests.moves import Move, Role, Sight
from fleet.domain.requests.records import Era, MetricsFacts, Subject, SubjectKind, Tally
from simulator.metering.series import text_of
from tests.simulator.metering.metered import Metered

JOBS = {
    "istio-ingressgateway": Program.INGRESS,
    "kourier-gateway": Program.INGRESS,
    "envoy-gateway": Program.INGRESS,
    "activator": Program.ACTIVATOR,
    "queue-proxy": Program.QUEUE_PROXY,
    "vllm": Program.VLLM,
    "endpoint-picker": Program.PICKER,
}
ERAS = {
    (1, 18): Era.OPENCENSUS,
    (1, 20): Era.TRANSITION,
    (1, 21): Era.OPENTELEMETRY,
    None: Era.NONE,
}
ALL = frozenset(JOBS.values())


def facts_of(era: Era, ingress: str, *, picker: str = "") -> MetricsFacts:
    return MetricsFacts(
        source="pages",
        asked_at=datetime(2026, 11, 30, 10, tzinfo=UTC),
        era=era,
        ingress=ingress,
        picker=picker,
        vllm="vllm:",
        queue_proxy="relabelled",
    )


def sight_of(facts: MetricsFacts, programs: Collection[Program]) -> Sight:
    """As if only these programs were read."""
    counters = eras.counters_of(
        era=facts.era, ingress=facts.ingress, picker=facts.picker, vllm=facts.vllm
    )
    roles = frozenset(counted.role for counted in counters if counted.program in programs)
    ingress = facts.ingress if Role.INGRESS in roles else ""
    return Sight(era=facts.era, roles=roles, ingress=ingress)


def read(at: Metered, facts: MetricsFacts) -> dict[tuple[str, str], PageCounts]:
    """Every page that is of use, by job and instance."""
    found = {}
    for target in at.scraped.targets():
        if target.job in JOBS and target.read is not None:
            program = Target(program=JOBS[target.job], labels=target.labels)
            found[target.job, target.instance] = counts_of(text_of(target.read()), program, facts)
    return found


def moved(
    before: dict[tuple[str, str], PageCounts],
    after: dict[tuple[str, str], PageCounts],
    programs: Collection[Program] = ALL,
) -> dict[Subject, Counter[Move]]:
    """What happened between two readings; targets that appeared began meanwhile."""
    found: dict[Subject, Counter[Move]] = defaultdict(Counter)
    for where, page in after.items():
        if JOBS[where[0]] not in programs:
            continue
        earlier = before.get(where)
        counts = increments(
            earlier.counters if earlier else None,
            page.counters,
            read_at=1000.0,
            process_started=1000.0,
        )
        for series, count in counts.items():
            found[series.subject][series.move] += count
    return found


def tally_of(
    at: Metered,
    before: dict[tuple[str, str], PageCounts],
    facts: MetricsFacts,
    *,
    programs: Collection[Program] = ALL,
) -> Tally:
    """The one model's tally of everything since `before`."""
    kind = SubjectKind.SERVICE if facts.era is Era.NONE else SubjectKind.REVISION
    found = moved(before, read(at, facts), programs)
    moves: Counter[Move] = Counter()
    for subject, counts in found.items():
        if subject.kind is kind:
            moves += counts
    return tallies_of([moves], sight_of(facts, programs), kind=kind)[0]


def errors_told(told: dict[str, Any]) -> dict[tuple[str, int], int]:
    """The truth's errors in the form of a tally's."""
    return {
        (hop, int(code)): count
        for hop, codes in told["errors"].items()
        for code, count in codes.items()
    }

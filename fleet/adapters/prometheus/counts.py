"""One metrics page as counts: what each kind of call of each subject has come to."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fleet.adapters.prometheus.text import Sample, samples
from fleet.domain.requests import eras
from fleet.domain.requests.eras import Counted, Program
from fleet.domain.requests.moves import Move
from fleet.domain.requests.reading import fits, move_of, subject_of
from fleet.domain.requests.records import MetricsFacts, Subject

PROCESS_START = "process_start_time_seconds"


class Series(NamedTuple):
    """One series of a page: whose it is, what it counts, and the rest that tells it from others."""

    subject: Subject
    move: Move
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Whose page it is. labels: what a scrape would add (namespace, pod, and of queue-proxy the
    revision under the names of its era)."""

    program: Program
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCounts:
    """process_started: seconds since the epoch, None where the page does not say.

    in_flight, queued: depths of now.
    """

    counters: Mapping[Series, float]
    in_flight: Mapping[Subject, float]
    queued: Mapping[Subject, float]
    process_started: float | None


def counts_of(text: str, target: Target, facts: MetricsFacts) -> PageCounts:
    """What a page says. What the target is called stands before what its page calls itself: a pod
    is not to speak for another's."""
    counted = _counted(target.program, facts)
    depths = _depths(target.program, facts)
    counters: dict[Series, float] = defaultdict(float)
    gauges: dict[str, dict[Subject, float]] = {name: defaultdict(float) for name in depths}
    started = None
    for sample in samples(text, wanted={PROCESS_START, *counted, *depths}):
        if sample.name == PROCESS_START:
            started = sample.value
            continue
        labels = {**sample.labels, **target.labels}
        subject = subject_of(target.program, labels, facts)
        if subject is None:
            continue
        if sample.name in depths:
            gauges[sample.name][subject] += sample.value
        for one in counted.get(sample.name, ()):
            _count(counters, one, subject, sample, labels)
    in_flight, queued = _by_meaning(gauges, depths)
    return PageCounts(
        counters=counters, in_flight=in_flight, queued=queued, process_started=started
    )


def _count(
    counters: dict[Series, float],
    counted: Counted,
    subject: Subject,
    sample: Sample,
    labels: Mapping[str, str],
) -> None:
    if not fits(counted, labels):
        return
    move = move_of(counted, labels)
    if move is not None:
        counters[Series(subject, move, tuple(sample.labels.items()))] += sample.value


def _counted(program: Program, facts: MetricsFacts) -> dict[str, list[Counted]]:
    found: dict[str, list[Counted]] = defaultdict(list)
    every = eras.counters_of(
        era=facts.era, ingress=facts.ingress, picker=facts.picker, vllm=facts.vllm
    )
    for counted in every:
        if counted.program is program:
            found[counted.metric].append(counted)
    return found


IN_FLIGHT, QUEUED = "in flight", "queued"


def _depths(program: Program, facts: MetricsFacts) -> dict[str, str]:
    """Names of gauges by what they mean."""
    if program is Program.VLLM and facts.vllm:
        running, waiting = eras.ENGINE_RUNNING, eras.ENGINE_WAITING
        return {f"{facts.vllm}{running}": IN_FLIGHT, f"{facts.vllm}{waiting}": QUEUED}
    found = {}
    for table, meaning in ((eras.IN_FLIGHT, IN_FLIGHT), (eras.QUEUED, QUEUED)):
        gauge = table.get(facts.era)
        if gauge is not None and gauge.program is program:
            found[gauge.metric] = meaning
    return found


def _by_meaning(
    gauges: Mapping[str, Mapping[Subject, float]], depths: Mapping[str, str]
) -> tuple[dict[Subject, float], dict[Subject, float]]:
    found: dict[str, dict[Subject, float]] = {IN_FLIGHT: {}, QUEUED: {}}
    for name, values in gauges.items():
        found[depths[name]].update(values)
    return found[IN_FLIGHT], found[QUEUED]

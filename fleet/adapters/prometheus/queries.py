"""The queries as a table: one for each figure, for all models at once, by what is found here."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from fleet.adapters.prometheus.promql import BACK, WINDOW, any_of, exact, selector_of
from fleet.domain.requests import eras
from fleet.domain.requests.eras import Counted, Program, Timed
from fleet.domain.requests.found import ENGINE_LAST
from fleet.domain.requests.moves import Role
from fleet.domain.requests.records import Era, MetricsFacts

FIGURE = "figure"
SHARE = 0.95
ENVOY_CLUSTERS = "[^/|]+/[^/|]+|(httproute|grpcroute)/.+"


class Depth(StrEnum):
    """What a figure that is no count means."""

    IN_FLIGHT = "in-flight"
    QUEUED = "queued"
    P95 = "p95"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One part of a query. means: a counter's rows are moves. unit_s, last_s: of p95, seconds in a
    unit of its bounds, and the last bound, past which nothing is known."""

    name: str
    program: Program
    means: Counted | Depth
    promql: str
    unit_s: float = 1.0
    last_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """about: what is asked, for people. figures: several are told apart by a label of that name."""

    about: str
    figures: tuple[Figure, ...]

    @property
    def promql(self) -> str:
        if len(self.figures) == 1:
            return self.figures[0].promql
        return " or ".join(
            f'label_replace({one.promql}, "{FIGURE}", "{one.name}", "", "")' for one in self.figures
        )

    def figure_of(self, labels: Mapping[str, str]) -> Figure | None:
        """The part that a row of the answer belongs to."""
        if len(self.figures) == 1:
            return self.figures[0]
        return next((one for one in self.figures if one.name == labels.get(FIGURE)), None)


def queries_of(facts: MetricsFacts) -> list[Query]:
    """All that is asked in a step; at most 12."""
    found = [query for row in TABLE for query in row(facts)]
    return [query for query in found if query.figures]


def _jobs(program: Program, facts: MetricsFacts) -> dict[str, str]:
    jobs = facts.jobs.get(program, ())
    return {"job": f"~{any_of(jobs)}"} if jobs else {}


def _targets(program: Program, facts: MetricsFacts) -> str:
    return selector_of("", _jobs(program, facts))


def _matchers(program: Program, facts: MetricsFacts) -> dict[str, str]:
    """Whose series are meant, where other programs use the same names."""
    if program in (Program.INGRESS, Program.PICKER):
        return _ingress_matchers(program, facts)
    if facts.era is Era.OPENCENSUS and program is not Program.VLLM:
        return {}
    return _jobs(program, facts) | _apart(program, facts)


def _ingress_matchers(program: Program, facts: MetricsFacts) -> dict[str, str]:
    envoys = (eras.KOURIER, eras.ENVOY_GATEWAY)
    if program is Program.INGRESS and facts.ingress in envoys:
        return {"envoy_cluster_name": f"~{ENVOY_CLUSTERS}"}
    return {}


def _apart(program: Program, facts: MetricsFacts) -> dict[str, str]:
    """One job may read activator and queue-proxies; only the latter label the route's tag."""
    roles = (Program.ACTIVATOR, Program.QUEUE_PROXY)
    first, second = (frozenset(facts.jobs.get(role, ())) for role in roles)
    if program not in roles or not first & second:
        return {}
    return {"kn_route_tag": "!" if program is Program.QUEUE_PROXY else ""}


def identity_labels(program: Program, facts: MetricsFacts) -> tuple[str, ...]:
    """Labels that say whose a series is."""
    if program is Program.INGRESS:
        return INGRESS_LABELS.get(facts.ingress, ())
    if program in (Program.PICKER, Program.VLLM):
        return ("namespace", "pod")
    by_pod = program is Program.QUEUE_PROXY and facts.queue_proxy == "pod"
    return ("namespace", "pod") if by_pod else eras.REVISION_LABELS[facts.era]


INGRESS_LABELS: Mapping[str, tuple[str, ...]] = {
    eras.ISTIO: ("destination_service_namespace", "destination_service_name"),
    eras.KOURIER: ("envoy_cluster_name",),
    eras.ENVOY_GATEWAY: ("envoy_cluster_name",),
    eras.NGINX: ("exported_namespace", "namespace", "exported_service", "service"),
}


def _named(expression: str, program: Program, facts: MetricsFacts) -> str:
    """With the revision from target_info where the series itself does not name it."""
    if program is not Program.QUEUE_PROXY or facts.queue_proxy != "target-info":
        return expression
    labels = ", ".join(eras.REVISION_LABELS[facts.era])
    info = f'last_over_time(target_info{{{eras.REVISION_LABELS[facts.era][1]}!=""}}[{BACK}])'
    one = f"max by (job, instance, {labels}) ({info})"
    return f"({expression} * on (job, instance) group_left ({labels}) {one})"


def _count(counted: Counted, facts: MetricsFacts) -> Figure:
    program = counted.program
    selector = selector_of(counted.metric, {**(counted.only or {}), **_matchers(program, facts)})
    moved = _named(exact(selector, _targets(program, facts)), program, facts)
    labels = (*identity_labels(program, facts), counted.code, counted.error, counted.port)
    by = ", ".join(label for label in labels if label)
    name = f"{counted.role}-{counted.fixed_code or (counted.code and 'code') or 'left'}"
    promql = f"(sum by ({by}) ({moved}) > 0)"
    return Figure(name=name, program=program, means=counted, promql=promql)


def _depth(metric: str, program: Program, facts: MetricsFacts, *, means: Depth) -> Figure:
    selector = selector_of(metric, _matchers(program, facts))
    by = ", ".join(identity_labels(program, facts))
    promql = f"(sum by ({by}) (max_over_time({selector}[{WINDOW}])) > 0)"
    return Figure(name=means, program=program, means=means, promql=promql)


def _p95(timed: Timed, facts: MetricsFacts, *, last: float | None) -> Figure:
    program = timed.program
    selector = selector_of(f"{timed.metric}_bucket", _matchers(program, facts))
    moved = _named(exact(selector, _targets(program, facts)), program, facts)
    by = ", ".join(("le", *identity_labels(program, facts)))
    return Figure(
        name=Depth.P95,
        program=program,
        means=Depth.P95,
        promql=f"histogram_quantile({SHARE}, sum by ({by}) ({moved}))",
        unit_s=timed.unit_s,
        last_s=last,
    )


def _knative_counts(facts: MetricsFacts) -> Iterator[Query]:
    for counted in eras.KNATIVE[facts.era]:
        if facts.jobs.get(counted.program):
            yield Query(about=f"{counted.role} counts", figures=(_count(counted, facts),))


def _knative_depths(facts: MetricsFacts) -> Iterator[Query]:
    figures = []
    for table, means in ((eras.IN_FLIGHT, Depth.IN_FLIGHT), (eras.QUEUED, Depth.QUEUED)):
        gauge = table.get(facts.era)
        if gauge is not None and facts.jobs.get(gauge.program):
            figures.append(_depth(gauge.metric, gauge.program, facts, means=means))
    yield Query(about="requests in the activator", figures=tuple(figures))


def _knative_p95(facts: MetricsFacts) -> Iterator[Query]:
    timed = eras.TIMED.get(facts.era)
    if timed is not None and facts.jobs.get(timed.program):
        last = KNATIVE_LAST_S[facts.era]
        yield Query(about="queue-proxy durations", figures=(_p95(timed, facts, last=last),))


# Source: otelhttp's bounds; knative/serving pkg/queue of the OpenCensus era.
KNATIVE_LAST_S = {Era.OPENCENSUS: 100.0, Era.TRANSITION: 10.0, Era.OPENTELEMETRY: 10.0}


def _ingress_counts(facts: MetricsFacts) -> Iterator[Query]:
    counted = eras.INGRESSES.get(facts.ingress, ())
    figures = tuple(_count(one, facts) for one in counted)
    yield Query(about=f"{facts.ingress} counts", figures=figures)


def _picker_counts(facts: MetricsFacts) -> Iterator[Query]:
    figures = tuple(_count(one, facts) for one in eras.PICKERS.get(facts.picker, ()))
    yield Query(about="endpoint picker errors", figures=figures)


def _engine_counts(facts: MetricsFacts) -> Iterator[Query]:
    if facts.vllm and Role.ENGINE in facts.jobs:
        yield Query(about="vLLM counts", figures=(_count(eras.ENGINE, facts),))


def _engine_depths(facts: MetricsFacts) -> Iterator[Query]:
    if facts.vllm:
        pairs = (
            (eras.ENGINE_RUNNING, Depth.IN_FLIGHT),
            (eras.ENGINE_WAITING, Depth.QUEUED),
        )
        figures = tuple(
            _depth(f"{facts.vllm}{name}", Program.VLLM, facts, means=means) for name, means in pairs
        )
        yield Query(about="requests in vLLM", figures=figures)


def _engine_p95(facts: MetricsFacts) -> Iterator[Query]:
    bounds = facts.jobs.get(ENGINE_LAST, ())
    if facts.vllm and bounds:
        timed = Timed(program=Program.VLLM, metric=f"{facts.vllm}{eras.ENGINE_TIMED}")
        yield Query(about="vLLM durations", figures=(_p95(timed, facts, last=float(bounds[0])),))


TABLE: tuple[Callable[[MetricsFacts], Iterator[Query]], ...] = (
    _knative_counts,
    _knative_depths,
    _knative_p95,
    _ingress_counts,
    _picker_counts,
    _engine_counts,
    _engine_depths,
    _engine_p95,
)

"""The queries, as a real Prometheus answers them: every recorded case, window by window."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fleet.adapters.prometheus.client import PrometheusAccess
from fleet.adapters.prometheus.queries import queries_of
from fleet.adapters.prometheus.reader import PrometheusReader
from fleet.domain.requests.records import Era, Hop, MetricsFacts
from tests.fleet.adapters.prometheus import cases, replay
from tests.lanes.servers import prometheus_server
from tests.lanes.tools import tool

pytestmark = pytest.mark.prometheus
NOTHING = "global: {scrape_interval: 1h}\nscrape_configs: []\n"


@pytest.fixture(scope="module")
def first() -> int:
    return replay.epoch(datetime.now(UTC))


@pytest.fixture(scope="module")
def url(first: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that has all recorded cases behind it."""
    program = tool("prometheus")
    assert program is not None
    data = replay.filled(tmp_path_factory.mktemp("cases"), first)
    with prometheus_server(program, config=NOTHING, data=data) as base:
        yield base


@pytest.fixture(scope="module")
def reader(url: str) -> Iterator[PrometheusReader]:
    found = PrometheusReader(PrometheusAccess(url=url))
    yield found
    found.close()


@pytest.fixture(scope="module")
def facts(reader: PrometheusReader, first: int) -> MetricsFacts:
    """As seen when the last case was just over."""
    return reader.look(now=replay.span_of(cases.names()[-1], first)[1])


def test_what_can_be_told_is_found_by_asking(facts: MetricsFacts) -> None:
    assert (facts.era, facts.queue_proxy) == (Era.OPENTELEMETRY, "relabelled")
    assert facts.told == {Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER}
    assert facts.version.startswith("2.")
    assert [advice.code for advice in facts.advice] == ["no-ingress-metrics", "no-vllm"]


def test_a_step_is_twelve_questions_at_most(facts: MetricsFacts) -> None:
    assert len(queries_of(facts)) <= 12


@pytest.mark.parametrize("name", cases.names())
def test_each_case_is_found_in_its_window_and_nowhere_else(
    name: str, reader: PrometheusReader, facts: MetricsFacts, first: int
) -> None:
    since, until = replay.span_of(name, first)
    found = reader.windows(facts, since=since, until=until)
    counted = [w for w in found if w.tally.requests or w.tally.lost or w.tally.broken]
    wanted = [tally for tally in cases.tallies_of_case(name).values() if tally.requests]
    assert [dict(w.tally.errors) for w in counted] == [dict(t.errors) for t in wanted]
    for window, tally in zip(counted, wanted, strict=True):
        assert window.at == since + timedelta(seconds=replay.CHANGES_AT_S)
        got = (window.tally.requests, window.tally.client_gone)
        assert got == (tally.requests, tally.client_gone)
        assert (window.tally.broken, window.tally.cut) == (tally.broken, tally.cut)


@pytest.mark.parametrize("identity", ["pod", "target-info"])
def test_queue_proxy_without_relabelling_is_known_by_its_pod_or_by_a_join(
    identity: str, first: int, tmp_path: Path
) -> None:
    program = tool("prometheus")
    assert program is not None
    data = replay.filled(tmp_path, first, identity=identity)
    with prometheus_server(program, config=NOTHING, data=data) as base:
        reader = PrometheusReader(PrometheusAccess(url=base))
        for name in replay.SOME:
            since, until = replay.span_of(name, first)
            facts = reader.look(now=until)
            assert facts.queue_proxy == identity
            found = reader.windows(facts, since=since, until=until)
            (wanted,) = cases.tallies_of_case(name).values()
            assert [dict(w.tally.errors) for w in found if w.tally.requests] == [wanted.errors]
        reader.close()

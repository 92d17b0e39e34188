"""Every way in which a call can end, in each era, held to what really happened in a simulated
world: with all programs read, and without the ingress."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from fleet.adapters.prometheus.counts import PageCounts
from fleet.domain.requests.eras import Program
from fleet.domain.requests.records import Hop, MetricsFacts
from simulator.world.answers import Call
from simulator.world.cluster import Ingress
from simulator.world.passages import Fate
from tests.fleet.adapters.prometheus.simulated import (
    ALL,
    ERAS,
    errors_told,
    facts_of,
    read,
    tally_of,
)
from tests.simulator.metering.metered import CALL, STREAM, Metered, metered

Version = tuple[int, int] | None
CLUSTERS: list[tuple[Version, Ingress]] = [
    ((1, 18), Ingress.ISTIO),
    ((1, 18), Ingress.KOURIER),
    ((1, 20), Ingress.KOURIER),
    ((1, 21), Ingress.ISTIO),
    (None, Ingress.ENVOY_GATEWAY),
    (None, Ingress.ISTIO),
]
IMPATIENT = replace(CALL, patience_s=5.0)


def _afflicted(fate: Fate, call: Call = CALL, **more: object) -> Callable[[Metered], None]:
    def happen(at: Metered) -> None:
        at.afflict(fate, **more)
        at.call(call, times=5)

    return happen


ENDINGS = [
    pytest.param(_afflicted(Fate.ANSWERED, status=500), id="the model answers 500"),
    pytest.param(_afflicted(Fate.ANSWERED, status=503), id="the model answers 503"),
    pytest.param(_afflicted(Fate.REFUSED), id="the model refuses connections"),
    pytest.param(_afflicted(Fate.ANSWERED, slower_s=1000.0), id="slower than the time-out"),
    pytest.param(_afflicted(Fate.UNREACHABLE), id="the activator does not reach the pod"),
    pytest.param(_afflicted(Fate.ANSWERED, IMPATIENT, slower_s=30.0), id="callers leave"),
    pytest.param(_afflicted(Fate.BROKEN, STREAM), id="streams break"),
    pytest.param(_afflicted(Fate.NO_ENDPOINT), id="the ingress has no endpoint"),
    pytest.param(_afflicted(Fate.NO_CONNECTION), id="the ingress gets no connection"),
]


def happened(
    at: Metered, facts: MetricsFacts, ending: Callable[[Metered], None]
) -> dict[tuple[str, str], PageCounts]:
    """Some good calls, the bad ones, good ones again; the pages between the first two."""
    at.call(times=3)
    at.at.run(60)
    before = read(at, facts)
    at.told()
    at.windows.clear()
    ending(at)
    at.at.run(700)
    at.afflict()
    at.call(times=4)
    at.at.run(60)
    return before


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("knative", "ingress"), CLUSTERS)
def test_every_ending_is_counted_where_it_happened(
    knative: Version, ingress: Ingress, ending: Callable[[Metered], None]
) -> None:
    at, facts = metered(knative=knative, ingress=ingress), facts_of(ERAS[knative], str(ingress))
    before = happened(at, facts, ending)
    tally, told = tally_of(at, before, facts), at.told()
    assert dict(tally.errors) == errors_told(told)
    assert (tally.requests, tally.client_gone) == (told["requests"], told["client_gone"])


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("knative", [(1, 20), (1, 21)])
def test_without_the_ingress_only_its_own_errors_are_unknown(
    knative: Version, ending: Callable[[Metered], None]
) -> None:
    at, facts = metered(knative=knative), facts_of(ERAS[knative], "istio")
    before = happened(at, facts, ending)
    tally, told = tally_of(at, before, facts, programs=ALL - {Program.INGRESS}), at.told()
    inside = {place: n for place, n in errors_told(told).items() if place[0] != "ingress"}
    assert dict(tally.errors) == inside
    assert Hop.INGRESS not in tally.told
    assert tally.client_gone == told["client_gone"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_with_the_activator_alone_no_count_is_above_the_truth(
    ending: Callable[[Metered], None],
) -> None:
    at, facts = metered(), facts_of(ERAS[1, 21], "istio")
    before = happened(at, facts, ending)
    tally = tally_of(at, before, facts, programs={Program.ACTIVATOR})
    truth = errors_told(at.told())
    assert all(count <= truth.get(place, 0) for place, count in tally.errors.items())
    assert tally.told == {Hop.ACTIVATOR}
    assert tally.at_least == {Hop.QUEUE_PROXY, Hop.CONTAINER}


@pytest.mark.parametrize(
    ("ending", "errors"),
    [
        pytest.param(
            _afflicted(Fate.ANSWERED, IMPATIENT, slower_s=30.0),
            {(Hop.QUEUE_PROXY, 502): 5},
            id="a canceled call is a 502 like one that failed",
        ),
        pytest.param(_afflicted(Fate.BROKEN, STREAM), {}, id="the server's own counter knows"),
    ],
)
def test_up_to_1_18_without_an_ingress_callers_that_leave_cannot_be_told(
    ending: Callable[[Metered], None], errors: dict[tuple[Hop, int], int]
) -> None:
    at, facts = metered(knative=(1, 18)), facts_of(ERAS[1, 18], "istio")
    before = happened(at, facts, ending)
    tally = tally_of(at, before, facts, programs=ALL - {Program.INGRESS})
    assert (dict(tally.errors), tally.client_gone) == (errors, None)

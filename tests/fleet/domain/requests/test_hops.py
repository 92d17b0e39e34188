"""Who made each 5xx, where recordings have no such case: other eras, parts that are not read, an
ingress in front, programs that are read at different moments."""

from collections import Counter

import pytest

from fleet.domain.requests.eras import KNATIVE
from fleet.domain.requests.hops import tallies_of, told_hops
from fleet.domain.requests.moves import Move, Moves, Role, Sight, Way
from fleet.domain.requests.records import Era, Hop, SubjectKind, Tally

OT = frozenset(counted.role for counted in KNATIVE[Era.OPENTELEMETRY])
OC = frozenset(counted.role for counted in KNATIVE[Era.OPENCENSUS])
NEW = Sight(era=Era.OPENTELEMETRY, roles=OT)
OLD = Sight(era=Era.OPENCENSUS, roles=OC)
ISTIO = Sight(era=Era.OPENTELEMETRY, roles=OT | {Role.INGRESS}, ingress="istio")
KOURIER = Sight(era=Era.OPENTELEMETRY, roles=OT | {Role.INGRESS, Role.HINT}, ingress="kourier")
ONLY_ACTIVATOR = Sight(era=Era.OPENTELEMETRY, roles=frozenset({Role.ACTIVATOR, Role.TRIED}))
ENVOY = frozenset({Role.INGRESS, Role.HINT, Role.ENGINE, Role.PICKER})
STANDARD = Sight(roles=ENVOY, ingress="envoy-gateway")
Errors = dict[tuple[Hop, int], int]


def sa(code: int, n: int) -> Moves:
    return {Move(Role.ACTIVATOR, code): n}


def ca(code: int, n: int, error: str = "") -> Moves:
    return {Move(Role.TRIED, code, error): n}


def sq(code: int, n: int, way: Way = Way.PROXIED) -> Moves:
    return {Move(Role.QUEUE_PROXY, code, "", way): n}


def cq(code: int, n: int, error: str = "") -> Moves:
    return {Move(Role.ASKED, code, error): n}


def app(code: int, n: int) -> Moves:
    return {Move(Role.APP, code): n}


def edge(code: int, n: int, flags: str = "-") -> Moves:
    return {Move(Role.INGRESS, code, flags): n}


def plain(role: Role, code: int, n: int) -> Moves:
    return {Move(role, code): n}


def old(code: int, n: int) -> Moves:
    return {Move(Role.QUEUE_PROXY, code): n}


def together(*moves: Moves) -> Moves:
    found: Counter[Move] = Counter()
    for some in moves:
        found.update(some)
    return found


@pytest.mark.parametrize(
    ("sight", "moves", "errors"),
    [
        pytest.param(
            NEW,
            together(sa(504, 3), sq(504, 3), cq(504, 3), app(504, 3), ca(504, 3)),
            {(Hop.CONTAINER, 504): 3},
            id="the model answers 504 itself",
        ),
        pytest.param(
            NEW,
            together(sq(502, 2, Way.PAST), cq(502, 2), app(502, 2)),
            {(Hop.CONTAINER, 502): 2},
            id="the model answers 502 itself",
        ),
        pytest.param(
            OLD,
            together(sa(500, 3), old(500, 3), app(500, 3), sa(503, 2), old(503, 2)),
            {(Hop.CONTAINER, 500): 3, (Hop.QUEUE_PROXY, 503): 2},
            id="oldest era: what the handler did not answer, queue-proxy did",
        ),
        pytest.param(
            OLD,
            together(sa(504, 4), old(504, 1), app(502, 1), old(200, 9)),
            {(Hop.QUEUE_PROXY, 504): 1, (Hop.ACTIVATOR, 504): 3},
            id="oldest era, some come past the activator: too slow is queue-proxy's, held is not",
        ),
        pytest.param(
            OLD,
            together(sa(504, 4), sa(200, 9), old(504, 4), app(502, 4), old(200, 9)),
            {(Hop.ACTIVATOR, 504): 4},
            id="oldest era, all come through the activator: its clock began first",
        ),
        pytest.param(
            ONLY_ACTIVATOR,
            together(sa(500, 5), ca(500, 3), sa(502, 2), ca(502, 1), ca(0, 1, "net.OpError")),
            {(Hop.CONTAINER, 500): 3, (Hop.QUEUE_PROXY, 502): 1, (Hop.ACTIVATOR, 502): 1},
            id="only the activator is read: what it was answered leaves no doubt",
        ),
        pytest.param(
            ISTIO,
            together(edge(504, 3, "UT"), edge(503, 2, "UF,URX"), sa(200, 3), edge(200, 0)),
            {(Hop.INGRESS, 504): 3, (Hop.INGRESS, 503): 2},
            id="Istio says what it made itself",
        ),
        pytest.param(
            ISTIO,
            together(edge(504, 3, "UT"), sa(504, 3), sa(200, 1), edge(200, 1)),
            {(Hop.INGRESS, 504): 3},
            id="the ingress had answered already: nobody got the activator's 504",
        ),
        pytest.param(
            ISTIO,
            together(sa(502, 2), ca(502, 2), sq(502, 2), cq(0, 2, "net.OpError"), app(502, 2)),
            {(Hop.QUEUE_PROXY, 502): 2},
            id="calls past the ingress keep their errors",
        ),
        pytest.param(
            KOURIER,
            together(edge(503, 4, ""), sa(503, 1), ca(503, 1), sq(503, 1), cq(503, 1), app(503, 1)),
            {(Hop.INGRESS, 503): 3, (Hop.CONTAINER, 503): 1},
            id="Kourier: what came from nobody behind it",
        ),
    ],
)
def test_who_made_it(sight: Sight, moves: Moves, errors: Errors) -> None:
    (tally,) = tallies_of([moves], sight)
    assert dict(tally.errors) == errors


@pytest.mark.parametrize(
    ("sight", "moves", "errors"),
    [
        pytest.param(
            STANDARD,
            together(
                edge(500, 2, ""), edge(503, 5, ""), edge(200, 9, ""), plain(Role.ENGINE, 500, 2)
            ),
            {(Hop.CONTAINER, 500): 2, (Hop.INGRESS, 503): 5},
            id="the server's own count, and the rest",
        ),
        pytest.param(
            STANDARD,
            together(edge(503, 5, ""), edge(200, 9, ""), plain(Role.ENGINE, 500, 2)),
            {(Hop.CONTAINER, 503): 2, (Hop.INGRESS, 503): 3},
            id="the server counts classes: the codes are the ingress's",
        ),
        pytest.param(
            STANDARD,
            together(edge(503, 5, ""), plain(Role.PICKER, 503, 5), plain(Role.ENGINE, 200, 1)),
            {(Hop.PICKER, 503): 5},
            id="shed by the picker",
        ),
        pytest.param(
            STANDARD,
            together(edge(503, 5, ""), edge(500, 1, ""), plain(Role.HINT, 503, 4)),
            {(Hop.INGRESS, 503): 4, (Hop.CONTAINER, 500): 1},
            id="no count of the server: only what the gateway says of itself",
        ),
        pytest.param(
            Sight(roles=frozenset({Role.INGRESS}), ingress="istio"),
            together(edge(500, 2), edge(503, 3, "UH"), edge(0, 4, "DC")),
            {(Hop.CONTAINER, 500): 2, (Hop.INGRESS, 503): 3},
            id="Istio tells both",
        ),
    ],
)
def test_without_knative(sight: Sight, moves: Moves, errors: Errors) -> None:
    (tally,) = tallies_of([moves], sight, kind=SubjectKind.SERVICE)
    assert dict(tally.errors) == errors


SQ_ALONE = Sight(era=Era.OPENTELEMETRY, roles=frozenset({Role.QUEUE_PROXY}))
ENGINE_ALONE = Sight(roles=frozenset({Role.ENGINE}))


def test_queue_proxys_answers_alone_tell_little() -> None:
    moves = together(sq(500, 2), sq(502, 1), sq(503, 4), sq(504, 1), sq(200, 9))
    (tally,) = tallies_of([moves], SQ_ALONE)
    assert dict(tally.errors) == {
        (Hop.CONTAINER, 500): 2,
        (Hop.QUEUE_PROXY, 502): 1,
        (Hop.QUEUE_PROXY, 504): 1,
    }
    assert tally.told == frozenset()
    assert (tally.requests, tally.requests_at_least) == (17, True)


def test_a_servers_own_count_alone() -> None:
    moves = together(plain(Role.ENGINE, 500, 2), plain(Role.ENGINE, 200, 9))
    (tally,) = tallies_of([moves], ENGINE_ALONE, kind=SubjectKind.SERVICE)
    assert dict(tally.errors) == {(Hop.CONTAINER, 500): 2}
    assert tally.told == {Hop.CONTAINER}
    assert (tally.requests, tally.requests_at_least) == (11, True)


def total(tallies: list[Tally]) -> Errors:
    found: Counter[tuple[Hop, int]] = Counter()
    for tally in tallies:
        found.update(tally.errors)
    return dict(found)


def test_programs_read_at_different_moments_do_not_count_a_call_twice() -> None:
    first = together(edge(503, 3, ""), edge(200, 4, ""), sa(200, 2))
    second = together(sa(503, 3), ca(503, 3), sq(503, 3), cq(503, 3), app(503, 3), sa(200, 2))
    found = tallies_of([first, second], KOURIER)
    assert total(found) == {(Hop.CONTAINER, 503): 3}
    assert sum(tally.requests or 0 for tally in found) == 7


@pytest.mark.parametrize(
    ("sight", "told"),
    [
        pytest.param(NEW, {Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER}, id="no ingress read"),
        pytest.param(ONLY_ACTIVATOR, {Hop.ACTIVATOR}, id="the activator alone"),
        pytest.param(STANDARD, {Hop.INGRESS, Hop.PICKER, Hop.CONTAINER}, id="without Knative"),
        pytest.param(ISTIO, set(Hop) - {Hop.PICKER}, id="Istio before Knative"),
        pytest.param(Sight(), set(), id="nothing is read"),
    ],
)
def test_hops_that_can_be_told(sight: Sight, told: set[Hop]) -> None:
    assert told_hops(sight) == told


def test_bounds_are_marked() -> None:
    (through_activator,) = tallies_of([sa(200, 1)], ONLY_ACTIVATOR)
    (oldest,) = tallies_of([old(200, 1)], OLD)
    (newest,) = tallies_of([sa(200, 1)], NEW)
    assert through_activator.at_least == {Hop.QUEUE_PROXY, Hop.CONTAINER}
    assert (through_activator.requests, through_activator.requests_at_least) == (1, True)
    assert oldest.at_least == {Hop.ACTIVATOR}
    assert (newest.at_least, newest.requests_at_least) == (frozenset(), False)


def test_what_is_not_told_is_not_nothing() -> None:
    (tally,) = tallies_of([sa(200, 1)], ONLY_ACTIVATOR)
    assert tally.by_hop()[Hop.INGRESS] is None
    assert (tally.client_gone, tally.broken, tally.cut) == (0, None, None)


@pytest.mark.parametrize(
    ("moves", "gone", "broken", "cut"),
    [
        pytest.param(together(sa(500, 2)), 2, 0, 0, id="left while the activator held it"),
        pytest.param(
            together(sq(500, 2, Way.PAST), sq(500, 1), cq(500, 1), app(500, 1)),
            2,
            0,
            0,
            id="left while it waited in queue-proxy",
        ),
        pytest.param(
            together(sq(200, 3), cq(0, 3, "errors.errorString"), app(200, 3), sa(200, 3)),
            3,
            0,
            0,
            id="left before the first byte",
        ),
        pytest.param(
            together(cq(200, 5), app(500, 4), app(200, 1), sq(200, 3), sa(200, 3)),
            0,
            2,
            2,
            id="two streams broke, two were cut, one is whole",
        ),
        pytest.param(
            together(sq(503, 4, Way.PAST), cq(200, 2), app(500, 1), app(200, 1), sq(200, 1)),
            0,
            1,
            0,
            id="one broke while the queue was full",
        ),
    ],
)
def test_what_no_caller_got_as_a_5xx(moves: Moves, gone: int, broken: int, cut: int) -> None:
    (tally,) = tallies_of([moves], NEW)
    assert (tally.client_gone, tally.broken, tally.cut) == (gone, broken, cut)

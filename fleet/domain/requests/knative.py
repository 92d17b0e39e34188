"""Who made each 5xx between the activator and the container.

Sources: knative/serving pkg/activator/handler, pkg/queue, pkg/http/handler/timeout.go, and what
these programs counted for each kind of failure (docs/metrics.md).
"""

from fleet.domain.requests.columns import least, less, made_here, plus
from fleet.domain.requests.moves import Role, Sight, Way
from fleet.domain.requests.records import Hop
from fleet.domain.requests.table import Table

# Counts of one hop and code in consecutive windows.
Blame = dict[tuple[Hop, int], list[int]]
INNER = frozenset({Role.ACTIVATOR, Role.TRIED, Role.QUEUE_PROXY, Role.ASKED, Role.APP})
# Neither proxy answers 500 to anybody: both count it for a caller that left while it waited in
# their queue and, up to 1.18, for streams that broke.
SERVER_ERROR = 500
# Codes that queue-proxy answers for a container that gave no answer, or none in time.
NO_ANSWER, TOO_SLOW = 502, 504


def inner_blame(table: Table, sight: Sight) -> Blame:
    """By hop and code; of hops that nobody counts, what the others' counts leave no doubt about."""
    blame: Blame = {}
    for code in table.codes():
        if sight.sees(Role.QUEUE_PROXY):
            _queue_proxy(blame, table, sight, code=code)
        elif sight.sees(Role.TRIED):
            _behind_the_activator(blame, table, code=code)
        if sight.sees(Role.ACTIVATOR):
            _activator(blame, table, sight, code=code)
    return blame


def inner_told(sight: Sight) -> frozenset[Hop]:
    """Hops of a revision that can be told apart."""
    told: set[Hop] = set()
    if sight.sees(Role.QUEUE_PROXY) and _knows_container(sight):
        told |= {Hop.QUEUE_PROXY, Hop.CONTAINER}
    if sight.sees(Role.ACTIVATOR) and sight.roles & {Role.TRIED, Role.QUEUE_PROXY}:
        told.add(Hop.ACTIVATOR)
    return frozenset(told)


def inner_at_least(sight: Sight) -> frozenset[Hop]:
    """Hops whose count is a lower bound: calls past the activator hide behind those through it, or
    only the activator is read."""
    found: set[Hop] = set()
    if sight.sees(Role.ACTIVATOR) and not sight.sees(Role.TRIED):
        found.add(Hop.ACTIVATOR)
    if not sight.sees(Role.QUEUE_PROXY) or not _knows_container(sight):
        found |= {Hop.QUEUE_PROXY, Hop.CONTAINER}
    return frozenset(found)


def from_container(table: Table, sight: Sight, *, code: int) -> list[int]:
    """What the container answered itself. Its client series is the clean witness; the histogram
    also holds what queue-proxy made up (502) and, of timeouts, another code than was sent."""
    if sight.sees(Role.ASKED):
        return table.column(Role.ASKED, code=code)
    queue = table.column(Role.QUEUE_PROXY, code=code)
    if code in (NO_ANSWER, TOO_SLOW):
        return [0] * table.length
    if sight.sees(Role.APP):
        return least(_by_engine(table, sight, code=code), queue)
    return queue if code == SERVER_ERROR else [0] * table.length


def _by_engine(table: Table, sight: Sight, *, code: int) -> list[int]:
    """The histogram says 500 for streams that broke too; the server's own counter does not."""
    app = table.column(Role.APP, code=code)
    if code != SERVER_ERROR or not sight.sees(Role.ENGINE) or not table.has({Role.ENGINE}):
        return app
    return less(app, made_here(app, table.column(Role.ENGINE, code=SERVER_ERROR)))


def _queue_proxy(blame: Blame, table: Table, sight: Sight, *, code: int) -> None:
    container = from_container(table, sight, code=code)
    blame[Hop.CONTAINER, code] = container
    own = made_here(table.column(Role.QUEUE_PROXY, code=code), container)
    if code == TOO_SLOW and sight.sees(Role.ACTIVATOR):
        own = least(own, _slow_past_the_activator(table, sight))
    if code in (NO_ANSWER, TOO_SLOW) or (code != SERVER_ERROR and _knows_container(sight)):
        blame[Hop.QUEUE_PROXY, code] = own


def _knows_container(sight: Sight) -> bool:
    """Without its answers, a 503 of queue-proxy may be the one or the other."""
    return bool(sight.roles & {Role.ASKED, Role.APP})


def _slow_past_the_activator(table: Table, sight: Sight) -> list[int]:
    """504 of calls that the activator did not see: of those it saw, it makes its own."""
    queue = table.column(Role.QUEUE_PROXY, code=TOO_SLOW)
    if sight.sees(Role.TRIED):
        return table.column(Role.QUEUE_PROXY, code=TOO_SLOW, way=Way.PAST)
    return queue if _comes_past(table) else made_here(queue, _at_activator(table, TOO_SLOW))


def _comes_past(table: Table) -> bool:
    """Where series do not tell the way: whether queue-proxy counts more than the activator."""
    return any(made_here(table.column(Role.QUEUE_PROXY), table.column(Role.ACTIVATOR)))


def _at_activator(table: Table, code: int) -> list[int]:
    return table.column(Role.ACTIVATOR, code=code)


def _behind_the_activator(blame: Blame, table: Table, *, code: int) -> None:
    """Only what the activator was answered is known: queue-proxy answers 502 in the container's
    place, refuses nobody who comes through the activator, and its 504 is the activator's too."""
    received = table.column(Role.TRIED, code=code)
    if code == NO_ANSWER:
        blame[Hop.QUEUE_PROXY, code] = received
    elif code != TOO_SLOW:
        blame[Hop.CONTAINER, code] = received


def _activator(blame: Blame, table: Table, sight: Sight, *, code: int) -> None:
    answered = _at_activator(table, code)
    if code == TOO_SLOW and (sight.sees(Role.TRIED) or not _comes_past(table)):
        blame[Hop.ACTIVATOR, code] = made_here(answered, _slow_container(blame, table))
    elif code != SERVER_ERROR:
        blame[Hop.ACTIVATOR, code] = made_here(answered, _received(table, sight, code=code))


def _slow_container(blame: Blame, table: Table) -> list[int]:
    """504 that the container itself answered through the activator. Those of queue-proxy are the
    activator's own: its clock began first, both count the call, the caller got the activator's."""
    container = blame.get((Hop.CONTAINER, TOO_SLOW), [0] * table.length)
    return least(container, table.column(Role.QUEUE_PROXY, code=TOO_SLOW, way=Way.PROXIED))


def _received(table: Table, sight: Sight, *, code: int) -> list[int]:
    if sight.sees(Role.TRIED):
        return table.column(Role.TRIED, code=code)
    return table.column(Role.QUEUE_PROXY, code=code)


def left(table: Table, sight: Sight) -> list[int] | None:
    """Callers that left before an answer; None where a call that was canceled and one that failed
    are counted alike."""
    if not sight.sees(Role.ACTIVATOR, Role.TRIED) and not sight.sees(Role.ASKED):
        return None
    held = made_here(
        table.column(Role.ACTIVATOR, code=SERVER_ERROR),
        table.column(Role.TRIED, code=SERVER_ERROR),
    )
    failed = table.column(Role.ASKED, failed=True)
    answered = [_own(table, code=code) for code in (NO_ANSWER, TOO_SLOW)]
    queued = _own(table, code=SERVER_ERROR) if sight.sees(Role.ASKED) else [0] * table.length
    return plus(held, queued, made_here(failed, plus(*answered)))


def _own(table: Table, *, code: int) -> list[int]:
    """What queue-proxy answered itself, whichever way the call came."""
    asked = table.column(Role.ASKED, code=code)
    return made_here(table.column(Role.QUEUE_PROXY, code=code), asked)


def broken(table: Table, sight: Sight) -> list[int] | None:
    """Streams that ended unfinished: the container's handler is counted, an answer is not. None
    where they are counted as 500."""
    if not sight.sees(Role.APP, Role.QUEUE_PROXY, Role.ASKED):
        return None
    unheard = plus(_own(table, code=503), _own(table, code=SERVER_ERROR))
    return made_here(table.column(Role.APP), less(table.column(Role.QUEUE_PROXY), unheard))


def cut(table: Table, unfinished: list[int] | None) -> list[int] | None:
    """Streams that a time-out cut: the handler's 500 that the container did not answer, and that
    did not break."""
    if unfinished is None:
        return None
    own = made_here(table.column(Role.APP, code=500), table.column(Role.ASKED, code=500))
    return made_here(own, unfinished)


def requests(table: Table, sight: Sight, unfinished: list[int] | None) -> list[int] | None:
    """What callers sent to the revision, each once; None where nobody counts."""
    streams = unfinished or [0] * table.length
    if sight.sees(Role.ACTIVATOR):
        through = table.column(Role.ACTIVATOR)
        if not sight.sees(Role.TRIED):
            queue = table.column(Role.QUEUE_PROXY)
            return plus(queue, made_here(through, queue), streams)
        past = table.column(Role.QUEUE_PROXY, way=Way.PAST)
        return plus(through, past, streams)
    if sight.sees(Role.QUEUE_PROXY):
        return plus(table.column(Role.QUEUE_PROXY), streams)
    return None

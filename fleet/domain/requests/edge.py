"""What the ingress and the endpoint picker made, and what of the inner hops' errors callers got.

Sources: Envoy's response flags and cluster statistics (router.cc, chargeUpstreamCode: a cluster
also counts the codes that Envoy makes in its name), Istio's standard metrics.
"""

from collections.abc import Callable, Sequence

from fleet.domain.requests.columns import least, less, made_here, plus
from fleet.domain.requests.knative import Blame
from fleet.domain.requests.moves import Move, Role, Sight
from fleet.domain.requests.records import Hop
from fleet.domain.requests.table import Table

# Only Istio says beside each code who made it.
FLAGGING = "istio"
NO_FLAG = frozenset({"", "-"})
# Downstream closed; no code, or what a proxy writes down for that.
LEFT_FLAG = "DC"
LEFT_CODES = frozenset({0, 499})
# Envoy makes none of these for a plain route; a model server answers 500 first of all.
CONTAINERS_FIRST = (500, 501, 505, 507, 503, 502, 504)
# What the inner hops answered to nobody is taken from the outermost first: it held the call.
OUTSIDE_IN = (Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER)


def _is_left(move: Move) -> bool:
    gone = LEFT_FLAG in move.error.split(",") and (move.code == 0 or move.code >= 400)
    return gone or move.code in LEFT_CODES


def callers_left(table: Table) -> list[int]:
    """Callers that the ingress saw leave."""
    return _sum(table, lambda move: move.role is Role.INGRESS and _is_left(move))


def seen_at_edge(table: Table) -> list[int]:
    """All requests that the ingress took for this subject."""
    return table.column(Role.INGRESS)


def answered(table: Table, *, code: int) -> list[int]:
    """Codes that callers got from or through the ingress, without those it flags as its own."""
    return _sum(
        table,
        lambda move: (
            move.role is Role.INGRESS
            and move.code == code
            and not _is_left(move)
            and move.error in NO_FLAG
        ),
    )


def _flagged(table: Table, *, code: int) -> list[int]:
    return _sum(
        table,
        lambda move: (
            move.role is Role.INGRESS
            and move.code == code
            and not _is_left(move)
            and move.error not in NO_FLAG
        ),
    )


def _sum(table: Table, wanted: Callable[[Move], bool]) -> list[int]:
    columns = [counts for move, counts in table.columns.items() if wanted(move)]
    return plus(*columns) if columns else [0] * table.length


def picker_blame(table: Table) -> Blame:
    """Errors that the picker made itself."""
    codes = {move.code for move in table.columns if move.role is Role.PICKER and move.code >= 500}
    return {(Hop.PICKER, code): table.column(Role.PICKER, code=code) for code in sorted(codes)}


def in_front_of_knative(table: Table, sight: Sight, behind: Blame) -> Blame:
    """What the ingress made. behind: what the hops behind it made and callers got."""
    if sight.ingress == FLAGGING:
        return _by_flags(table)
    return {
        (Hop.INGRESS, code): made_here(answered(table, code=code), _of_code(behind, table, code))
        for code in table.codes()
    }


def _by_flags(table: Table) -> Blame:
    return {(Hop.INGRESS, code): _flagged(table, code=code) for code in table.codes()}


def container_blame(table: Table, sight: Sight, picker: Blame) -> Blame:
    """Without Knative in the path: what came from behind the ingress and is not the picker's."""
    codes = table.codes()
    if sight.ingress == FLAGGING and sight.sees(Role.INGRESS):
        return {
            (Hop.CONTAINER, code): made_here(
                answered(table, code=code), _of_code(picker, table, code)
            )
            for code in codes
        }
    if not sight.sees(Role.INGRESS):
        engine = [(code, table.column(Role.ENGINE, code=code)) for code in codes]
        return {(Hop.CONTAINER, code): counts for code, counts in engine}
    return _by_what_is_left(table, picker)


def _by_what_is_left(table: Table, picker: Blame) -> Blame:
    """The server's own counter knows no codes: they are taken from those that came through."""
    blame: Blame = {}
    rest = table.column(Role.ENGINE, code=500)
    for code in (c for c in CONTAINERS_FIRST if c in table.codes()):
        through = made_here(answered(table, code=code), _of_code(picker, table, code))
        if not table.has({Role.ENGINE}):
            through = through if code == 500 else [0] * table.length
            blame[Hop.CONTAINER, code] = through
            continue
        foreign = made_here(through, rest)
        blame[Hop.CONTAINER, code] = less(through, foreign)
        rest = made_here(rest, through)
    return blame


def in_front_of_server(table: Table, sight: Sight, behind: Blame) -> Blame:
    """Without flags: what the server's own counter leaves over; without that one, what the gateway
    itself says of it."""
    if sight.ingress == FLAGGING:
        return _by_flags(table)
    blame: Blame = {}
    for code in table.codes():
        rest = made_here(answered(table, code=code), _of_code(behind, table, code))
        hinted = table.column(Role.HINT, code=code)
        blame[Hop.INGRESS, code] = rest if table.has({Role.ENGINE}) else least(rest, hinted)
    return blame


def _of_code(blame: Blame, table: Table, code: int) -> list[int]:
    columns = [counts for (_, made), counts in blame.items() if made == code]
    return plus(*columns) if columns else [0] * table.length


def reached(blame: Blame, table: Table, inner_requests: Sequence[int]) -> Blame:
    """The inner hops' errors without those that nobody got: the ingress had answered already, or
    the caller had left. Calls that came past the ingress keep theirs."""
    past = made_here(inner_requests, seen_at_edge(table))
    kept = dict(blame)
    for code in {code for _, code in blame}:
        too_many = less(made_here(_of_code(blame, table, code), answered(table, code=code)), past)
        for hop in OUTSIDE_IN:
            if (hop, code) in kept:
                taken = least(kept[hop, code], too_many)
                kept[hop, code] = less(kept[hop, code], taken)
                too_many = less(too_many, taken)
    return kept

"""From what each program counted to what became of the callers' requests, each call once."""

from collections.abc import Sequence

from fleet.domain.requests import edge, knative
from fleet.domain.requests.columns import made_here, plus
from fleet.domain.requests.knative import INNER, Blame
from fleet.domain.requests.moves import Moves, Role, Sight
from fleet.domain.requests.records import Hop, SubjectKind, Tally
from fleet.domain.requests.table import Table, table_of


def tallies_of(
    windows: Sequence[Moves], sight: Sight, *, kind: SubjectKind = SubjectKind.REVISION
) -> list[Tally]:
    """One tally a window; windows are consecutive, of one subject, oldest first.

    The outermost may err where a call is counted by one hop inside and by another outside: read
    some more around those that are asked for.
    """
    return tallies(table_of(windows), sight, kind=kind)


def tallies(table: Table, sight: Sight, *, kind: SubjectKind) -> list[Tally]:
    """The same from a table."""
    if kind is SubjectKind.REVISION and sight.roles & INNER:
        return _of_revision(table, sight)
    return _of_service(table, sight)


def told_hops(sight: Sight) -> frozenset[Hop]:
    """All that can be told apart on such a cluster, of one kind of model or another."""
    inner = knative.inner_told(sight)
    return inner | _told_of_service(sight) | _edge_told(sight, inner=bool(inner))


def _of_revision(table: Table, sight: Sight) -> list[Tally]:
    unfinished = knative.broken(table, sight)
    sent = knative.requests(table, sight, unfinished)
    gone = knative.left(table, sight)
    blame = knative.inner_blame(table, sight)
    inner_sent = sent or [0] * table.length
    if table.has({Role.INGRESS}):
        blame = edge.reached(blame, table, inner_sent)
        blame |= edge.in_front_of_knative(table, sight, blame)
        sent = plus(inner_sent, made_here(edge.seen_at_edge(table), inner_sent))
        gone = edge.callers_left(table)
    told = knative.inner_told(sight)
    return _tallies(
        blame,
        told=told | _edge_told(sight, inner=bool(told)),
        at_least=knative.inner_at_least(sight),
        columns=(sent, gone, unfinished, knative.cut(table, unfinished)),
        requests_at_least=not _sees_all(sight),
        length=table.length,
    )


def _of_service(table: Table, sight: Sight) -> list[Tally]:
    picker = edge.picker_blame(table)
    container = edge.container_blame(table, sight, picker)
    blame = picker | container
    if sight.sees(Role.INGRESS):
        blame |= edge.in_front_of_server(table, sight, blame)
    at_edge = table.has({Role.INGRESS})
    engine = table.column(Role.ENGINE)
    sent = edge.seen_at_edge(table) if at_edge else engine
    told = _told_here(table, sight)
    return _tallies(
        blame,
        told=told,
        at_least=frozenset(hop for hop, _ in blame if hop not in told),
        columns=(sent, edge.callers_left(table) if at_edge else None, None, None),
        requests_at_least=not sight.sees(Role.INGRESS),
        length=table.length,
    )


def _told_here(table: Table, sight: Sight) -> frozenset[Hop]:
    """Of one model: without a counter of its own, a server is not told from its gateway."""
    told = _told_of_service(sight)
    flagged = sight.ingress == edge.FLAGGING
    if not flagged and sight.sees(Role.INGRESS) and not table.has({Role.ENGINE}):
        told -= {Hop.INGRESS, Hop.CONTAINER}
    return told


def _told_of_service(sight: Sight) -> frozenset[Hop]:
    told: set[Hop] = set()
    flagged = sight.ingress == edge.FLAGGING and sight.sees(Role.INGRESS)
    if flagged or sight.sees(Role.ENGINE):
        told.add(Hop.CONTAINER)
    if flagged or sight.sees(Role.INGRESS, Role.ENGINE):
        told.add(Hop.INGRESS)
    if sight.sees(Role.PICKER):
        told.add(Hop.PICKER)
    return frozenset(told)


def _edge_told(sight: Sight, *, inner: bool) -> frozenset[Hop]:
    if not sight.sees(Role.INGRESS):
        return frozenset()
    return frozenset({Hop.INGRESS}) if inner or sight.ingress == edge.FLAGGING else frozenset()


def _sees_all(sight: Sight) -> bool:
    return sight.sees(Role.INGRESS) or sight.sees(Role.ACTIVATOR, Role.QUEUE_PROXY)


Column = list[int] | None


def _tallies(
    blame: Blame,
    *,
    told: frozenset[Hop],
    at_least: frozenset[Hop],
    columns: tuple[Column, Column, Column, Column],
    requests_at_least: bool,
    length: int,
) -> list[Tally]:
    """columns: requests, callers gone, streams broken and cut."""
    sent, gone, broken, cut = columns
    found = []
    for at in range(length):
        errors = {place: counts[at] for place, counts in blame.items() if counts[at]}
        found.append(
            Tally(
                requests=_at(sent, at),
                errors=errors,
                told=told,
                at_least=at_least,
                requests_at_least=requests_at_least,
                client_gone=_at(gone, at),
                broken=_at(broken, at),
                cut=_at(cut, at),
            )
        )
    return found


def _at(column: Column, at: int) -> int | None:
    return None if column is None else column[at]

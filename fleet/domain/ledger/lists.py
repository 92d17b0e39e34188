"""What a list should have shown and did not: it has ended while nobody watched."""

from collections.abc import Iterator, Mapping

from fleet.domain.ledger.places import Places
from fleet.domain.records.change import Listed, Record


def missing(listed: Listed, known: Mapping[str, Record | None], places: Places) -> Iterator[str]:
    """Uids of known objects that the list lacks. What could not be read is there."""
    shown = {record.meta.uid for record in listed.records}
    shown |= {item.uid for item in listed.odd}
    names = {item.name for item in listed.odd if not item.uid}
    for uid, record in known.items():
        if uid not in shown and _is_in_scope(listed, uid, record, places, names=names):
            yield uid


def _is_in_scope(
    listed: Listed, uid: str, record: Record | None, places: Places, *, names: set[str]
) -> bool:
    """Whether the list's namespace and narrowing cover the object."""
    place = places.by_uid.get(uid)
    if record is not None:
        namespace, name = record.meta.namespace, record.meta.name
    elif place is not None:
        replica = places.groups[place].replicas.get(uid)
        namespace, name = place.namespace, replica.evidence.name if replica else ""
    else:
        return True
    kind = place.kind if place is not None else ""
    covered = not listed.namespace or listed.namespace == namespace
    of_kind = not listed.model_kind or listed.model_kind == kind
    return covered and of_kind and name not in names

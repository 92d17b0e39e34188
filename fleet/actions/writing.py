"""Writing changes to a cluster: only while everything is as planned, and harmless when repeated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fleet.actions.problems import why_not
from fleet.domain.plans.check import differs, done
from fleet.domain.plans.fields import Raw, merge_body, value_at
from fleet.domain.plans.plan import Change, Notice, by_object
from fleet.errors import ClusterRefused, Conflict, CredentialsExpired
from fleet.ports import ClusterWriter, Patch

TRIES = 3


@dataclass(slots=True)
class Written:
    """What stands in the cluster now, and what kept the rest from being written."""

    changes: list[Change] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problem: Notice | None = None


def write(
    writer: ClusterWriter, changes: Sequence[Change], *, owners: Mapping[str, Any] | None
) -> Written:
    """Write object after object; stop at the first that is not as planned. owners: object -> field
    -> managers as seen with the plan; None = not compared. Raises only what may go away by itself:
    ClusterUnreachable, CredentialsExpired."""
    written = Written()
    for object_, group in by_object(changes):
        kept = None if owners is None else owners.get(object_, {}).get("owners", {})
        try:
            written.problem = _write_object(writer, object_, group, kept=kept, written=written)
        except CredentialsExpired:
            raise
        except ClusterRefused as error:
            written.problem = why_not(error)
        if written.problem:
            break
        written.changes += group
    return written


def _write_object(
    writer: ClusterWriter,
    object_: str,
    group: Sequence[Change],
    *,
    kept: Mapping[str, Any] | None,
    written: Written,
) -> Notice | None:
    """One patch; the resourceVersion read just before guards it. Somebody else's write in between
    means looking again, three times at most."""
    for _ in range(TRIES):
        raw = writer.read(object_)
        problem = _not_as_planned(group, raw, kept=kept)
        if problem:
            return problem
        try:
            written.warnings += _patch(writer, object_, group, raw=raw)
            return None
        except Conflict:
            continue
    return Notice(code="keeps-changing", params={"object": object_, "tries": TRIES})


def _not_as_planned(
    group: Sequence[Change], raw: Raw, *, kept: Mapping[str, Any] | None
) -> Notice | None:
    found = (
        differs(change, raw, owners=None if kept is None else kept.get(change.field, ()))
        for change in group
    )
    return next((notice for notice in found if notice is not None), None)


def _patch(
    writer: ClusterWriter, object_: str, group: Sequence[Change], *, raw: Raw
) -> tuple[str, ...]:
    """Fields that hold their new value already are left alone: this is a repetition."""
    todo = [(change.field, change.after) for change in group if not done(change, raw)]
    if not todo:
        return ()
    patch = Patch(
        object=object_,
        body=merge_body(todo),
        uid=group[0].uid,
        resource_version=str(value_at(raw, "metadata.resourceVersion") or ""),
    )
    return writer.patch(patch, dry_run=False).warnings

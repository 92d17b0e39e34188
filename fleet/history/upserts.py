"""Rows written so that writing them twice changes nothing: insert, or set all but the identity."""

from collections.abc import Collection, Iterable
from functools import cache
from typing import TypeVar

from django.db import models

from fleet.history.fitting import fitted

Row = TypeVar("Row", bound=models.Model)
ROWS_AT_ONCE = 200


def upsert(rows: Iterable[Row], *, by: tuple[str, ...], never: tuple[str, ...] = ()) -> int:
    """Write the rows; those with the same `by` are set anew, save the columns `never`.

    Of rows with the same identity the last one counts: a database refuses to set a row twice in
    one statement. Returns how many were written.
    """
    newest = {_identity(row, by): row for row in rows}
    if not newest:
        return 0
    whole = [_to_insert(row) for row in newest.values()]
    model = type(whole[0])
    model._default_manager.bulk_create(
        whole,
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=list(by),
        update_fields=_settable(model, {*by, *never}),
    )
    return len(whole)


def _identity(row: models.Model, by: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(row.serializable_value(name) for name in by)


def _to_insert(row: Row) -> Row:
    """Without its number: a row that was read may only clash on `by`, never on its number too."""
    row.pk = None
    return fitted(row)


def _settable(model: type[models.Model], without: Collection[str]) -> list[str]:
    return [name for name in _columns(model) if name not in without]


@cache
def _columns(model: type[models.Model]) -> tuple[str, ...]:
    fields = (f for f in model._meta.concrete_fields if not f.primary_key)
    return tuple(field.name for field in fields)

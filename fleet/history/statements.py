"""One statement for many rows, where a thousand of them come every half minute: rows by way of the
ORM cost ten times as much. JSON columns are given as text, moments as moments."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models

Values = Mapping[str, Any]


def upsert_rows(
    model: type[models.Model], rows: Sequence[Values], *, by: Sequence[str], sets: Sequence[str]
) -> None:
    """Insert the rows; those with the same `by` get the columns `sets` anew. No row twice."""
    columns = [*by, *(name for name in rows[0] if name not in by)] if rows else []
    names = ", ".join(map(_quoted(model), columns))
    places = ", ".join(["%s"] * len(columns))
    anew = ", ".join(f"{name} = excluded.{name}" for name in map(_quoted(model), sets))
    unique = ", ".join(map(_quoted(model), by))
    statement = (
        f"INSERT INTO {_table(model)} ({names}) VALUES ({places})"
        f" ON CONFLICT ({unique}) DO UPDATE SET {anew}"
    )
    _run(statement, ([row[name] for name in columns] for row in rows))


def update_rows(model: type[models.Model], rows: Mapping[int, Values]) -> None:
    """Set columns of rows by their number; all set the same ones."""
    columns = list(next(iter(rows.values()))) if rows else []
    anew = ", ".join(f"{name} = %s" for name in map(_quoted(model), columns))
    statement = f"UPDATE {_table(model)} SET {anew} WHERE id = %s"
    _run(statement, ([*(row[name] for name in columns), pk] for pk, row in rows.items()))


def _run(statement: str, values: Iterable[Sequence[Any]]) -> None:
    given = [[_adapted(value) for value in row] for row in values]
    if given:
        with connection.cursor() as cursor:
            cursor.executemany(statement, given)


def _adapted(value: Any) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _quoted(model: type[models.Model]) -> Callable[[str], str]:
    """Names of fields as names of columns."""
    columns = {field.name: str(field.column) for field in model._meta.concrete_fields}
    return lambda name: connection.ops.quote_name(columns[name])

"""Text and numbers from clusters made to fit their columns: a database that enforces lengths
must never refuse a batch because of one hostile value."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from django.db import models

LARGEST_INTEGER = 2**31 - 1
# PostgreSQL keeps no NUL in text; a lone surrogate cannot be written as UTF-8 at all.
REPLACEMENT = "\ufffd"

Row = TypeVar("Row", bound=models.Model)


def fitted(row: Row) -> Row:
    """The same row, its values cut to what its columns hold."""
    for name, fit in _fits(type(row)):
        value = getattr(row, name)
        if value is not None:
            setattr(row, name, fit(value))
    return row


@cache
def _fits(model: type[models.Model]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    found = ((f.attname, _fit_of(f)) for f in model._meta.concrete_fields)
    return tuple((name, fit) for name, fit in found if fit is not None)


def _fit_of(field: "models.Field[Any, Any]") -> Callable[[Any], Any] | None:
    if isinstance(field, models.JSONField):
        return plain
    if isinstance(field, models.CharField):
        longest = field.max_length
        return lambda text: plain_text(text)[:longest]
    if isinstance(field, models.TextField):
        return plain_text
    if isinstance(field, models.IntegerField) and not isinstance(field, models.BigIntegerField):
        return lambda number: max(-LARGEST_INTEGER, min(number, LARGEST_INTEGER))
    return None


def plain_text(text: str) -> str:
    """The text without what no database keeps. Enums become their plain value."""
    if text.isascii() and "\0" not in text:
        return str(text)
    return text.replace("\0", REPLACEMENT).encode(errors="replace").decode()


def plain(value: Any) -> Any:
    """A JSON value, every text in it plain."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, dict):
        return {plain_text(str(k)): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value

"""Opaque cursors: where the next page begins, in the order of one list.

A cursor names its list, so that one list's cursor is refused by another. It holds places in an
order, nothing secret; scope is checked anew on each page.
"""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Annotated, TypeVar

import msgspec

from dashboard.api.problems import ApiProblem, invalid

# A key of four names of 253 characters, as JSON, as base64.
LONGEST = 2000
# Ids are counted from 1; anything above fits no table of ours.
LARGEST_ID = 2**53
FIRST_YEAR, LAST_YEAR = 1970, 2200
P = TypeVar("P")
RowId = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_ID)]
# PostgreSQL takes no NUL in text.
Text = Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*$")]
AwareMoment = Annotated[datetime, msgspec.Meta(tz=True)]


class KeyPlace(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """After this row, in the order of keys; `row_id` tells rows of one key apart."""

    cluster: Text
    kind: Text
    namespace: Text
    name: Text
    row_id: RowId


class NamePlace(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """After this name."""

    name: Text


class TimePlace(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """Before this moment, or at it with a smaller id: newest first."""

    at: AwareMoment
    row_id: Text

    def __post_init__(self) -> None:
        if not FIRST_YEAR <= self.at.year <= LAST_YEAR:
            raise ValueError("no moment of ours")


class NumberPlace(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """Before this number, or at it with a smaller id: largest first."""

    number: float
    row_id: RowId


def encode(list_name: str, place: KeyPlace | NamePlace | NumberPlace | TimePlace) -> str:
    """The cursor of a place in a list."""
    packed = msgspec.json.encode([list_name, place])
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def decode(list_name: str, cursor: str, place_type: type[P]) -> P:
    """The place; ApiProblem (422) when the cursor is not one that this list gave."""
    if len(cursor) > LONGEST:
        raise _refused()
    try:
        packed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        name, raw = msgspec.json.decode(packed, type=tuple[str, msgspec.Raw])
        place = msgspec.json.decode(raw, type=place_type)
    except (ValueError, binascii.Error, msgspec.DecodeError, UnicodeError):
        raise _refused() from None
    if name != list_name:
        raise _refused()
    return place


def _refused() -> ApiProblem:
    return invalid("cursor", "not a cursor that this list gave; take `next` of its last page")

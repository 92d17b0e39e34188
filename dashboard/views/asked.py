"""What an address asks for, read with care: what cannot be understood counts as not said."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from django.http import QueryDict

# A text in the address is cut: names in Kubernetes are shorter.
LONGEST_TEXT = 253
E = TypeVar("E", bound=StrEnum)


def text_of(asked: QueryDict, name: str, *, at_most: int = LONGEST_TEXT) -> str:
    """The text, "" when it is not there; bare of NUL, which PostgreSQL refuses."""
    return asked.get(name, "").replace("\0", "").strip()[:at_most]


def member_of(members: type[E], text: str | None) -> E | None:
    """The member of that value, in any case of letters; None if there is none."""
    wanted = (text or "").lower()
    return next((member for member in members if member.value.lower() == wanted), None)

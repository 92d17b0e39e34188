"""A clue: words that mean something, and where they count. Looked for with plain text first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.texts import Text

# What is looked at of a text.
LOOKED_AT = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class Clue:
    """signs: one of them is in the lower-cased text. pattern: must match it too, None if a sign is
    enough. places: who may say it, empty if anybody."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str] | None = None
    places: frozenset[Where] = frozenset()

    def fits(self, text: Text, signs: Iterable[str] | None = None) -> bool:
        """Whether this text gives the clue. signs: those worth looking for, None = all."""
        if self.places and text.where not in self.places:
            return False
        low = text.low
        for sign in self.signs if signs is None else signs:
            if sign in low:
                break
        else:
            return False
        return self.pattern is None or self.pattern.search(low[:LOOKED_AT]) is not None


def clue(*signs: str, pattern: str = "", places: Iterable[Where] = ()) -> Clue:
    """A row of a table of clues."""
    return Clue(signs, re.compile(pattern) if pattern else None, frozenset(places))

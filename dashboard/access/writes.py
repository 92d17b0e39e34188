"""How often one person may ask for changes: pages and API count together."""

from __future__ import annotations

import hashlib

from django.core.cache import cache

from fleet.errors import BadInput

# Plans, applies and reverts one person may ask for within a window, per web process.
WRITES_PER_WINDOW = 300
WINDOW_S = 60


class TooManyWrites(BadInput):
    """This person asked for too much; the next window is at most WINDOW_S away."""

    retry = True


def count_write(who: str) -> None:
    """One more; raises TooManyWrites beyond what is allowed."""
    name = "writes:" + hashlib.sha256(who.encode()).hexdigest()
    cache.add(name, 0, WINDOW_S)
    try:
        count = cache.incr(name)
    except ValueError:
        # The window ended between the two calls.
        return
    if count > WRITES_PER_WINDOW:
        raise TooManyWrites(
            f"More than {WRITES_PER_WINDOW} plans and actions within {WINDOW_S} s."
            " Wait a minute, then try again."
        )

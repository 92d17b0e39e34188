"""Fragments are rendered once for each stamp and kept for the next page or socket."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from dashboard.live.fragments import Fragment


class KeptFragments:
    """The `most` fragments that were asked for last. Stamps say language and variant too."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, str], Fragment] = OrderedDict()

    def get(self, dom_id: str, stamp: str) -> Fragment | None:
        with self._lock:
            found = self._kept.get((dom_id, stamp))
            if found is not None:
                self._kept.move_to_end((dom_id, stamp))
            return found

    def put(self, fragment: Fragment) -> None:
        with self._lock:
            self._kept[(fragment.dom_id, fragment.stamp)] = fragment
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def forget(self) -> None:
        """For tests, whose rows come back with other contents and the same numbers."""
        with self._lock:
            self._kept.clear()

"""What people read of requests that were lost to a start."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from dashboard.charts.share import count_text
from dashboard.hop_words import hop_word
from fleet.domain.requests.lost import lost_in

# By hop; a hop's None = cannot be told apart. None as a whole = not measured.
Lost = Mapping[str, int | None] | None


def lost_text(lost: Lost) -> str:
    """Like "14 (activator 12, model container 2)", "none", or "not measured"."""
    count = lost_in(lost)
    if count is None or lost is None:
        return _("not measured")
    if not count:
        return _("none")
    made = ", ".join(f"{hop_word(hop)} {n}" for hop, n in lost.items() if n)
    return f"{count_text(count)} ({made})"

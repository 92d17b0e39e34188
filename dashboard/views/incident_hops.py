"""Who answered in an incident, with which code, and who cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.charts.share import count_text
from dashboard.hop_words import hop_word, meaning
from dashboard.views.asked import member_of
from dashboard.words import Words
from fleet.domain.records.keys import Mode
from fleet.domain.requests.records import Hop
from fleet.domain.requests.shown import PATHS
from fleet.models import Incident, ServedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class HopLine:
    """What one hop answered with one code. figure: "≥" where it is a lower bound."""

    hop: str
    label: Words
    code: int
    count: int
    figure: str
    means: Words


def hop_lines(incident: Incident) -> list[HopLine]:
    """By hop and code, the most first."""
    at_least = incident.around.get("at_least", ())
    counted = [(*name.split("/", 1), n) for name, n in incident.around.get("errors", {}).items()]
    order = {hop.value: n for n, hop in enumerate(Hop)}
    return [
        HopLine(
            hop=hop,
            label=hop_word(hop),
            code=int(code),
            count=count,
            figure=count_text(count, at_least=hop in at_least),
            means=meaning(hop, int(code)),
        )
        for hop, code, count in sorted(counted, key=lambda c: (-c[2], order.get(c[0], 9), c[1]))
    ]


def dark_hops(incident: Incident, model: ServedModel | None) -> list[Words]:
    """Hops of its path that cannot be told apart; other modes' hops are none of it."""
    mode = member_of(Mode, model.mode) if model else None
    path = frozenset(Hop) if mode is None else PATHS[mode]
    unknown = {hop for hop, count in incident.by_hop.items() if count is None}
    return [hop_word(hop) for hop in Hop if hop in unknown and hop in path]

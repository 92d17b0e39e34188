"""Who made the errors, as one bar: a piece for each hop, in the order from the caller on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dashboard.charts.share import count_text
from dashboard.hop_words import hop_word, short_hop_word
from dashboard.words import Words
from fleet.domain.requests.records import Hop


@dataclass(frozen=True, slots=True, kw_only=True)
class HopPiece:
    """One hop's part, in per cent of the bar. figure: its count, "≥" where it is a lower bound."""

    hop: str
    label: Words
    short: Words
    count: int
    figure: str
    x: float
    width: float


def hop_pieces(
    by_hop: Mapping[str, int | None], *, at_least: Collection[str] = ()
) -> tuple[HopPiece, ...]:
    """Of the hops that made any. Unknown hops come last."""
    order = {hop.value: n for n, hop in enumerate(Hop)}
    made = sorted(
        ((hop, count) for hop, count in by_hop.items() if count),
        key=lambda each: order.get(each[0], len(order)),
    )
    whole = sum(count for _, count in made)
    pieces: list[HopPiece] = []
    x = 0.0
    for hop, count in made:
        width = 100 * count / whole
        pieces.append(
            HopPiece(
                hop=hop,
                label=hop_word(hop),
                short=short_hop_word(hop),
                count=count,
                figure=count_text(count, at_least=hop in at_least),
                x=round(x, 2),
                width=round(width, 2),
            )
        )
        x += width
    return tuple(pieces)

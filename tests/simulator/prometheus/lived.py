"""Half an hour of a small world with every kind of error, scraped every ten seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from simulator.prometheus.scraping import EVERY_S, Scraper
from simulator.world.calling import Affliction
from simulator.world.cluster import Ingress
from simulator.world.passages import Fate
from simulator.world.profiles import Runtime
from tests.simulator.metering.metered import CALL, STREAM, Metered, metered
from tests.simulator.world.worlds import MODEL

# The minutes in which something else than an answer happens, and what.
TROUBLES: Sequence[tuple[int, Affliction]] = (
    (3, Affliction(status=500, share=0.3)),
    (6, Affliction(fate=Fate.REFUSED, share=0.5)),
    (9, Affliction(fate=Fate.UNREACHABLE)),
    (12, Affliction(slower_s=60.0, share=0.5)),
    (15, Affliction(status=503, share=0.1)),
    (18, Affliction(fate=Fate.NO_ENDPOINT, share=0.4)),
)
MINUTES = 22
PATIENT_S = 25.0


@cache
def lived(knative: tuple[int, int] | None, ingress: Ingress) -> Scraper:
    """The Prometheus of a world in which one model was called all the time, and slept at the
    end."""
    standard = replace(MODEL, min_replicas=1)
    model = MODEL if knative else replace(standard, runtime=Runtime.LLMISVC)
    at = metered(model, knative=knative, ingress=ingress, revision_timeout_s=40)
    if knative is None:
        at.host = "anything"
    scraper = Scraper(at.scraped, at.at.world.timeline, EVERY_S)
    scraper.begin()
    for minute in range(MINUTES):
        _live(at, minute)
    at.at.run(240)
    return scraper


def _live(at: Metered, minute: int) -> None:
    """One minute: a call every four seconds, now and then a stream or a caller without patience."""
    at.callers.afflictions.clear()
    for when, trouble in TROUBLES:
        if minute == when:
            at.callers.afflictions[MODEL.key] = trouble
    path = "/v1/completions" if at.host != "anything" else "/chat/llama/v1/completions"
    for turn in range(15):
        call = STREAM if turn == 4 else CALL
        patience = PATIENT_S if turn % 7 == 5 else None
        at.call(replace(call, path=path, patience_s=patience, times=1 + turn % 3))
        at.at.run(4)

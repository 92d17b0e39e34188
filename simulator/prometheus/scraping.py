"""Scraping the pages of a cluster at a steady pace.

Source: prometheus/prometheus scrape/scrape.go: labels of the target win, the page's are renamed;
a series that is missing in a page ends with a stale marker.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from simulator.metering.scraped import Scraped
from simulator.metering.targets import Target
from simulator.prometheus.history import History
from simulator.promql.series import NAME, STALE, Labels, Series
from simulator.world.timeline import Timeline

EVERY_S = 10.0
# In a past that is lived through at once.
PAST_EVERY_S = 30.0
KEPT_S = 3600.0
# A big fleet is scraped less often and kept for less long, so that it fits into memory.
MOST_SAMPLES = 3_000_000
RARELY_S = 60.0
LEAST_SCRAPES = 10
_FORGETS_EVERY = 12
Key = tuple[str, Labels]


@dataclass(slots=True)
class Scrape:
    """What is known of one target. cached: series by the name and labels in its page."""

    labels: tuple[tuple[str, str], ...]
    up: Series
    keeps_labels: bool
    cached: dict[Key, Series] = field(default_factory=dict)


@dataclass(slots=True)
class Scraper:
    """begin() at once; then on the world's own clock. past_every_s: while that is driven."""

    scraped: Scraped
    timeline: Timeline
    past_every_s: float = PAST_EVERY_S
    history: History = field(default_factory=History)
    _scrapes: dict[str, Scrape] = field(default_factory=dict)
    _count: int = 0

    def begin(self) -> None:
        self.scrape()
        every_s = self.every_s if self.timeline.is_live else self.past_every_s
        self.timeline.after_real(max(every_s, self.every_s), self.begin)

    @property
    def every_s(self) -> float:
        fits = MOST_SAMPLES / max(1, self.history.size)
        wanted = KEPT_S / EVERY_S
        return EVERY_S if fits >= wanted else min(RARELY_S, EVERY_S * wanted / fits)

    @property
    def kept_s(self) -> float:
        scrapes = max(LEAST_SCRAPES, MOST_SAMPLES / max(1, self.history.size))
        return min(KEPT_S, scrapes * self.every_s)

    def scrape(self) -> None:
        """All targets, at this moment."""
        at_ms, seen = int(self.timeline.now().timestamp() * 1000), set[str]()
        for target in self.scraped.targets():
            seen.add(target.path)
            self._scrape(target, at_ms)
        for path in self._scrapes.keys() - seen:
            gone = self._scrapes.pop(path)
            _end([gone.up, *gone.cached.values()], at_ms)
        self._count += 1
        if self._count % _FORGETS_EVERY == 0:
            self.history.forget(at_ms - int(self.kept_s * 1000))

    def _scrape(self, target: Target, at_ms: int) -> None:
        scrape = self._scrapes.get(target.path)
        if scrape is None:
            scrape = self._scrapes[target.path] = self._new(target)
        scrape.up.add(at_ms, float(target.read is not None))
        current, cached = dict[Key, Series](), scrape.cached
        for page in target.read() if target.read is not None else ():
            for name, labels, value in page.samples():
                key = (name, labels)
                series = cached.get(key) or self._series(scrape, name, labels)
                series.add(at_ms, float(value))
                current[key] = series
        _end((series for key, series in cached.items() if key not in current), at_ms)
        scrape.cached = current

    def _new(self, target: Target) -> Scrape:
        pairs = {**target.labels, "job": target.job, "instance": target.instance}
        labels = tuple((name, value) for name, value in sorted(pairs.items()) if value)
        up = self.history.series(tuple(sorted([*labels, (NAME, "up")])))
        return Scrape(labels, up, target.keeps_labels)

    def _series(self, scrape: Scrape, name: str, labels: Labels) -> Series:
        """As it is stored: with the target's labels, without empty ones."""
        of_target, found = dict(scrape.labels), {NAME: name, **dict(scrape.labels)}
        for label, value in labels:
            renamed = label in of_target and not scrape.keeps_labels
            if value:
                found[f"exported_{label}" if renamed else label] = value
        return self.history.series(tuple(sorted(found.items())))


def _end(series: Iterable[Series], at_ms: int) -> None:
    for each in series:
        if not each.is_stale:
            each.add(at_ms, STALE)

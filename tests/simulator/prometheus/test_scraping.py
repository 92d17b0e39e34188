"""Scraping: labels of the target, ends of series, what is kept, and what a fleet's size changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from simulator.metering.scraped import Scraped
from simulator.metering.series import Page, labels
from simulator.metering.targets import Target
from simulator.prometheus.scraping import EVERY_S, KEPT_S, RARELY_S, Scraper
from simulator.promql.nodes import Matcher
from simulator.world.timeline import Timeline
from tests.simulator.world.worlds import START


@dataclass
class Pages:
    """Stands for the pages of a cluster."""

    found: list[Target] = field(default_factory=list)

    def targets(self) -> Iterator[Target]:
        return iter(self.found)


def scraper_of(*targets: Target) -> tuple[Scraper, Pages]:
    pages = Pages(list(targets))
    return Scraper(cast(Scraped, pages), Timeline(START)), pages


def target(page: Page | None, *, keeps: bool = False) -> Target:
    return Target(
        job="vllm",
        instance="10.0.0.1:8080",
        labels={"namespace": "chat", "pod": "llama-0"},
        read=None if page is None else lambda: [page],
        keeps_labels=keeps,
    )


def counted(value: float, **more: str) -> Page:
    page = Page()
    page.counter("calls_total").add(labels({"namespace": "inside", "empty": "", **more}), value)
    return page


def one(scraper: Scraper, name: str) -> dict[str, str]:
    (found,) = scraper.history.select([Matcher("__name__", "=", name)])
    return dict(found.labels)


def values(scraper: Scraper, name: str) -> list[str]:
    (found,) = scraper.history.select([Matcher("__name__", "=", name)])
    return [str(value) for value in found.values]


def test_labels_of_the_target_stand_and_empty_ones_vanish() -> None:
    scraper, _ = scraper_of(target(counted(1)))
    scraper.scrape()
    assert one(scraper, "calls_total") == {
        "__name__": "calls_total",
        "exported_namespace": "inside",
        "instance": "10.0.0.1:8080",
        "job": "vllm",
        "namespace": "chat",
        "pod": "llama-0",
    }


def test_a_page_may_keep_its_own_labels() -> None:
    scraper, _ = scraper_of(target(counted(1), keeps=True))
    scraper.scrape()
    assert one(scraper, "calls_total")["namespace"] == "inside"


def test_a_series_that_is_missing_ends() -> None:
    page = counted(3)
    scraper, _ = scraper_of(target(page))
    scraper.scrape()
    page.families.clear()
    scraper.scrape()
    scraper.scrape()
    assert values(scraper, "calls_total") == ["3.0", "nan"]
    assert values(scraper, "up") == ["1.0", "1.0", "1.0"]


def test_a_target_that_does_not_listen_is_down() -> None:
    scraper, pages = scraper_of(target(counted(3)))
    scraper.scrape()
    pages.found = [target(None)]
    scraper.scrape()
    assert values(scraper, "up") == ["1.0", "0.0"]
    assert values(scraper, "calls_total") == ["3.0", "nan"]


def test_a_target_that_is_gone_takes_its_series_along() -> None:
    scraper, pages = scraper_of(target(counted(3)))
    scraper.scrape()
    pages.found = []
    scraper.scrape()
    assert values(scraper, "up") == ["1.0", "nan"]
    assert values(scraper, "calls_total") == ["3.0", "nan"]


def test_what_is_an_hour_old_is_forgotten() -> None:
    scraper, _ = scraper_of(target(counted(3)))
    scraper.begin()
    scraper.timeline.run_for(2 * KEPT_S)
    (up,) = scraper.history.select([Matcher("__name__", "=", "up")])
    last_s = scraper.timeline.now().timestamp()
    assert KEPT_S - 60 <= last_s - up.times[0] / 1000 <= KEPT_S + 600


def test_a_big_fleet_is_scraped_less_often_and_kept_for_less_long() -> None:
    small, _ = scraper_of(target(counted(3)))
    small.scrape()
    assert (small.every_s, small.kept_s) == (EVERY_S, KEPT_S)
    page = Page()
    for number in range(50_000):
        page.counter("calls_total").add(labels({"number": str(number)}))
    big, _ = scraper_of(target(page))
    big.scrape()
    assert big.every_s == RARELY_S
    assert 9 * RARELY_S <= big.kept_s <= KEPT_S

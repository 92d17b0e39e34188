"""Comparisons of starts and starts in flight, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHIN_MS, Opened, Site, settled

MODEL = "/models/demo-a/InferenceService/chat/seasoned/"
pytestmark = pytest.mark.timeout(180)


def drawn(page: Page, name: str) -> None:
    """Scroll to a chart and wait until it is there."""
    chart = page.locator(f'[data-chart="drawing-{name}"]')
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".main-svg").first).to_be_attached(timeout=WITHIN_MS)


def colours(page: Page, name: str) -> set[str]:
    """The colours that a chart's dots and lines have on the screen."""
    script = """name => [...document.querySelectorAll(
        `[data-chart="drawing-${name}"] .point, [data-chart="drawing-${name}"] .box`
    )].map(each => getComputedStyle(each).fill + getComputedStyle(each).stroke)"""
    return set(page.evaluate(script, name))


def test_charts_are_drawn_and_follow_the_theme(open_page: Opened) -> None:
    page = open_page(MODEL)
    settled(page)
    for name in ("over-time", "by-revision", "by-node"):
        drawn(page, name)
    dark = colours(page, "by-revision")
    page.click("#theme")
    expect(page.locator("html[data-theme=light]")).to_have_count(1)
    assert dark
    assert not dark & colours(page, "by-revision")


def test_each_chart_is_a_table_too(open_page: Opened) -> None:
    page = open_page(MODEL)
    summary = page.locator("#table-by-revision summary")
    summary.focus()
    page.keyboard.press("Enter")
    table = page.locator("#table-by-revision table")
    expect(table.locator("tbody tr")).to_have_count(3)
    expect(table).to_contain_text("seasoned-predictor-00002")


def test_the_start_mode_is_in_the_address(open_page: Opened) -> None:
    page = open_page(MODEL)
    page.locator("#compared .ranges a", has_text="nothing cached").click()
    page.wait_for_url(re.compile(r"mode=cold"))
    chosen = page.locator("#compared .ranges [aria-current]")
    expect(chosen).to_contain_text("nothing cached")
    page.locator(".page-bar .ranges a", has_text="90d").first.click()
    page.wait_for_url(re.compile(r"range=90d"))
    expect(page.locator("#compared .ranges [aria-current]")).to_contain_text("nothing cached")


def test_two_revisions_are_picked_by_the_keyboard(open_page: Opened) -> None:
    page = open_page(MODEL)
    settled(page)
    page.locator(".pick select[name=before]").select_option("seasoned-predictor-00002")
    page.locator(".pick select[name=after]").select_option("seasoned-predictor-00003")
    page.locator(".pick button").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"after=seasoned-predictor-00003"))
    expect(page.locator(".side")).to_contain_text("Too few starts to compare")


def test_comparisons_come_anew_when_a_start_ends(site: Site, open_page: Opened) -> None:
    page = open_page(MODEL)
    settled(page)
    counted = page.locator("#compared-title .num")
    before = counted.inner_text()
    newest = "id = (select max(id) from fleet_coldstart where name = 'seasoned')"
    site.change(f"update fleet_coldstart set outcome = 'failed' where {newest}")
    expect(counted).not_to_have_text(before, timeout=WITHIN_MS)
    site.change(f"update fleet_coldstart set outcome = 'ready' where {newest}")
    expect(counted).to_have_text(before, timeout=WITHIN_MS)
    drawn(page, "by-revision")


def test_a_start_turns_late_and_overdue_by_the_clock_alone(site: Site, open_page: Opened) -> None:
    page = open_page("/sign-in/")
    page.clock.install()
    page.goto(f"{site.url}/patterns/")
    eta = page.locator("#etas li").first.locator(".eta")
    expect(eta).to_have_text(re.compile(r"ready in \d+ s"))
    page.clock.fast_forward(85_000)
    expect(eta).to_have_text(re.compile(r"^late: .* past its p95$"), timeout=WITHIN_MS)
    expect(eta).to_have_class(re.compile("is-late"))
    page.clock.fast_forward(90_000)
    expect(eta).to_have_text("overdue: past its deadline of 3:00", timeout=WITHIN_MS)
    expect(eta).to_have_class(re.compile("is-overdue"))


def test_nothing_is_wider_than_a_phone(open_page: Opened) -> None:
    page = open_page(MODEL, size=(390, 844))
    settled(page)
    drawn(page, "by-node")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

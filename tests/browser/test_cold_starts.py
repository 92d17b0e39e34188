"""Cold starts in a real browser: filters, what they say together, live rows, keys."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WITHIN_MS, Opened, Site, settled

PATH = "/cold-starts/"
pytestmark = pytest.mark.timeout(180)


def test_filters_stand_in_the_address_and_a_range_ends_chosen_moments(
    site: Site, open_page: Opened
) -> None:
    page = open_page(PATH)
    settled(page)
    page.select_option("#f-outcome", "failed")
    expect(page.locator("#rows tr")).to_have_count(1, timeout=WITHIN_MS)
    assert page.url == f"{site.url}{PATH}?outcome=failed"
    page.locator("#further summary").click()
    page.fill("[name=since]", "2026-01-01T00:00")
    page.locator("[name=since]").blur()
    page.wait_for_url(f"{site.url}{PATH}?**since=2026-01-01T00%3A00**", timeout=WITHIN_MS)
    page.select_option("#f-range", "90d")
    page.wait_for_url(f"{site.url}{PATH}?range=90d&outcome=failed", timeout=WITHIN_MS)
    page.reload()
    expect(page.locator("#f-outcome")).to_have_value("failed")
    expect(page.locator("#f-range")).to_have_value("90d")


def test_what_they_say_together_comes_after_the_list_and_after_each_filter(
    open_page: Opened,
) -> None:
    page = open_page(f"{PATH}?range=30d")
    settled(page)
    expect(page.locator("#starts-summary .counts")).to_be_visible(timeout=WITHIN_MS)
    expect(page.locator(".chart .main-svg").first).to_be_attached(timeout=WITHIN_MS)
    count = page.locator("#starts-summary h2").first
    of_all = count.inner_text()
    page.fill("#q", "seasoned")
    expect(count).not_to_have_text(of_all, timeout=WITHIN_MS)
    expect(page.locator(".chart .main-svg").first).to_be_attached(timeout=WITHIN_MS)


def test_a_start_that_is_newer_appears_at_the_top_without_a_reload(
    site: Site, open_page: Opened
) -> None:
    page = open_page(PATH)
    settled(page)
    page.evaluate("window.same = true")
    first = page.locator("#rows tr").first
    expect(first).not_to_have_id("start-3")
    at = (datetime.now(UTC) - timedelta(seconds=1)).strftime("%Y-%m-%d %H:%M:%S")
    site.change("update fleet_coldstart set started_at = ? where id = 3", at)
    expect(first).to_have_id("start-3", timeout=WITHIN_MS)
    assert page.evaluate("window.same") is True


def test_keys_lead_to_the_list_and_into_a_start(site: Site, open_page: Opened) -> None:
    page = open_page("/")
    settled(page)
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url(f"{site.url}{PATH}")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}{PATH}*/", timeout=WITHIN_MS)
    expect(page.locator("#phases-title")).to_be_visible()


@pytest.mark.parametrize("path", [PATH, f"{PATH}1/", f"{PATH}5/"])
def test_nothing_is_wider_than_a_phone(open_page: Opened, path: str) -> None:
    page = open_page(path, size=(390, 844))
    settled(page)
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(over) == 0


def test_a_start_in_flight_goes_on_and_hostile_words_stay_words(open_page: Opened) -> None:
    page = open_page(f"{PATH}1/")
    elapsed = page.locator("#start-head [data-elapsed]")
    before = elapsed.inner_text()
    expect(elapsed).not_to_have_text(before, timeout=WITHIN_MS)
    failed = open_page(f"{PATH}5/")
    assert failed.title().startswith("Cold start of gemma")
    expect(failed.locator("#start-head .bad")).to_contain_text("<img src=x")

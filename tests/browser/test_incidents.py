"""Incidents in a browser: by keyboard, on a phone, plain to axe, taken away as a file."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHIN_MS, Opened, settled
from tests.browser.test_axe import complaints

# Runs of axe on a busy machine.
pytestmark = pytest.mark.timeout(300)
OPEN = "tr.is-failing td.i-when a"


def fits(page: Page) -> bool:
    """Whether nothing sticks out at the side; a chart follows a new width a moment later."""
    until = time.monotonic() + WITHIN_MS / 1000
    while time.monotonic() < until:
        if page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            return True
        page.wait_for_timeout(100)
    return False


@pytest.mark.parametrize("where", ["list", "ongoing", "over", "empty", "/", "model"])
def test_axe_finds_nothing_dark_light_and_narrow(open_page: Opened, where: str) -> None:
    paths = {
        "/": "/",
        "empty": "/incidents/?cause=overload",
        "model": "/models/demo-b/InferenceService/chat/llama-3-8b/",
    }
    page = open_page(paths.get(where, "/incidents/"))
    if where in {"ongoing", "over"}:
        page.locator(OPEN if where == "ongoing" else "tr.is-stopped td.i-when a").first.click()
        expect(page.locator("#incident-head")).to_be_visible()
    settled(page)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert fits(page), f"wider than {width} px"
        for theme in ("dark", "light"):
            page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            assert complaints(page) == "", f"{theme}, {width} px wide"


def test_keys_lead_to_the_list_and_into_a_row(open_page: Opened) -> None:
    page = open_page("/")
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/incidents/")
    expect(page.locator("#link")).to_have_text("live")
    page.keyboard.press("j")
    expect(page.locator("tr.incident-row.at")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#incident-head h1")).to_have_text("llama-3-8b")


def test_an_incident_that_goes_on_counts_its_time(open_page: Opened) -> None:
    page = open_page("/incidents/")
    ticking = page.locator("tr.is-failing [data-elapsed]").first
    before = ticking.inner_text()
    expect(ticking).not_to_have_text(before)


def test_filters_change_the_list_and_the_address(open_page: Opened) -> None:
    page = open_page("/incidents/")
    expect(page.locator("#link")).to_have_text("live")
    page.select_option("#f-cause", "timeout-shorter-than-load")
    page.wait_for_url("**/incidents/?cause=timeout-shorter-than-load")
    expect(page.locator("tr.incident-row", has_text="not diagnosed")).to_have_count(0)


def test_the_fleet_row_links_the_incident(open_page: Opened) -> None:
    page = open_page("/")
    page.locator("tr.row .incident-chip").first.click()
    expect(page.locator("#incident-head .state")).to_have_text("ongoing")
    expect(page.locator("#timeline .main-svg").first).to_be_visible(timeout=WITHIN_MS)


def test_the_post_mortem_is_a_file(open_page: Opened) -> None:
    page = open_page("/incidents/")
    page.locator(OPEN).first.click()
    with page.expect_download() as found:
        page.get_by_role("link", name="Post-mortem as Markdown").click()
    assert found.value.suggested_filename.startswith("incident-")
    with open(found.value.path()) as file:
        assert file.readline().startswith("# Incident ")

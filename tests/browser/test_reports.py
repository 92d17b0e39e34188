"""Weekly reports in a browser: axe, keys, a phone, paper."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from fleet.domain.reports.week import Week
from tests.browser.conftest import WITHIN_MS, Opened
from tests.browser.test_axe import complaints
from tests.browser.weeks import last_monday

LAST = Week.of(last_monday(datetime.now(UTC)))
# Four runs of axe on a busy machine.
pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("path", ["/reports/", f"/reports/{LAST}/"])
def test_axe_finds_nothing(open_page: Opened, path: str) -> None:
    page = open_page(path)
    for summary in page.locator(".more summary").all():
        summary.click()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for theme in ("dark", "light"):
            page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            assert complaints(page) == "", f"{theme}, {width} px wide"


def test_from_the_keyboard_to_last_week(open_page: Opened) -> None:
    page = open_page("/")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/reports/", timeout=WITHIN_MS)
    page.get_by_role("link", name=str(LAST)).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Week {LAST}", timeout=WITHIN_MS)
    expect(page.locator(".tiles")).to_contain_text("≥")
    page.select_option("select[name=team]", "search")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile("team=search"), timeout=WITHIN_MS)


def test_on_paper_it_is_a_few_pages_without_controls(open_page: Opened) -> None:
    page = open_page(f"/reports/{LAST}/")
    page.emulate_media(media="print")
    for hidden in (".top", ".r-tools", ".r-nav"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator(".tiles")).to_be_visible()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    pages = re.findall(rb"/Type\s*/Page[^s]", page.pdf(prefer_css_page_size=True))
    assert 1 <= len(pages) <= 4

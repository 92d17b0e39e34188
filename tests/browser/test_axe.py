"""axe finds nothing, on every page, dark and light, wide and narrow."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Opened, settled

PATHS = (
    "/",
    "/?q=nothing-like-this",
    "/models/demo-a/InferenceService/chat/gemma/",
    "/models/demo-a/InferenceService/chat/llama-3-70b/",
    "/models/demo-a/InferenceService/chat/seasoned/",
    "/cold-starts/?range=30d",
    "/cold-starts/?node=no-such-node",
    "/cold-starts/?model=demo-a/InferenceService/chat/seasoned&range=30d",
    "/cold-starts/1/",
    "/cold-starts/5/",
    "/clusters/",
    "/clusters/demo-a/metrics/",
    "/clusters/demo-b/metrics/",
    "/users/",
    "/tokens/",
    "/patterns/",
)
# Four runs of axe on a busy machine.
pytestmark = pytest.mark.timeout(300)
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


def complaints(page: Page) -> str:
    found = Axe().run(page, options=RULES)
    return found.generate_report() if found.violations_count else ""


@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing_dark_light_and_narrow(open_page: Opened, path: str) -> None:
    page = open_page(path)
    settled(page)
    for summary in page.locator(".more summary, #timeline-table summary").all():
        summary.click()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        for theme in ("dark", "light"):
            page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            assert complaints(page) == "", f"{theme}, {width} px wide"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_before_signing_in(open_page: Opened, theme: str) -> None:
    assert complaints(open_page("/sign-in/", who="", theme=theme)) == ""


def test_axe_on_the_help(open_page: Opened) -> None:
    page = open_page("/")
    page.keyboard.press("?")
    assert complaints(page) == ""

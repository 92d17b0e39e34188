"""Requests by hop in a real browser: row, chart, table, metrics page; wide and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHIN_MS, Opened, Site, settled

MODEL = "/models/demo-a/InferenceService/chat/gemma/?range=6h"
METRICS = "/clusters/demo-b/metrics/"
pytestmark = pytest.mark.timeout(180)
TRACES = "document.getElementById('timeline').data.map((t) => t.name)"
SHAPES = "document.getElementById('timeline').layout.shapes.length"


def fits(page: Page) -> bool:
    """Whether nothing makes the page wider than its window."""
    wide: bool = page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return wide


@pytest.mark.parametrize("path", ["/", MODEL, METRICS, "/clusters/"])
def test_a_phone_scrolls_one_way_only(open_page: Opened, path: str) -> None:
    page = open_page(path, size=(390, 844))
    settled(page)
    assert fits(page)


def test_a_row_tells_share_and_hop_and_changes_live(site: Site, open_page: Opened) -> None:
    page = open_page("/?sort=errors")
    settled(page)
    cell = page.locator('tr.row:has(a.model:text-is("seasoned")) td.c-errors')
    expect(cell).to_contain_text("0 %")
    erred = (
        '{"window_s": 300, "requests": 100, "share_5xx": 0.4, "by_hop": {"queue-proxy": 40},'
        ' "client_gone": 0, "lost": 40, "at_least": []}'
    )
    sql = "update fleet_servedmodel set errors=?, version=version+1 where name='seasoned'"
    site.change(sql, erred)
    expect(cell).to_contain_text("40 %", timeout=WITHIN_MS)
    expect(cell).to_contain_text("queue-proxy 40")
    site.change(sql, erred.replace("40", "0").replace("0.0", "0"))
    expect(cell).to_contain_text("0 %", timeout=WITHIN_MS)


def test_the_filter_finds_models_with_errors(open_page: Opened) -> None:
    page = open_page("/")
    settled(page)
    page.select_option("#f-errors", "5xx")
    page.wait_for_url("**/?errors=5xx")
    expect(page.locator('a.model:text-is("qwen")')).to_have_count(0, timeout=WITHIN_MS)
    expect(page.locator('a.model:text-is("mixtral")')).to_have_count(1)


def test_the_chart_draws_each_hop_with_a_pattern_and_what_was_not_read(open_page: Opened) -> None:
    page = open_page(MODEL)
    settled(page)
    names = page.evaluate(TRACES)
    assert {"requests", "incidents", "5xx activator", "5xx model container"} <= set(names)
    assert page.evaluate(SHAPES) >= 2
    assert page.locator("#timeline pattern").count() >= 2
    expect(page.locator("#timeline .annotation-text", has_text="not read")).to_be_visible()


def test_the_chart_is_told_as_a_table_too(open_page: Opened) -> None:
    page = open_page(MODEL)
    settled(page)
    page.locator("#timeline-table summary").click()
    rows = page.locator("#timeline-table tbody tr")
    expect(rows.filter(has_text="activator ≥").first).to_contain_text("5xx in 2:00")
    incident = rows.filter(has_text="incident").first
    expect(incident).to_contain_text("requests lost")
    incident.get_by_role("link").click()
    page.wait_for_url("**/incidents/*/")


def test_a_model_without_metrics_has_the_smaller_chart(open_page: Opened) -> None:
    page = open_page("/models/demo-c/InferenceService/chat/far/")
    settled(page)
    assert "requests" not in page.evaluate(TRACES)
    expect(page.get_by_role("link", name="Connect metrics…")).to_be_visible()


def test_what_to_switch_on_is_copied_by_keyboard(open_page: Opened) -> None:
    page = open_page(METRICS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.locator('[data-copy="snippet-request-metrics-off-1"]')
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_text("Copied")
    assert "request-metrics-protocol" in page.evaluate("navigator.clipboard.readText()")
    expect(page.get_by_text("This restarts every model pod of the cluster.")).to_be_visible()

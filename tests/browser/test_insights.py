"""Findings, advice and what they rest on, in a browser: plain to axe, on a phone, by click."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opened, settled
from tests.browser.insights import POD
from tests.browser.test_axe import complaints
from tests.browser.test_incidents import fits

# Runs of axe on a busy machine.
pytestmark = pytest.mark.timeout(300)
MODEL = "/models/demo-b/InferenceService/chat/llama-3-8b/"


@pytest.mark.parametrize("path", [MODEL, f"{MODEL}objects/", "/diagnose/"])
def test_axe_finds_nothing_dark_light_and_narrow(open_page: Opened, path: str) -> None:
    page = open_page(path)
    settled(page)
    for summary in page.locator(".more summary").all():
        summary.click()
    if path == MODEL:
        expect(page.locator("#model-objects .read details").first).to_be_attached()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert fits(page), f"{width} px wide"
        for theme in ("dark", "light"):
            page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            assert complaints(page) == "", f"{theme}, {width} px wide"


def test_evidence_leads_to_where_it_stands(open_page: Opened) -> None:
    page = open_page(MODEL)
    page.locator("#model-findings .pieces a").first.click()
    page.wait_for_url(f"**{MODEL}objects/#*")
    shown = page.locator("li.at")
    expect(shown).to_be_in_viewport()
    expect(shown).to_contain_text("FailedScheduling")
    expect(shown).to_contain_text(POD)


def test_from_the_fleet_to_the_finding(open_page: Opened) -> None:
    page = open_page("/?q=llama-3-8b")
    page.locator("a.why", has_text="No GPU is free").click()
    page.wait_for_url(f"**{MODEL}#model-findings")
    expect(page.locator("#model-findings h3").first).to_contain_text("no free GPU")


def test_another_look_is_asked_for_without_leaving(open_page: Opened) -> None:
    page = open_page("/models/demo-a/InferenceService/chat/gemma/", who="viewer")
    settled(page)
    with page.expect_response("**/diagnose/") as answered:
        page.get_by_role("button", name="Diagnose again").click()
    assert answered.value.status == 204
    expect(page.locator("#model-findings h2")).to_be_visible()


def test_a_remedy_opens_its_plan(open_page: Opened) -> None:
    page = open_page(MODEL, who="operator")
    settled(page)
    page.locator("#model-findings button[data-plan=raise-min]").first.click()
    expect(page.locator("dialog#plan")).to_be_visible()


def test_a_bundle_is_pasted_and_answered(open_page: Opened) -> None:
    page = open_page("/diagnose/")
    bundle = {
        "pods": [{"kind": "Pod", "metadata": {"name": "p"}, "status": {"phase": "Pending"}}],
        "logs": {"kserve-container (previous)": ["torch.OutOfMemoryError: CUDA out of memory"]},
    }
    page.fill("#id_text", json.dumps(bundle))
    page.get_by_role("button", name="Diagnose").click()
    expect(page.locator("#result h3").first).to_be_visible()
    expect(page.locator("#result")).to_contain_text("CUDA out of memory")

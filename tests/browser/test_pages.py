"""Pages in a real browser: live rows, filters, keys, hostile text, a strict policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHIN_MS, Opened, Site, Troubles, settled

MODEL = "/models/demo-a/InferenceService/chat/gemma/"
pytestmark = pytest.mark.timeout(180)


def row(page: Page, name: str) -> str:
    return f'tr.row:has(a.model:text-is("{name}"))'


def live(page: Page) -> None:
    expect(page.locator("#link.on")).to_be_visible(timeout=WITHIN_MS)


def test_signing_in_brings_the_page_that_was_asked_for(site: Site, open_page: Opened) -> None:
    page = open_page("/clusters/", who="")
    assert "/sign-in/?next=/clusters/" in page.url
    page.fill("#id_username", "viewer")
    page.fill("#id_password", "a long enough phrase")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}/clusters/")


def test_a_changed_row_arrives_without_a_reload(site: Site, open_page: Opened) -> None:
    page = open_page("/")
    live(page)
    page.evaluate("window.same = true")
    site.change(
        "update fleet_servedmodel set state='Failing', rank=1, version=version+1 where name='qwen'"
    )
    expect(page.locator(f"{row(page, 'qwen')} .state")).to_have_text("Failing", timeout=WITHIN_MS)
    expect(page.locator("#counts .failing b")).to_have_text("2", timeout=WITHIN_MS)
    expect(page.locator("tr.row").nth(1).locator("a.model")).to_have_text("qwen", timeout=WITHIN_MS)
    assert page.evaluate("window.same") is True
    site.change(
        "update fleet_servedmodel set state='Cold', rank=50, version=version+1 where name='qwen'"
    )
    expect(page.locator(f"{row(page, 'qwen')} .state")).to_have_text("Cold", timeout=WITHIN_MS)


def test_a_new_model_appears_and_a_deleted_one_goes(site: Site, open_page: Opened) -> None:
    page = open_page("/")
    live(page)
    site.change("update fleet_servedmodel set gone_at='2026-11-30 10:00:00' where name='old'")
    expect(page.locator(row(page, "old"))).to_have_count(0, timeout=WITHIN_MS)
    site.change("update fleet_servedmodel set gone_at=null where name='old'")
    expect(page.locator(row(page, "old"))).to_have_count(1, timeout=WITHIN_MS)


def test_a_start_in_flight_grows_without_any_message(open_page: Opened) -> None:
    page = open_page("/")
    elapsed = page.locator(f"{row(page, 'llama-3-70b')} [data-elapsed]")
    open_phase = page.locator(f"{row(page, 'llama-3-70b')} rect[data-to='']")
    before, width = elapsed.inner_text(), open_phase.get_attribute("width")
    expect(elapsed).not_to_have_text(before, timeout=WITHIN_MS)
    assert open_phase.get_attribute("width") != width


def test_the_age_of_data_ticks(open_page: Opened) -> None:
    page = open_page("/")
    age = page.locator("#cluster-lines [data-proof-of='demo-b']")
    expect(age).to_have_text("42 s", timeout=WITHIN_MS)
    expect(page.locator("#cluster-lines .is-old")).to_contain_text("unreachable")


def test_filters_stand_in_the_address_and_hold_after_a_reload(
    site: Site, open_page: Opened
) -> None:
    page = open_page("/")
    page.select_option("#f-namespace", "rag")
    expect(page.locator("tr.row")).to_have_count(1, timeout=WITHIN_MS)
    assert page.url == f"{site.url}/?namespace=rag"
    page.fill("#q", "nothing-like-this")
    expect(page.get_by_text("No model matches these filters")).to_be_visible(timeout=WITHIN_MS)
    page.reload()
    assert page.input_value("#q") == "nothing-like-this"
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("tr.row").first).to_be_visible()
    page.locator("#counts .cold").click()
    page.wait_for_url(f"{site.url}/?state=Cold")


def test_live_rows_keep_to_the_filters(site: Site, open_page: Opened) -> None:
    page = open_page("/?namespace=rag")
    live(page)
    site.change("update fleet_servedmodel set ready=7, version=version+1 where name='qwen'")
    expect(page.locator("td.c-replicas")).to_contain_text("7 / 0", timeout=WITHIN_MS)
    site.change("update fleet_servedmodel set ready=0, version=version+1 where name='qwen'")
    expect(page.locator("tr.row")).to_have_count(1)


def test_keys(site: Site, open_page: Opened) -> None:
    page = open_page("/")
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("tr.row").first).to_have_class(r"row is-failing at")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_url("**/mixtral/")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.wait_for_url(f"{site.url}/clusters/")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.wait_for_url(f"{site.url}/")


@pytest.mark.parametrize("path", ["/", MODEL, "/clusters/"])
def test_hostile_text_stays_text(open_page: Opened, path: str) -> None:
    page = open_page(path)
    settled(page)
    assert page.title() != "1"
    assert page.locator("img").count() == 0


def test_the_chart_is_drawn_under_the_policy_and_told_as_a_table(open_page: Opened) -> None:
    page = open_page(MODEL)
    expect(page.locator("#timeline .main-svg").first).to_be_visible(timeout=WITHIN_MS)
    named = page.locator("#timeline .legendtext")
    expect(named.get_by_text("ready", exact=True)).to_be_visible(timeout=WITHIN_MS)
    page.locator("#timeline-table summary").click()
    expect(page.locator("#timeline-table tbody tr").first).to_be_visible()
    assert page.locator("#timeline-table tbody tr").count() > 20


def test_the_model_page_changes_live_and_keeps_an_opened_start(
    site: Site, open_page: Opened
) -> None:
    page = open_page(MODEL)
    live(page)
    page.locator(".waterfall summary").nth(3).click()
    expect(page.locator(".waterfall details[open] .w-more")).to_contain_text("exit code 1")
    site.change("update fleet_servedmodel set ready=3, version=version+1 where name='gemma'")
    expect(page.locator("#model-head")).to_contain_text("3 / 1", timeout=WITHIN_MS)
    expect(page.locator(".waterfall details[open]")).to_have_count(1)
    site.change("update fleet_servedmodel set ready=1, version=version+1 where name='gemma'")


def test_a_viewer_of_one_namespace_sees_it_alone(site: Site, open_page: Opened) -> None:
    """Changes elsewhere come before one that is seen: had they been sent, they would be there."""
    page = open_page("/", who="narrow")
    live(page)
    expect(page.locator("tr.row")).to_have_count(1)
    site.change("update fleet_servedmodel set version=version+1 where namespace<>'rag'")
    for ready in (6, 0):
        site.change(
            "update fleet_servedmodel set ready=?, version=version+1 where name='qwen'", ready
        )
        replicas = page.locator(f"{row(page, 'qwen')} td.c-replicas")
        expect(replicas).to_contain_text(f"{ready} / 0", timeout=WITHIN_MS)
        expect(page.locator("tr.row a.model")).to_have_text(["qwen"])


def test_signed_out_elsewhere_ends_at_the_sign_in(
    site: Site, open_page: Opened, troubles: Troubles
) -> None:
    page = open_page("/", who="viewer")
    live(page)
    page.context.clear_cookies()
    page.reload()
    page.wait_for_url("**/sign-in/**")


def test_the_choice_of_light_is_kept(open_page: Opened) -> None:
    page = open_page("/")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(246, 247, 249)"


@pytest.mark.parametrize("path", ["/", MODEL, "/clusters/", "/users/", "/tokens/"])
def test_nothing_is_wider_than_a_phone(open_page: Opened, path: str) -> None:
    page = open_page(path, size=(390, 844))
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_the_filters_fold_away(open_page: Opened) -> None:
    page = open_page("/?state=Cold", size=(390, 844))
    expect(page.locator("#f-state")).to_be_visible()
    expect(page.locator("#f-team")).to_be_hidden()
    page.click("#filters-open")
    expect(page.locator("#f-team")).to_be_visible()
    expect(page.locator("#filters-open")).to_have_attribute("aria-expanded", "true")

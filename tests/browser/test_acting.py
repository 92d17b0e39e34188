"""Acting in a real browser: a button, the plan, one key, the steps. The test writes what the act
worker would."""

from __future__ import annotations

import json
import sqlite3
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from fleet.history.action_text import evidence_text
from tests.browser.conftest import Opened, Site

pytestmark = pytest.mark.timeout(180)
WITHIN_MS = 30_000
BUTTON = 'tr.row:has(a.model:text-is("{}")) button[data-plan="{}"]'
CHANGE = {
    "object": "serving.knative.dev/v1/Revision/rag/qwen-predictor-00001",
    "uid": "u",
    "field": "metadata.annotations[autoscaling.knative.dev/min-scale]",
    "before": "0",
    "after": "1",
    "when": "at-once",
}
BODY: dict[str, Any] = {
    "changes": [CHANGE],
    "inverse": [CHANGE],
    "effects": {
        "new_revision": False,
        "pods": 1,
        "gpus": {"nvidia.com/gpu": 1},
        "free": {"nvidia.com/gpu": 2},
        "capacity": "fits-now",
        "eta_p50_s": 80.0,
    },
    "warnings": [{"code": "lost-with-next-revision", "params": {}}],
    "dry_run": {"ok": True, "message": ""},
}


def one(site: Site, sql: str, *values: object) -> Any:
    """The first row of an answer that is there, at the latest soon."""
    until = time.monotonic() + WITHIN_MS / 1000
    while time.monotonic() < until:
        with sqlite3.connect(site.database, timeout=20) as connection:
            found = connection.execute(sql, values).fetchone()
        connection.close()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"nothing found: {sql}")


def previewed(site: Site) -> str:
    """The worker looks at the plan that waits; its id."""
    (plan,) = one(site, "select id from fleet_plan where state='previewing'")
    body = json.dumps(BODY)
    site.change("update fleet_plan set state='planned', body=? where id=?", body, plan)
    return str(plan)


def stepped(site: Site, action: str, state: str, code: str, **params: Any) -> None:
    """The worker writes a step."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    site.change(
        "insert into fleet_actionstep (action_id, state, at, evidence) values (?, ?, ?, ?)",
        action,
        state,
        now,
        evidence_text(code, params),
    )
    site.change("update fleet_action set state=? where id=?", state, action)


def opened_plan(site: Site, page: Page) -> str:
    page.click(BUTTON.format("qwen", "raise-min"))
    expect(page.locator("#plan .looking")).to_be_visible(timeout=WITHIN_MS)
    plan = previewed(site)
    expect(page.locator("#plan [data-confirm]")).to_be_visible(timeout=WITHIN_MS)
    return plan


def test_one_key_confirms_what_is_shown_and_the_steps_come_live(
    site: Site, open_page: Opened
) -> None:
    page = open_page("/", who="operator")
    plan = opened_plan(site, page)
    dialog = page.locator("#plan")
    for shown in ("qwen-predictor-00001", "0 → 1", "1 needed, 2 free", "Lost with the next"):
        expect(dialog).to_contain_text(shown)
    expect(page.locator("[data-confirm]")).to_be_focused()
    page.keyboard.press("y")
    (action, reason) = one(
        site,
        "select a.id, p.reason from fleet_action a join fleet_plan p on p.id=a.plan_id "
        "where p.id=?",
        plan,
    )
    assert reason == "Errors now"
    stepped(site, action, "scaling", "floor-in-force", min=1, wished=1)
    expect(dialog.locator(".steps")).to_contain_text("min 1 is in force", timeout=WITHIN_MS)
    stepped(site, action, "served", "answered", ttft_s=0.4)
    expect(dialog.locator(".head-first .state")).to_have_text("Served", timeout=WITHIN_MS)


def test_a_changed_figure_takes_the_plan_away(site: Site, open_page: Opened) -> None:
    """Enter in a field makes a new plan; it never applies the one that was shown."""
    page = open_page("/", who="operator")
    plan = opened_plan(site, page)
    page.fill("#plan input[name=min]", "2")
    expect(page.locator("[data-confirm]")).to_be_disabled()
    page.keyboard.press("Enter")
    (params,) = one(site, "select params from fleet_plan where state='previewing'")
    assert json.loads(params)["min"] == 2
    previewed(site)
    expect(page.locator("[data-confirm]")).to_be_enabled(timeout=WITHIN_MS)
    assert one(site, "select state from fleet_plan where id=?", plan) == ("planned",)


def test_y_in_a_field_is_a_letter(site: Site, open_page: Opened) -> None:
    page = open_page("/", who="operator")
    plan = opened_plan(site, page)
    page.locator("#plan input[name=words]").press_sequentially("yes, today")
    expect(page.locator("#plan input[name=words]")).to_have_value("yes, today")
    page.keyboard.press("Enter")
    assert one(site, "select reason from fleet_plan where state='applied' and id=?", plan) == (
        "yes, today",
    )


def test_esc_closes_and_brings_the_focus_back(site: Site, open_page: Opened) -> None:
    page = open_page("/", who="operator")
    opened_plan(site, page)
    page.keyboard.press("Escape")
    expect(page.locator("#plan")).to_be_hidden()
    expect(page.locator(BUTTON.format("qwen", "raise-min"))).to_be_focused()


def test_a_viewer_has_no_button(open_page: Opened) -> None:
    page = open_page("/", who="viewer")
    expect(page.locator("tr.row").first).to_be_visible()
    assert page.locator("button[data-plan]").count() == 0


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desktop", "phone"])
def test_axe_finds_nothing(
    site: Site, open_page: Opened, theme: str, size: tuple[int, int]
) -> None:
    page = open_page("/", who="operator", theme=theme, size=size)
    opened_plan(site, page)
    assert violations(page) == []
    page.keyboard.press("Escape")
    for path in ("/actions/", "/models/demo-a/InferenceService/rag/qwen/"):
        page.goto(f"{site.url}{path}")
        page.wait_for_load_state("networkidle")
        assert violations(page) == []


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found]

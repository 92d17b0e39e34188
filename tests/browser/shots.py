"""Takes screenshots of a running page: desktop and phone, dark and light.

Usage: python -m tests.browser.shots [FOLDER [PATH ...]], while `make demo` is up.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
THEMES = ("dark", "light")
DEMO = Path("var/demo.json")


def sign_in(page: Page, url: str, name: str, password: str) -> None:
    """Leaves the page signed in, on the fleet."""
    page.goto(f"{url}/sign-in/")
    page.fill("#id_username", name)
    page.fill("#id_password", password)
    page.click("main button")
    page.wait_for_url(f"{url}/")


def shoot(browser: Browser, url: str, who: tuple[str, str], folder: Path, paths: list[str]) -> None:
    """One picture per path, size and theme."""
    for size, (width, height) in SIZES.items():
        for theme in THEMES:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if theme == "dark" else "light",
            )
            page = context.new_page()
            page.goto(f"{url}/sign-in/")
            page.screenshot(path=folder / f"sign-in-{size}-{theme}.png")
            sign_in(page, url, *who)
            for path in paths:
                page.goto(f"{url}{path}")
                page.wait_for_timeout(1200)
                name = path.strip("/").split("?")[0].replace("/", "-")[:40] or "fleet"
                page.screenshot(path=folder / f"{name}-{size}-{theme}.png")
            context.close()


def main(folder: str = "var/shots", *paths: str) -> None:
    demo = json.loads(DEMO.read_text())
    who = demo["operator"]["username"], demo["operator"]["password"]
    take(demo["url"], who, Path(folder), list(paths) or ["/", "/clusters/"])


def take(url: str, who: tuple[str, str], folder: Path, paths: list[str]) -> None:
    """All pictures of a running page."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        shoot(browser, url, who, folder, paths)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

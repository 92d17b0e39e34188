"""One web process with rows, one browser, and pages that note what goes wrong in them."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, StorageState, expect, sync_playwright

from tests.browser.serve import PASSWORD
from tests.browser.shots import FLAGS, sign_in

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN_S = 90
# Told apart from a hang only: a busy machine included.
WITHIN_MS = 30_000


@dataclass(slots=True)
class Site:
    """A running web process and its database file."""

    url: str
    database: Path

    def change(self, sql: str, *values: object) -> None:
        """As a follower would: another process writes rows."""
        with sqlite3.connect(self.database, timeout=20) as connection:
            connection.execute(sql, values)
        connection.close()


@dataclass
class Troubles:
    """What a page complained of: console errors, refused resources, exceptions."""

    seen: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", lambda m: self.seen.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.seen.append(str(error)))
        page.on("requestfailed", self._failed)

    def _failed(self, request: Request) -> None:
        # What a left page had not got yet is dropped by the browser itself.
        if request.failure != "net::ERR_ABORTED":
            self.seen.append(f"{request.url}: {request.failure}")


def settled(page: Page) -> None:
    """Wait until a page is whole: told it is live, its chart drawn, where it has such."""
    if page.locator("[data-live]").count():
        expect(page.locator("#link.on")).to_have_count(1, timeout=WITHIN_MS)
    # What comes right after the page.
    expect(page.locator(".is-coming")).to_have_count(0, timeout=WITHIN_MS)
    if page.locator("#timeline").count():
        expect(page.locator("#timeline .main-svg").first).to_be_attached(timeout=WITHIN_MS)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, chromium: Path) -> Iterator[Site]:
    state_dir = tmp_path_factory.mktemp("site")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tests.browser.serve", str(state_dir), str(port)]
    log = (state_dir / "log").open("wb")
    child = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env={**os.environ})
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_it_answers(url, child, state_dir / "log")
        yield Site(url, state_dir / "rows.sqlite3")
    finally:
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=20)
        log.close()


def _wait_until_it_answers(url: str, child: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline and child.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{url}/sign-in/", timeout=5):
            return
        time.sleep(0.1)
    raise AssertionError(f"the web process does not answer:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="session")
def browser(chromium: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture
def troubles() -> Iterator[Troubles]:
    """Ends the test red when a page complained."""
    noted = Troubles()
    yield noted
    assert noted.seen == []


Opened = Callable[..., Page]


@pytest.fixture(scope="session")
def signed_in(site: Site, browser: Browser) -> Callable[[str], StorageState]:
    """The cookies of somebody who signed in, once for the whole run."""
    kept: dict[str, StorageState] = {}

    def state_of(who: str) -> StorageState:
        if who not in kept:
            context = browser.new_context()
            sign_in(context.new_page(), site.url, who, PASSWORD)
            kept[who] = context.storage_state()
            context.close()
        return kept[who]

    return state_of


@pytest.fixture
def open_page(
    site: Site,
    browser: Browser,
    troubles: Troubles,
    signed_in: Callable[[str], StorageState],
) -> Iterator[Opened]:
    """Opens a path as somebody, in a context of its own."""
    contexts = []

    def opened(
        path: str, *, who: str = "admin", theme: str = "dark", size: tuple[int, int] = (1440, 900)
    ) -> Page:
        width, height = size
        context = browser.new_context(
            color_scheme="dark" if theme == "dark" else "light",
            viewport={"width": width, "height": height},
            storage_state=signed_in(who) if who else None,
        )
        contexts.append(context)
        page = context.new_page()
        troubles.watch(page)
        page.goto(f"{site.url}{path}")
        return page

    yield opened
    for context in contexts:
        context.close()

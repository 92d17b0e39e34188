"""Whole lists in pages: each page is decoded into raw items, each item parsed and dropped."""

import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from fleet.adapters.kubernetes.client import Client, decoded
from fleet.errors import ClusterUnreachable, TooOld

logger = logging.getLogger(__name__)

PAGE = 500
TRIES = 4
RESTARTS = 3
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 10.0

T = TypeVar("T")


class PageMeta(msgspec.Struct):
    """ListMeta."""

    resourceVersion: str = ""  # noqa: N815 - the API's own name
    continue_: str = msgspec.field(default="", name="continue")


class Page(msgspec.Struct):
    """One page of any list; items stay raw until they are parsed one by one."""

    metadata: PageMeta
    items: list[msgspec.Raw] | None = None


_page = msgspec.json.Decoder(Page)


@dataclass(frozen=True, slots=True)
class RawPage:
    """Items of one page, and the resourceVersion of the whole list."""

    items: tuple[msgspec.Raw, ...]
    resource_version: str


def pages(client: Client, path: str, query: dict[str, str]) -> Iterator[RawPage]:
    """Page after page of one consistent list. Raises fleet.errors, TooOld when the snapshot that
    the pages come from was compacted on the way."""
    mark = ""
    while True:
        asked = query | {"limit": str(PAGE)} | ({"continue": mark} if mark else {})
        body = persistently(lambda asked=asked: client.get(path, query=asked))  # type: ignore[misc]
        page: Page = decoded(f"GET {path}", body, _page)
        yield RawPage(tuple(page.items or ()), page.metadata.resourceVersion)
        mark = page.metadata.continue_
        if not mark:
            return


def from_the_start(read: Callable[[], T]) -> T:
    """Read a whole list, again from its first page when its snapshot was lost on the way."""
    for _ in range(RESTARTS):
        try:
            return read()
        except TooOld as error:
            logger.info("restarted a list because=%s", error)
    return read()


def persistently(call: Callable[[], T], *, sleep: Callable[[float], None] = time.sleep) -> T:
    """Call, and again after 429, 5xx or a lost connection: as the server asks, else backing off
    with jitter. The last failure is raised."""
    for attempt in range(TRIES - 1):
        try:
            return call()
        except ClusterUnreachable as error:
            sleep(wait_s(attempt, asked_s=error.after_s))
    return call()


def wait_s(attempt: int, *, asked_s: float | None = None) -> float:
    """Seconds before try number `attempt` + 1, at most LONGEST_WAIT_S: what the server asked for
    and a little more, or a doubling span of which between a half and all is taken."""
    if asked_s is not None:
        return min(asked_s, LONGEST_WAIT_S) + random.uniform(0.0, 0.25)
    span: float = min(FIRST_WAIT_S * 2.0**attempt, LONGEST_WAIT_S)
    return random.uniform(span / 2, span)

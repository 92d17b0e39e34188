"""Reads metrics pages of pods through the API server's proxy, some at once, each bounded."""

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from fleet.adapters.kubernetes.answers import FOREIGN, raise_unreachable
from fleet.adapters.kubernetes.bodies import body_within
from fleet.adapters.kubernetes.client import Client
from fleet.domain.requests.pages import Page
from fleet.errors import ClusterRefused, FleetError

logger = logging.getLogger(__name__)

PAGE_BYTES = 16 * 1024 * 1024
AT_ONCE = 8
READ_S = 8.0
# A pod that sends a byte now and then must not hold up the others' pages.
WHOLE_S = 12.0


def read_pages(client: Client, pages: Sequence[Page]) -> Iterator[tuple[Page, str]]:
    """Pages that answer; no more than AT_ONCE are held. That none may be read is an error; that
    some do not answer is not."""
    refused: FleetError | None = None
    found = 0
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        for page, text in _texts(client, pages, pool):
            if isinstance(text, FleetError):
                refused = text
                logger.info("skipped page pod=%s/%s: %s", page.namespace, page.pod, text)
                continue
            found += 1
            yield page, text
    if refused is not None and not found:
        raise refused


def _texts(
    client: Client, pages: Sequence[Page], pool: ThreadPoolExecutor
) -> Iterator[tuple[Page, str | FleetError]]:
    for first in range(0, len(pages), AT_ONCE):
        some = pages[first : first + AT_ONCE]
        yield from zip(some, pool.map(lambda page: _tried(client, page), some), strict=True)


def _tried(client: Client, page: Page) -> str | FleetError:
    try:
        return _text(client, page)
    except FleetError as error:
        return error


def _text(client: Client, page: Page) -> str:
    """What is no text is read as far as it is some."""
    path = f"/api/v1/namespaces/{page.namespace}/pods/{page.pod}:{page.port}/proxy{page.path}"
    with client.open(path, accept="text/plain", read_s=READ_S) as response:
        try:
            body = body_within(response, PAGE_BYTES + 1, whole_s=WHOLE_S)
        except FOREIGN as error:
            raise_unreachable(f"GET {path}", error)
    if len(body) > PAGE_BYTES:
        raise ClusterRefused(f"GET {path} answered more than {PAGE_BYTES} bytes", status=200)
    return body.decode(errors="replace")

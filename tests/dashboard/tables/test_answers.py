"""A table as a download, with a plain server and with an asynchronous one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from django.test import AsyncRequestFactory, RequestFactory

from dashboard.tables.answers import Export, download
from tests.dashboard.tables.test_written import LINES, Line


def export(about: str = "") -> Export[Line]:
    return Export(table=LINES, rows=[Line("one", 1.0)], about=about)


def test_a_file_by_its_name_and_kind() -> None:
    response = download(RequestFactory().get("/"), export("gemma 2; 7d"), form="csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="lines-gemma-2-7d.csv"'
    assert response["Cache-Control"] == "no-store"
    assert b"".join(_plain(response)) == b"name,seconds_s,at\r\none,1.0,2026-11-30T12:00:00Z\r\n"


def test_a_hostile_name_leaves_nothing_in_the_header() -> None:
    response = download(RequestFactory().get("/"), export('"\r\nSet-Cookie: a=b'), form="json")
    assert response["Content-Disposition"] == 'attachment; filename="lines-Set-Cookie-a-b.json"'


async def test_an_asynchronous_server_gets_piece_by_piece() -> None:
    request = AsyncRequestFactory().get("/")
    assert isinstance(request, ASGIRequest)
    response = download(request, export(), form="json")
    assert response.is_async
    content: Any = response.streaming_content
    pieces: AsyncIterator[bytes] = content
    got = [piece async for piece in pieces]
    assert len(got) == 3
    assert b"".join(got).startswith(b'{"items":[{"name":"one"')


def _plain(response: StreamingHttpResponse) -> list[bytes]:
    content: Any = response.streaming_content
    return list(content)

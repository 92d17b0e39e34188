"""A table as a download."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from dashboard.tables.columns import R, Table
from dashboard.tables.written import FORMS

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Generic[R]):
    """A table and its rows. about: what else its file's name says, like a range; "" = nothing."""

    table: Table[R]
    rows: Iterable[R]
    about: str = ""


def download(request: HttpRequest, export: Export[R], *, form: str) -> StreamingHttpResponse:
    """The table as a file that streams. form: a key of FORMS."""
    content_type, written = FORMS[form]
    pieces = written(export.table, export.rows)
    # Django would gather a plain iterator whole before an ASGI server sent its first byte.
    content = _on_its_thread(pieces) if isinstance(request, ASGIRequest) else pieces
    response = StreamingHttpResponse(content, content_type=content_type)
    name = "-".join(filter(None, (export.table.name, _file_part(export.about))))
    response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    response["Cache-Control"] = "no-store"
    return response


def _file_part(about: str) -> str:
    """Bare of all that has a meaning in a header or a path."""
    return NOT_IN_NAMES.sub("-", about).strip("-.")


async def _on_its_thread(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Each piece is read on the request's thread, where its database connection is."""

    def following() -> bytes:
        return next(pieces, b"")

    while piece := await sync_to_async(following, thread_sensitive=True)():
        yield piece

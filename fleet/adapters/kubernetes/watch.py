"""Our own reading of a watch stream: lines as they come, objects kept raw until parsed.

The official Watch loses ERROR lines (KeyError on a 410) and builds models of everything.
"""

from collections.abc import Iterator

import msgspec
import urllib3

from fleet.adapters.kubernetes.answers import FOREIGN, Status, error_of, raise_unreachable
from fleet.adapters.kubernetes.parse.deep import decode
from fleet.errors import ClusterUnreachable

CHUNK_BYTES = 64 * 1024
# etcd refuses objects over 1.5 MiB; a longer line is no watch event.
LINE_BYTES = 8 * 1024 * 1024


class Line(msgspec.Struct):
    """One event of a watch; `object` is raw JSON. A type unknown to us is passed on."""

    type: str
    object: msgspec.Raw


_line = msgspec.json.Decoder(Line)
_error = msgspec.json.Decoder(Status, strict=False)


def lines(what: str, response: urllib3.BaseHTTPResponse) -> Iterator[Line]:
    """Events until the server ends the stream. Raises TooOld on its ERROR line of code 410,
    ClusterUnreachable when the stream breaks."""
    for raw in _split(what, _chunks(what, response)):
        try:
            line = decode(_line, raw)
        except msgspec.MsgspecError as error:
            raise_unreachable(what, ValueError(f"no watch event: {error}"))
        if line.type == "ERROR":
            raise _told(what, line)
        yield line


def _told(what: str, line: Line) -> Exception:
    try:
        status = decode(_error, line.object)
    except msgspec.MsgspecError:
        return ClusterUnreachable(f"{what} told of an error that cannot be read")
    return error_of(what, http_status=status.code or 500, status=status)


def _chunks(what: str, response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    try:
        yield from response.stream(CHUNK_BYTES)
    except (*FOREIGN, AttributeError) as error:  # AttributeError: closed by another thread
        raise_unreachable(what, error if isinstance(error, Exception) else OSError())


def _split(what: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines out of chunks. An unfinished last line is dropped: it comes again."""
    kept: list[bytes] = []
    size = 0
    for chunk in chunks:
        first, newline, rest = chunk.partition(b"\n")
        kept.append(first)
        size += len(first)
        if size > LINE_BYTES:
            raise ClusterUnreachable(f"{what} sent a line of over {LINE_BYTES} bytes")
        if newline:
            yield from (line for line in (b"".join(kept), *rest.split(b"\n")[:-1]) if line)
            last = rest.rsplit(b"\n", 1)[-1]
            kept, size = [last], len(last)

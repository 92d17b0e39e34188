"""JSON that is nested deeper than a decoder follows: read without its depths.

Objects of strangers may hold whatever their schema does not forbid; the API takes 10,000 levels.
One of them must not hide the list that it stands in.
"""

import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

# No object of a kind that is followed has half as many.
LEVELS = 100
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]')

T = TypeVar("T")


def decode(decoder: "msgspec.json.Decoder[T]", raw: bytes | msgspec.Raw) -> T:
    """As the decoder does; raises its errors."""
    try:
        return decoder.decode(raw)
    except RecursionError:
        return decoder.decode(shallow(bytes(raw)))


def shallow(text: bytes, *, levels: int = LEVELS) -> bytes:
    """The same JSON, null in place of whatever lies deeper than `levels`."""
    return b"".join(_parts(text, levels))


def _parts(text: bytes, levels: int) -> Iterator[bytes]:
    depth = kept_to = 0
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign in (b"[", b"{"):
            depth += 1
            if depth == levels + 1:
                yield text[kept_to : token.start()]
        elif sign in (b"]", b"}"):
            if depth == levels + 1:
                yield b"null"
                kept_to = token.end()
            depth -= 1
    if depth <= levels:
        yield text[kept_to:]

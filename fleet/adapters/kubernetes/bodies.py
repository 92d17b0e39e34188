"""Bodies that come slowly: a time-out of reading begins anew with every byte, so that a peer that
sends one now and then would be read for ever. Here the whole body has a time."""

import time

import urllib3

PIECE_BYTES = 256 * 1024


def body_within(response: urllib3.BaseHTTPResponse, at_most: int, *, whole_s: float) -> bytes:
    """At most so many bytes, decompressed; raises TimeoutError when they take longer than
    `whole_s` seconds, and what urllib3 raises."""
    until = time.monotonic() + whole_s
    pieces: list[bytes] = []
    left = at_most
    while left > 0:
        piece = response.read1(min(left, PIECE_BYTES))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
        if time.monotonic() > until:
            response.close()
            raise TimeoutError(f"no whole answer within {whole_s:.0f} s")
    return b"".join(pieces)

"""Series put into a real Prometheus as they are, with their times.

Source: Prometheus remote write 1.0: protobuf in snappy's block format, here all literals.
"""

from __future__ import annotations

import math
import struct
import urllib.request
from collections.abc import Iterable

from simulator.promql.series import Series

# The bits of a stale marker. Source: prometheus/prometheus model/value.
STALE_BITS = 0x7FF0000000000002
_CHUNK = 65536


def write(url: str, series: Iterable[Series]) -> None:
    body = _compressed(b"".join(_field(1, _time_series(each)) for each in series))
    headers = {
        "Content-Type": "application/x-protobuf",
        "Content-Encoding": "snappy",
        "X-Prometheus-Remote-Write-Version": "0.1.0",
    }
    request = urllib.request.Request(f"{url}/api/v1/write", body, headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status in (200, 204)


def _time_series(series: Series) -> bytes:
    labels = b"".join(
        _field(1, _field(1, name.encode()) + _field(2, value.encode()))
        for name, value in series.labels
    )
    pairs = zip(series.times, series.values, strict=True)
    return labels + b"".join(_field(2, _sample(time, value)) for time, value in pairs)


def _sample(at_ms: int, value: float) -> bytes:
    bits = STALE_BITS if math.isnan(value) else struct.unpack("<Q", struct.pack("<d", value))[0]
    return b"\x09" + struct.pack("<Q", bits) + b"\x10" + _varint(at_ms)


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _compressed(plain: bytes) -> bytes:
    parts = [_varint(len(plain))]
    for start in range(0, len(plain), _CHUNK):
        chunk = plain[start : start + _CHUNK]
        parts.append(b"\xf4" + struct.pack("<H", len(chunk) - 1) + chunk)
    return b"".join(parts)

"""Durations as Go writes them, which is how Kubernetes, Knative and their Events do."""

import re

_UNITS_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PIECE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(h|ms|m|s|us|µs|ns)")


def duration_s(text: str) -> float | None:
    """Seconds of a Go duration such as 1h30m, 600s or 1.5m; None for anything else, a bare number
    and what is below 0 included. Source: golang time.ParseDuration."""
    total, end = 0.0, 0
    for piece in _PIECE.finditer(text):
        if piece.start() != end:
            return None
        total, end = total + float(piece[1]) * _UNITS_S[piece[2]], piece.end()
    return total if 0 < end == len(text) else None

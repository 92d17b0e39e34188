"""Values as the HTTP API shows them."""

from __future__ import annotations

import math
from typing import Any

from simulator.promql.evaluating import Value
from simulator.promql.series import Labels


def number(value: float) -> str:
    """As Go's FormatFloat with the fewest digits."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    return repr(float(value))


def _point(at_ms: int, value: float) -> list[Any]:
    seconds = at_ms / 1000
    return [int(seconds) if seconds == int(seconds) else seconds, number(value)]


def instant(value: Value, at_ms: int) -> dict[str, Any]:
    if isinstance(value, str):
        return {"resultType": "string", "result": [_point(at_ms, 0)[0], value]}
    if not isinstance(value, list):
        return {"resultType": "scalar", "result": _point(at_ms, float(value))}
    result = [{"metric": dict(each.labels), "value": _point(at_ms, each.value)} for each in value]
    return {"resultType": "vector", "result": result}


def matrix(found: dict[Labels, list[tuple[int, float]]]) -> dict[str, Any]:
    result = [
        {"metric": dict(labels), "values": [_point(at_ms, value) for at_ms, value in points]}
        for labels, points in sorted(found.items())
    ]
    return {"resultType": "matrix", "result": result}

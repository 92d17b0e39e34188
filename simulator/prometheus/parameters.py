"""What a query's parameters mean, and what is said of wrong ones.

Source: prometheus/prometheus web/api/v1/api.go of 2.42.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from simulator.promql.errors import QueryError
from simulator.promql.tokens import duration_ms

MOST_POINTS = 11_000
_DURATION = re.compile(r"(?:\d+(?:ms|[smhdwy]))+")


class BadParameter(QueryError):
    kind = "bad_data"
    status = 400


def moment_ms(found: Mapping[str, str], name: str, default_ms: int | None = None) -> int:
    """Unix seconds, or RFC 3339."""
    text = found.get(name, "")
    if not text and default_ms is not None:
        return default_ms
    try:
        seconds = float(text)
        if math.isfinite(seconds):
            return round(seconds * 1000)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except ValueError:
        reason = f'cannot parse "{text}" to a valid timestamp'
        prefix = f"Invalid time value for '{name}': " if name == "time" else ""
        raise BadParameter(f'invalid parameter "{name}": {prefix}{reason}') from None


def span_ms(found: Mapping[str, str], name: str) -> int | None:
    """A number of seconds, or a duration; None where it is not given."""
    text = found.get(name)
    if text is None:
        return None
    if _DURATION.fullmatch(text):
        return duration_ms(text)
    try:
        return round(float(text) * 1000)
    except ValueError:
        reason = f'cannot parse "{text}" to a valid duration'
        raise BadParameter(f'invalid parameter "{name}": {reason}') from None


def steps_ms(found: Mapping[str, str]) -> range:
    """The moments of a range query."""
    start, end = moment_ms(found, "start"), moment_ms(found, "end")
    if end < start:
        reason = "end timestamp must not be before start time"
        raise BadParameter(f'invalid parameter "end": {reason}')
    step = span_ms(found, "step") or 0
    if step <= 0:
        reason = "zero or negative query resolution step widths are not accepted. "
        raise BadParameter(f'invalid parameter "step": {reason}Try a positive integer')
    if (end - start) // step > MOST_POINTS:
        raise BadParameter(
            "exceeded maximum resolution of 11,000 points per timeseries. "
            "Try decreasing the query resolution (?step=XX)"
        )
    return range(start, end + 1, step)

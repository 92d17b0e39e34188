"""Which functions there are, and what they take.

Source: prometheus/prometheus promql/parser/functions.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.promql.nodes import MATRIX, SCALAR, STRING, VECTOR


@dataclass(frozen=True, slots=True)
class Signature:
    """optional: how many of the last arguments may be left out."""

    arguments: tuple[str, ...]
    result: str = VECTOR
    optional: int = 0


_OVER_TIME = ("avg", "min", "max", "sum", "count", "last", "present")
FUNCTIONS: Mapping[str, Signature] = {
    **{name: Signature((MATRIX,)) for name in ("rate", "increase", "irate", "delta", "idelta")},
    **{name: Signature((MATRIX,)) for name in ("changes", "resets", "absent_over_time")},
    **{f"{name}_over_time": Signature((MATRIX,)) for name in _OVER_TIME},
    **{name: Signature((VECTOR,)) for name in ("abs", "ceil", "floor", "sqrt", "exp", "ln")},
    **{name: Signature((VECTOR,)) for name in ("absent", "timestamp", "sort", "sort_desc")},
    "round": Signature((VECTOR, SCALAR), optional=1),
    "clamp_min": Signature((VECTOR, SCALAR)),
    "clamp_max": Signature((VECTOR, SCALAR)),
    "clamp": Signature((VECTOR, SCALAR, SCALAR)),
    "histogram_quantile": Signature((SCALAR, VECTOR)),
    "label_replace": Signature((VECTOR, STRING, STRING, STRING, STRING)),
    "scalar": Signature((VECTOR,), SCALAR),
    "vector": Signature((SCALAR,)),
    "time": Signature((), SCALAR),
}
# Those of Prometheus 2.42 that this server does not know.
NOT_HERE = frozenset(
    (
        *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "day_of_month"),
        *("day_of_week", "day_of_year", "days_in_month", "deg", "deriv", "histogram_count"),
        *("histogram_fraction", "histogram_sum", "holt_winters", "hour", "label_join", "log10"),
        *("log2", "minute", "month", "pi", "predict_linear", "quantile_over_time", "rad", "sgn"),
        *("sin", "sinh", "stddev_over_time", "stdvar_over_time", "tan", "tanh", "year"),
    )
)
AGGREGATIONS = frozenset(
    ("sum", "min", "max", "avg", "count", "group", "topk", "bottomk", "quantile")
)
WITH_PARAMETER = frozenset(("topk", "bottomk", "quantile"))

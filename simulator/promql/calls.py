"""Functions of instant vectors, and aggregations.

Source: prometheus/prometheus promql/functions.go and engine.go of 2.42.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from simulator.promql.errors import QueryError
from simulator.promql.nodes import Aggregation, Call, Matcher, Selector
from simulator.promql.quantiles import bucket_quantile, quantile_of
from simulator.promql.series import (
    Labels,
    Sample,
    Vector,
    leaving_out,
    only,
    value_of,
    with_label,
)

LE = "le"
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def each_value(vector: Vector, change: Callable[[float], float]) -> Vector:
    """Without the metric's name."""
    return [Sample(leaving_out(each.labels, ()), change(each.value)) for each in vector]


def _clamped(low: float, high: float) -> Callable[[float], float]:
    if math.isnan(low) or math.isnan(high):
        return lambda _: math.nan
    return lambda value: max(low, min(high, value))


def _rounded(to: float) -> Callable[[float], float]:
    return lambda value: math.floor(value * (1 / to) + 0.5) / (1 / to)


def _logarithm(value: float) -> float:
    if value > 0:
        return math.log(value)
    return math.nan if value else -math.inf


CHANGES: Mapping[str, Callable[..., Callable[[float], float]]] = {
    "abs": lambda: abs,
    "ceil": lambda: lambda value: float(math.ceil(value)) if math.isfinite(value) else value,
    "floor": lambda: lambda value: float(math.floor(value)) if math.isfinite(value) else value,
    "sqrt": lambda: lambda value: math.sqrt(value) if value >= 0 else math.nan,
    "exp": lambda: math.exp,
    "ln": lambda: _logarithm,
    "round": lambda to=1.0: _rounded(to),
    "clamp_min": lambda low: _clamped(low, math.inf),
    "clamp_max": lambda high: _clamped(-math.inf, high),
    "clamp": _clamped,
}


def histogram_quantile(quantile: float, vector: Vector) -> Vector:
    groups: dict[Labels, list[tuple[float, float]]] = {}
    for each in vector:
        try:
            bound = float(value_of(each.labels, LE).replace("+Inf", "inf"))
        except ValueError:
            continue
        groups.setdefault(leaving_out(each.labels, (LE,)), []).append((bound, each.value))
    return [Sample(key, bucket_quantile(quantile, found)) for key, found in groups.items()]


def label_replace(vector: Vector, to: str, replacement: str, source: str, pattern: str) -> Vector:
    if not _NAME.fullmatch(to):
        raise QueryError(f"invalid destination label name in label_replace(): {to}")
    template = re.sub(r"\$(?:(\w+)|\{(\w+)\})", lambda m: f"\\g<{m[1] or m[2]}>", replacement)
    found = Vector()
    for each in vector:
        match = re.fullmatch(pattern, value_of(each.labels, source))
        labels = with_label(each.labels, to, match.expand(template)) if match else each.labels
        found.append(Sample(labels, each.value))
    return found


def absent(node: Call, vector: Vector) -> Vector:
    """One element where there is none, with the labels that its selector fixes."""
    if vector:
        return []
    of = node.arguments[0]
    return [Sample(_fixed(of.matchers) if isinstance(of, Selector) else (), 1.0)]


def _fixed(matchers: Sequence[Matcher]) -> Labels:
    pairs = [(each.name, each.value) for each in matchers if each.operator == "="]
    return leaving_out(tuple(sorted(pairs)), ())


def aggregated(node: Aggregation, vector: Vector, parameter: float) -> Vector:
    groups: dict[Labels, Vector] = {}
    for each in vector:
        keep = leaving_out if node.without else only
        groups.setdefault(keep(each.labels, node.labels), []).append(each)
    if node.operator in ("topk", "bottomk"):
        picked = [_extremes(node, found, int(parameter)) for found in groups.values()]
        return [each for found in picked for each in found]
    return [
        Sample(key, _summary(node.operator, [each.value for each in found], parameter))
        for key, found in groups.items()
    ]


def _extremes(node: Aggregation, found: Vector, count: int) -> Vector:
    sign = -1 if node.operator == "topk" else 1
    return sorted(found, key=lambda each: sign * each.value)[: max(0, count)]


def _summary(operator: str, values: list[float], parameter: float) -> float:
    if operator == "quantile":
        return quantile_of(parameter, values)
    return SUMMARIES[operator](values)


def _extreme(pick: Callable[[Sequence[float]], float]) -> Callable[[list[float]], float]:
    """Not a number only where nothing else is."""

    def found(values: list[float]) -> float:
        numbers = [each for each in values if not math.isnan(each)]
        return pick(numbers) if numbers else math.nan

    return found


SUMMARIES: Mapping[str, Callable[[list[float]], float]] = {
    "sum": sum,
    "count": lambda values: float(len(values)),
    "avg": lambda values: sum(values) / len(values),
    "min": _extreme(min),
    "max": _extreme(max),
    "group": lambda _: 1.0,
}

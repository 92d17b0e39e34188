"""A query's value at one moment, or at the steps of a range."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from simulator.promql.calls import (
    CHANGES,
    absent,
    aggregated,
    each_value,
    histogram_quantile,
    label_replace,
)
from simulator.promql.errors import QueryError
from simulator.promql.nodes import (
    SCALAR,
    Aggregation,
    Binary,
    Call,
    Negative,
    Node,
    Number,
    Selector,
    Text,
)
from simulator.promql.operators import of_scalars, of_sets, of_vectors, with_scalar
from simulator.promql.parsing import SETS
from simulator.promql.ranges import KEEPS_NAME, OVER
from simulator.promql.series import Labels, Sample, Series, Storage, Vector, leaving_out

Value = float | str | Vector


class TimedOut(QueryError):
    kind = "timeout"
    status = 503


@dataclass(slots=True)
class Evaluation:
    """Of one query. deadline: of time.monotonic()."""

    storage: Storage
    deadline: float = math.inf
    _found: dict[int, list[Series]] = field(default_factory=dict)

    def at(self, node: Node, at_ms: int) -> Value:
        """A number, a text, or a vector."""
        if time.monotonic() > self.deadline:
            raise TimedOut("query timed out in expression evaluation")
        if isinstance(node, Number | Text):
            return node.value
        if isinstance(node, Selector):
            return self._instant(node, at_ms)
        if isinstance(node, Call):
            return self._call(node, at_ms)
        if isinstance(node, Aggregation):
            parameter = self.number(node.parameter, at_ms) if node.parameter else 0.0
            return aggregated(node, self.vector(node.of, at_ms), parameter)
        if isinstance(node, Negative):
            return self._negative(node, at_ms)
        return self._binary(node, at_ms)

    def steps(self, node: Node, moments_ms: Iterable[int]) -> dict[Labels, list[tuple[int, float]]]:
        """Each series with its values at the moments; a number is a series without labels."""
        found: dict[Labels, list[tuple[int, float]]] = {}
        for at_ms in moments_ms:
            value = self.at(node, at_ms)
            if isinstance(value, float | int):
                value = [Sample((), float(value))]
            if isinstance(value, str):
                raise QueryError("a range query of a string")
            for each in value:
                found.setdefault(each.labels, []).append((at_ms, each.value))
        return found

    def vector(self, node: Node, at_ms: int) -> Vector:
        value = self.at(node, at_ms)
        if not isinstance(value, list):
            raise QueryError("expected an instant vector")
        return _unique(value)

    def number(self, node: Node, at_ms: int) -> float:
        value = self.at(node, at_ms)
        if not isinstance(value, float | int):
            raise QueryError("expected a scalar")
        return float(value)

    # Kinds of nodes

    def _series(self, node: Selector) -> list[Series]:
        found = self._found.get(id(node))
        if found is None:
            found = self._found[id(node)] = list(self.storage.select(node.matchers))
        return found

    def _instant(self, node: Selector, at_ms: int) -> Vector:
        moment, found = at_ms - node.offset_ms, Vector()
        for series in self._series(node):
            sample = series.at(moment)
            if sample is not None:
                found.append(Sample(series.labels, sample[1]))
        return found

    def _binary(self, node: Binary, at_ms: int) -> Value:
        left, right = self.at(node.left, at_ms), self.at(node.right, at_ms)
        if isinstance(left, str) or isinstance(right, str):
            raise QueryError("binary expression must contain only scalar and instant vector types")
        if not isinstance(left, list):
            if isinstance(right, list):
                return with_scalar(node, right, left, vector_left=False)
            return of_scalars(node.operator, left, right)
        if not isinstance(right, list):
            return with_scalar(node, left, right, vector_left=True)
        return (of_sets if node.operator in SETS else of_vectors)(node, left, right)

    def _negative(self, node: Negative, at_ms: int) -> Value:
        if node.type == SCALAR:
            return -self.number(node.of, at_ms)
        return each_value(self.vector(node.of, at_ms), lambda value: -value)

    # Functions

    def _call(self, node: Call, at_ms: int) -> Value:
        name, arguments = node.function, node.arguments
        if name in OVER or name == "absent_over_time":
            return self._over(node, at_ms)
        if name in CHANGES:
            numbers = [self.number(each, at_ms) for each in arguments[1:]]
            return each_value(self.vector(arguments[0], at_ms), CHANGES[name](*numbers))
        if name == "time":
            return at_ms / 1000
        if name == "histogram_quantile":
            quantile = self.number(arguments[0], at_ms)
            return histogram_quantile(quantile, self.vector(arguments[1], at_ms))
        if name == "vector":
            return [Sample((), self.number(arguments[0], at_ms))]
        return self._of_vector(node, at_ms)

    def _of_vector(self, node: Call, at_ms: int) -> Value:
        name, arguments = node.function, node.arguments
        if name == "timestamp":
            return self._timestamps(arguments[0], at_ms)
        vector = self.vector(arguments[0], at_ms)
        if name == "label_replace":
            texts = [str(self.at(each, at_ms)) for each in arguments[1:]]
            return _unique(label_replace(vector, *texts))
        if name == "scalar":
            return vector[0].value if len(vector) == 1 else math.nan
        if name == "absent":
            return absent(node, vector)
        return sorted(vector, key=lambda each: each.value, reverse=name == "sort_desc")

    def _timestamps(self, node: Node, at_ms: int) -> Vector:
        """Of the samples themselves where it is a selector."""
        if not isinstance(node, Selector):
            return each_value(self.vector(node, at_ms), lambda _: at_ms / 1000)
        found, moment = Vector(), at_ms - node.offset_ms
        for series in self._series(node):
            sample = series.at(moment)
            if sample is not None:
                found.append(Sample(leaving_out(series.labels, ()), sample[0] / 1000))
        return found

    def _over(self, node: Call, at_ms: int) -> Vector:
        of = node.arguments[0]
        if not isinstance(of, Selector) or of.range_ms is None:
            raise QueryError("expected a range vector selector")
        end_ms, found = at_ms - of.offset_ms, Vector()
        start_ms = end_ms - of.range_ms
        for series in self._series(of):
            value = _over_samples(node.function, series, start_ms, end_ms)
            if value is not None:
                keeps = node.function in KEEPS_NAME
                labels = series.labels if keeps else leaving_out(series.labels, ())
                found.append(Sample(labels, value))
        return absent(node, found) if node.function == "absent_over_time" else _unique(found)


def _over_samples(function: str, series: Series, start_ms: int, end_ms: int) -> float | None:
    """None where the range holds too little."""
    if function == "last_over_time":
        return series.last_between(start_ms, end_ms)
    samples = series.between(start_ms, end_ms)
    over = OVER.get(function, OVER["present_over_time"])
    return over(samples, start_ms, end_ms) if samples else None


def _unique(vector: Vector) -> Vector:
    """Prometheus refuses a vector in which two elements have the same labels."""
    if len({each.labels for each in vector}) != len(vector):
        raise QueryError("vector cannot contain metrics with the same labelset")
    return vector

"""Binary operators on numbers and on vectors.

Source: prometheus/prometheus promql/engine.go of 2.42, VectorBinop and its neighbours.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from simulator.promql.errors import QueryError
from simulator.promql.nodes import Binary, Matching
from simulator.promql.parsing import COMPARISONS
from simulator.promql.series import (
    NAME,
    Labels,
    Sample,
    Vector,
    leaving_out,
    only,
    value_of,
    with_label,
)


def _divided(left: float, right: float) -> float:
    if right:
        return left / right
    if math.isnan(left) or math.isnan(right) or not left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def _modulo(left: float, right: float) -> float:
    return math.fmod(left, right) if right and not math.isinf(left) else math.nan


def _power(left: float, right: float) -> float:
    try:
        return math.pow(left, right)
    except (OverflowError, ValueError):
        return math.inf if abs(left) > 1 else math.nan


ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": _modulo,
    "^": _power,
}
COMPARING: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


def of_scalars(name: str, left: float, right: float) -> float:
    if name in COMPARISONS:
        return float(COMPARING[name](left, right))
    return ARITHMETIC[name](left, right)


def with_scalar(node: Binary, vector: Vector, number: float, *, vector_left: bool) -> Vector:
    """Each element with one number."""
    found = Vector()
    for each in vector:
        left, right = (each.value, number) if vector_left else (number, each.value)
        made = _result(node, left, right, kept=each.value)
        if made is not None:
            found.append(Sample(_named(node, each.labels), made))
    return found


def _result(node: Binary, left: float, right: float, *, kept: float) -> float | None:
    """None where a comparison filters. kept: the value that stays where it does not."""
    if node.operator not in COMPARISONS:
        return ARITHMETIC[node.operator](left, right)
    holds = COMPARING[node.operator](left, right)
    if node.as_bool:
        return float(holds)
    return kept if holds else None


def _named(node: Binary, labels: Labels) -> Labels:
    """Only a filter keeps the metric's name."""
    if node.operator in COMPARISONS and not node.as_bool:
        return labels
    return leaving_out(labels, ())


def _group(labels: Labels, matching: Matching) -> Labels:
    if matching.on:
        return only(labels, matching.labels)
    return leaving_out(labels, matching.labels)


def of_sets(node: Binary, left: Vector, right: Vector) -> Vector:
    """and, or, unless."""
    if node.operator == "or":
        there = {_group(each.labels, node.matching) for each in left}
        return [*left, *(each for each in right if _group(each.labels, node.matching) not in there)]
    there = {_group(each.labels, node.matching) for each in right}
    wanted = node.operator == "and"
    return [each for each in left if (_group(each.labels, node.matching) in there) == wanted]


def of_vectors(node: Binary, left: Vector, right: Vector) -> Vector:
    """One to one, or many to one with group_left or group_right."""
    matching = node.matching
    swapped = matching.many == "right"
    many, one = (right, left) if swapped else (left, right)
    singles = _singles(one, matching, side="left" if swapped else "right")
    found, seen = dict[Labels, float](), set[Labels]()
    for each in many:
        group = _group(each.labels, matching)
        other = singles.get(group)
        if other is None:
            continue
        if not matching.many and group in seen:
            raise QueryError(
                "multiple matches for labels: many-to-one matching must be explicit "
                "(group_left/group_right)"
            )
        seen.add(group)
        pair = (other.value, each.value) if swapped else (each.value, other.value)
        made = _result(node, *pair, kept=pair[0])
        if made is not None:
            _put(found, _joined(node, each, other), made)
    return [Sample(labels, value) for labels, value in found.items()]


def _put(found: dict[Labels, float], labels: Labels, value: float) -> None:
    if labels in found:
        raise QueryError("multiple matches for labels: grouping labels must ensure unique matches")
    found[labels] = value


def _singles(vector: Vector, matching: Matching, *, side: str) -> dict[Labels, Sample]:
    found: dict[Labels, Sample] = {}
    for each in vector:
        group = _group(each.labels, matching)
        if group in found:
            text = f"found duplicate series for the match group {{{_shown(group)}}} on the {side} "
            both = f"[{{{_shown(each.labels)}}}, {{{_shown(found[group].labels)}}}]"
            hint = "many-to-many matching not allowed: matching labels must be unique on one side"
            raise QueryError(f"{text}hand-side of the operation: {both};{hint}")
        found[group] = each
    return found


def _shown(labels: Labels) -> str:
    return ", ".join(f'{name}="{value}"' for name, value in labels)


def _joined(node: Binary, many: Sample, one: Sample) -> Labels:
    """The labels of a result."""
    matching = node.matching
    if matching.many:
        labels = _named(node, many.labels)
        for name in matching.include:
            labels = with_label(labels, name, value_of(one.labels, name))
        return labels
    labels = _named(node, many.labels)
    if matching.on:
        return only(labels, matching.labels)
    return tuple(pair for pair in labels if pair[0] not in matching.labels or pair[0] == NAME)

"""Label and field selectors. Source: apimachinery pkg/labels and pkg/fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from simulator.store.errors import StatusError
from simulator.store.json_values import JsonObject
from simulator.store.resources import EVENTS, NAMESPACES, NODES, PODS, SECRETS, Resource

Predicate = Callable[[JsonObject], bool]
_Test = Callable[[Mapping[str, str]], bool]

_TOKEN = re.compile(r"\s*(==|!=|=|!|,|\(|\)|[^\s=!,()]+)")
_METADATA_FIELDS = frozenset({"metadata.name", "metadata.namespace"})
_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_FIELDS: Mapping[str, frozenset[str]] = {
    PODS.plural: frozenset(
        {
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        }
    ),
    NODES.plural: frozenset({"spec.unschedulable"}),
    NAMESPACES.plural: frozenset({"status.phase"}),
    SECRETS.plural: frozenset({"type"}),
    EVENTS.plural: frozenset({"reason", "reportingComponent", "source", "type"})
    | {f"involvedObject.{name}" for name in _INVOLVED},
}


def bad_request(message: str) -> StatusError:
    return StatusError(400, "BadRequest", message)


def selector(resource: Resource, *, labels: str = "", fields: str = "") -> Predicate | None:
    """A test of an object; None when both selectors are empty (everything passes)."""
    label_tests = _label_tests(labels) if labels.strip() else []
    field_tests = _field_tests(resource, fields) if fields.strip() else []
    if not label_tests and not field_tests:
        return None

    def matches(obj: JsonObject) -> bool:
        found = obj["metadata"].get("labels") or {}
        return all(test(found) for test in label_tests) and all(test(obj) for test in field_tests)

    return matches


class _Tokens:
    """The tokens of a label selector, with one look ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self._at = 0

    @property
    def next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        token = self.next
        self._at += 1
        return token

    def identifier(self) -> str:
        if self.next and self.next[0] in "=!,()":
            raise _unparsable(f"found '{self.next}', expected: identifier")
        return self.take()

    def expect(self, token: str) -> None:
        if self.next != token:
            raise _unparsable(f"found '{self.next}', expected: '{token}'")
        self.take()


def _unparsable(why: str) -> StatusError:
    return bad_request(f"unable to parse requirement: {why}")


def _label_tests(text: str) -> list[_Test]:
    tokens = _Tokens(text)
    tests = [_requirement(tokens)]
    while tokens.next:
        tokens.expect(",")
        tests.append(_requirement(tokens))
    return tests


def _requirement(tokens: _Tokens) -> _Test:
    if tokens.next == "!":
        tokens.take()
        absent = tokens.identifier()
        return lambda labels: absent not in labels
    key = tokens.identifier()
    operator = tokens.next
    if operator in ("", ","):
        return lambda labels: key in labels
    tokens.take()
    if operator in ("=", "==", "!="):
        value = "" if tokens.next in ("", ",") else tokens.identifier()
        return _one_of(key, {value}, wanted=operator != "!=")
    if operator in ("in", "notin"):
        return _one_of(key, _values(tokens), wanted=operator == "in")
    raise _unparsable(f"found '{operator}', expected: in, notin, =, ==, !=, gt, lt")


def _values(tokens: _Tokens) -> set[str]:
    tokens.expect("(")
    values = {tokens.identifier()}
    while tokens.next == ",":
        tokens.take()
        values.add(tokens.identifier())
    tokens.expect(")")
    return values


def _one_of(key: str, values: set[str], *, wanted: bool) -> _Test:
    if wanted:
        return lambda labels: key in labels and labels[key] in values
    return lambda labels: key not in labels or labels[key] not in values


def _field_tests(resource: Resource, text: str) -> list[Predicate]:
    return [_field_test(resource, term) for term in text.split(",") if term.strip()]


def _field_test(resource: Resource, term: str) -> Predicate:
    match = re.fullmatch(r"\s*([^=!]+?)(!=|==|=)(.*)", term)
    if match is None:
        raise bad_request(f"invalid selector: '{term}'; can't understand '{term}'")
    path, operator, value = match.groups()
    known = _METADATA_FIELDS | (frozenset() if resource.custom else _known_fields(resource))
    stored = path.replace("regarding.", "involvedObject.")
    if stored not in known:
        raise bad_request(f"field label not supported: {path}")
    if operator == "!=":
        return lambda obj: _field(obj, stored) != value
    return lambda obj: _field(obj, stored) == value


def _known_fields(resource: Resource) -> frozenset[str]:
    return _FIELDS.get(resource.plural, frozenset())


def _field(obj: JsonObject, path: str) -> str:
    """The field as text; absent is ""."""
    if path == "source":
        return str(obj.get("source", {}).get("component") or obj.get("reportingComponent") or "")
    value: Any = obj
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)

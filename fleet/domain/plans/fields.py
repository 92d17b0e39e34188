"""Fields of raw Kubernetes objects by name: read one, patch some, ask who owns one.

A field is written `spec.predictor.minReplicas`; a key that holds dots stands in brackets, as in
`metadata.annotations[autoscaling.knative.dev/min-scale]`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fleet.errors import BadInput

Raw = Mapping[str, Any]
_PART = re.compile(r"\[([^\]]+)\]|([^.\[\]]+)")


def parts(field: str) -> tuple[str, ...]:
    """The keys from the object's top down to the field. BadInput when there is none."""
    found = tuple(bracketed or plain for bracketed, plain in _PART.findall(field))
    if not found:
        raise BadInput(f"field {field[:80]!r} names nothing")
    return found


def annotation(key: str) -> str:
    """The field of one annotation."""
    return f"metadata.annotations[{key}]"


def value_at(raw: Raw, field: str) -> Any:
    """The value at `field`; None where it, or anything above it, is absent."""
    value: Any = raw
    for key in parts(field):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def merge_body(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON merge patch that sets each field to its value; None removes the field."""
    body: dict[str, Any] = {}
    for field, value in values:
        *above, last = parts(field)
        place = body
        for key in above:
            place = place.setdefault(key, {})
        place[last] = value
    return body


def owners_at(raw: Raw, field: str) -> tuple[str, ...]:
    """Names of the field managers that own `field`, sorted; () where managedFields tell nothing."""
    entries = value_at(raw, "metadata.managedFields")
    if not isinstance(entries, list):
        return ()
    wanted = tuple(f"f:{key}" for key in parts(field))
    owners = {str(e.get("manager", "")) for e in entries if _holds(e.get("fieldsV1"), wanted)}
    return tuple(sorted(owners - {""}))


def _holds(fields: Any, wanted: tuple[str, ...]) -> bool:
    for key in wanted:
        if not isinstance(fields, Mapping) or key not in fields:
            return False
        fields = fields[key]
    return True


def managers(raw: Raw) -> tuple[str, ...]:
    """Names of all field managers that ever wrote the object, sorted."""
    entries = value_at(raw, "metadata.managedFields")
    if not isinstance(entries, list):
        return ()
    return tuple(sorted({str(e.get("manager", "")) for e in entries} - {""}))


def whole(value: Any) -> int | None:
    """A whole number from a number or its text (annotations are text); None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    try:
        return int(value) if isinstance(value, str) else None
    except ValueError:
        return None

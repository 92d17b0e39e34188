"""InferenceService, Revision, PodAutoscaler, Deployment: what they share."""

from collections.abc import Mapping
from typing import Any

from fleet.domain.diagnosis.evidence import Condition, Thing
from fleet.domain.diagnosis.reading.plain import entries, mapping, moment, name, pairs, text, within


def thing(raw: Any, *, kind: str) -> Thing:
    """An object; of a list the first one. kind: if the object does not say."""
    seen = next(entries(raw, at_most=1), {})
    meta = within(seen, "metadata")
    status = within(seen, "status")
    return Thing(
        kind=name(seen.get("kind")) or (kind if seen else ""),
        name=name(meta.get("name")),
        namespace=name(meta.get("namespace")),
        created_at=moment(meta.get("creationTimestamp")),
        labels=pairs(meta.get("labels")),
        annotations=pairs(meta.get("annotations")),
        conditions=conditions(status),
        spec=within(seen, "spec"),
        status=status,
    )


def conditions(status: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Those of a status, bounded."""
    raw = mapping(status).get("conditions")
    if not isinstance(raw, list):
        return ()
    return tuple(_condition(each) for each in entries(raw, at_most=50))


def _condition(raw: Mapping[str, Any]) -> Condition:
    return Condition(
        type=name(raw.get("type")),
        status=name(raw.get("status")),
        reason=name(raw.get("reason")),
        message=text(raw.get("message")),
        at=moment(raw.get("lastTransitionTime")),
    )

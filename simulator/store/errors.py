"""What an API server refuses, each as the Status object that goes over the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import Resource

MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


class StatusError(Exception):
    """A refusal with its HTTP status and its Status body.

    body: kind Status, status Failure. details may be None: webhooks' refusals have none.
    headers: what goes with it, such as Retry-After.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        *,
        details: JsonObject | None = None,
        metadata: JsonObject | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.details = details
        self.metadata = metadata or {}
        self.headers = dict(headers or {})

    @property
    def body(self) -> JsonObject:
        """The Status object, keys in the order of the wire."""
        body: JsonObject = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": self.metadata,
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = self.details
        return body | {"code": self.status}


class Refused(StatusError):
    """An admission webhook or a check of the API server said no."""


class NotFound(StatusError):
    def __init__(self, resource: Resource, name: str) -> None:
        message = f'{resource.group_resource} "{name}" not found'
        super().__init__(404, "NotFound", message, details=resource_details(resource, name))


class AlreadyExists(StatusError):
    def __init__(self, resource: Resource, name: str) -> None:
        message = f'{resource.group_resource} "{name}" already exists'
        super().__init__(409, "AlreadyExists", message, details=resource_details(resource, name))


class Conflict(StatusError):
    """The object is not as the caller thought. why ends the sentence of the message."""

    def __init__(
        self, resource: Resource, name: str, *, why: str = MODIFIED, by_kind: bool = False
    ) -> None:
        noun = resource.group_kind if by_kind else resource.group_resource
        details = resource_details(resource, name)
        if by_kind:
            details["kind"] = resource.kind
        message = f'Operation cannot be fulfilled on {noun} "{name}": {why}'
        super().__init__(409, "Conflict", message, details=details)


class Expired(StatusError):
    """A resourceVersion that is no longer in the history."""

    def __init__(self, message: str, *, metadata: JsonObject | None = None) -> None:
        super().__init__(410, "Expired", message, metadata=metadata)


class Invalid(StatusError):
    """Fields that do not pass the check. causes: (field, reason of the cause, message)."""

    def __init__(
        self, group: str, kind: str, name: str, *, causes: Sequence[tuple[str, str, str]]
    ) -> None:
        noun = f"{kind}.{group}" if group else kind
        lines = [f"{field}: {text}" for field, _, text in dict.fromkeys(causes)]
        said = lines[0] if len(lines) == 1 else "[" + ", ".join(lines) + "]"
        details = _details(name, group, kind)
        details["causes"] = [
            {"reason": reason, "message": text, "field": field} for field, reason, text in causes
        ]
        message = f'{noun} "{name}" is invalid: {said}'
        super().__init__(422, "Invalid", message, details=details)


def resource_details(resource: Resource, name: str) -> JsonObject:
    """details of a Status about one object; "kind" holds the plural, as the API server says it."""
    return _details(name, resource.group, resource.plural)


def _details(name: str, group: str, kind: str) -> JsonObject:
    pairs: dict[str, Any] = {"name": name, "group": group, "kind": kind}
    return {key: value for key, value in pairs.items() if value}

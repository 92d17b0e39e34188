"""The errors that cross layers. Each says whether trying again can help.

Foreign errors (HTTP, TLS, database drivers) stop at the adapter that met them and continue as one
of these, cause kept.
Texts are for operators: they name what was tried, on which cluster, and never hold credentials or
whole bodies.
"""

from dataclasses import dataclass


class FleetError(Exception):
    """Base of all our errors. `retry` tells whether the same call may work later."""

    retry = False


class ClusterUnreachable(FleetError):
    """No usable answer: refused, timed out, 5xx, 429. Try again after `after_s` (None = our own
    back-off)."""

    retry = True

    def __init__(self, message: str, *, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class ClusterRefused(FleetError):
    """The API server answered and said no (4xx). `status` is the HTTP status, `reason` the Status
    reason if there was one."""

    def __init__(self, message: str, *, status: int, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class CredentialsExpired(ClusterRefused):
    """401: the token is unknown or has expired. Read the credentials again before the next try."""

    retry = True


class Forbidden(ClusterRefused):
    """403 by RBAC: a right is missing. The feature behind it is absent, not broken."""


class NotThere(ClusterRefused):
    """404: no such object, or the cluster does not serve this resource."""


class Conflict(ClusterRefused):
    """409: somebody wrote the object since it was read."""

    retry = True


class TooOld(ClusterRefused):
    """410: this resourceVersion is compacted. List again."""

    retry = True


class AdmissionRefused(ClusterRefused):
    """A webhook or the schema refused the write; the message is the cluster's own (bounded)."""


@dataclass
class UnexpectedShape(FleetError):
    """An object without a field that we need. The object is skipped; nothing else stops."""

    kind: str
    name: str
    path: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.path} is missing or of the wrong type"


class LeaseLost(FleetError):
    """Somebody else follows this cluster now. Stop without writing."""


class BadInput(FleetError):
    """What a person or program asked for cannot be done as asked: says what was wrong, where, and
    what would do."""

"""Foreign answers and errors become `fleet.errors` here. Texts are bounded and hold no bodies."""

from typing import NoReturn

import msgspec
import urllib3
from kubernetes.client.exceptions import ApiException
from kubernetes.config.config_exception import ConfigException

from fleet.adapters.kubernetes.parse.deep import decode
from fleet.errors import (
    AdmissionRefused,
    ClusterRefused,
    ClusterUnreachable,
    Conflict,
    CredentialsExpired,
    FleetError,
    Forbidden,
    NotThere,
    TooOld,
)

MESSAGE_CHARS = 500
CAUSE_CHARS = 200
RETRIED = frozenset({408, 429, 500, 502, 503, 504})
REFUSALS: dict[int, type[ClusterRefused]] = {
    401: CredentialsExpired,
    403: Forbidden,
    404: NotThere,
    409: Conflict,
    410: TooOld,
    422: AdmissionRefused,
}


class Details(msgspec.Struct):
    """Status.details; seconds."""

    retryAfterSeconds: float | None = None  # noqa: N815 - the API's own name


class Status(msgspec.Struct):
    """The Status object of an error; every field may be missing."""

    message: str = ""
    reason: str = ""
    code: int | None = None
    details: Details | None = None


_status = msgspec.json.Decoder(Status, strict=False)


def status_of(body: bytes) -> Status:
    """The Status in an error's body; for anything else its text, bounded."""
    try:
        return decode(_status, body)
    except msgspec.MsgspecError:
        return Status(message=body[:MESSAGE_CHARS].decode(errors="replace"))


def error_of(
    what: str, *, http_status: int, status: Status, retry_after: str | None = None
) -> FleetError:
    """The error that an answer stands for. what: the call, for people."""
    text = f"{what} answered {http_status}: {status.message[:MESSAGE_CHARS]}"
    if http_status in RETRIED:
        return ClusterUnreachable(text, after_s=_seconds(retry_after, status))
    # A webhook's refusal may come as 400, 403 or 422; only the message tells it from RBAC's.
    if "admission webhook" in status.message:
        return AdmissionRefused(text, status=http_status, reason=status.reason)
    kind = REFUSALS.get(http_status, ClusterRefused)
    return kind(text, status=http_status, reason=status.reason)


def _seconds(header: str | None, status: Status) -> float | None:
    """How long the server asks to wait: header first, then the Status, None if neither says."""
    try:
        return min(float(header), 60.0) if header else _from_details(status)
    except ValueError:
        return _from_details(status)


def _from_details(status: Status) -> float | None:
    return status.details.retryAfterSeconds if status.details else None


def raise_unreachable(what: str, error: Exception) -> NoReturn:
    """Re-raise a foreign error as ours, cause kept; its text is bounded and holds no token."""
    text = str(error)[:CAUSE_CHARS]
    raise ClusterUnreachable(f"{what}: {type(error).__name__}: {text}") from error


FOREIGN = (urllib3.exceptions.HTTPError, ApiException, ConfigException, OSError, ValueError)

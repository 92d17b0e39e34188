"""Codes of what goes wrong with a cluster; pages make text of them."""

from fleet.errors import (
    ClusterRefused,
    ClusterUnreachable,
    CredentialsExpired,
    FleetError,
    Forbidden,
    NotThere,
    TooOld,
)

CODES: tuple[tuple[type[FleetError], str], ...] = (
    (CredentialsExpired, "credentials-expired"),
    (Forbidden, "forbidden"),
    (NotThere, "not-served"),
    (TooOld, "too-old"),
    (ClusterRefused, "refused"),
    (ClusterUnreachable, "unreachable"),
)


def code_of(error: FleetError) -> str:
    """The first that fits; "failed" for the rest."""
    return next((code for kind, code in CODES if isinstance(error, kind)), "failed")

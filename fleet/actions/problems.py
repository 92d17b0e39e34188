"""Errors of a cluster as the reason why an action is refused or fails."""

from fleet.domain.plans.plan import Notice
from fleet.errors import ClusterUnreachable, FleetError, Forbidden, NotThere

MESSAGE_CHARS = 500


def why_not(error: FleetError) -> Notice:
    """An error as a refusal: which kind, and the cluster's own words."""
    params = {"message": said(error)}
    if isinstance(error, NotThere):
        return Notice(code="object-gone", params=params)
    if isinstance(error, Forbidden):
        return Notice(code="forbidden", params=params)
    if isinstance(error, ClusterUnreachable):
        return Notice(code="cluster-unreachable", params=params)
    return Notice(code="cluster-refused", params=params)


def said(error: FleetError) -> str:
    """The cluster's message without the address that was asked."""
    text = str(error)
    return text.split(" answered ", 1)[-1][:MESSAGE_CHARS]

"""Who may see and do what, where. Pages, sockets and the API ask here."""

from dashboard.access.grants import grant_of_token, grant_of_user
from dashboard.access.rules import Grant, Role, may
from dashboard.access.scope import clusters_within, within

__all__ = [
    "Grant",
    "Role",
    "clusters_within",
    "grant_of_token",
    "grant_of_user",
    "may",
    "within",
]

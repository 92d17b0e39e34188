"""The only writer of sealed secrets: what acts on a cluster, and what its models ask for."""

import base64
from datetime import datetime

from django.db import transaction

from fleet.errors import BadInput
from fleet.models import AuditEntry, Cluster


def set_actor_token(cluster: str, sealed: bytes, *, by: str, now: datetime) -> None:
    """The actor's token of a cluster, sealed; b"" takes it away. BadInput for no such cluster."""
    with transaction.atomic():
        row = _found(cluster)
        row.actor_secret = sealed
        row.save(update_fields=["actor_secret"])
        _audit("actor token", row.name, set_=bool(sealed), by=by, now=now)


def set_model_key(cluster: str, model: str, sealed: bytes, *, by: str, now: datetime) -> None:
    """A model's API key ("namespace/name"), sealed; b"" takes it away. BadInput as above."""
    with transaction.atomic():
        row = _found(cluster)
        keys = {name: kept for name, kept in row.model_keys.items() if name != model}
        if sealed:
            keys[model] = base64.b64encode(sealed).decode()
        row.model_keys = keys
        row.save(update_fields=["model_keys"])
        _audit("model key", f"{row.name}/{model}", set_=bool(sealed), by=by, now=now)


def _found(cluster: str) -> Cluster:
    row = Cluster.objects.present().select_for_update().filter(name=cluster).first()
    if row is None:
        raise BadInput(f"there is no cluster {cluster[:80]!r}")
    return row


def _audit(what: str, target: str, *, set_: bool, by: str, now: datetime) -> None:
    """That it was set, never what it is."""
    AuditEntry.objects.create(
        at=now, who=by, what=what, target=target[:700], outcome="set" if set_ else "removed"
    )

"""The only writer of sealed secrets: what acts on a cluster, and what its models ask for."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from fleet.errors import BadInput
from fleet.models import AuditEntry, Cluster

# What the act worker reaches a cluster with, where it is no token.
BY_SOURCE = {
    "kubeconfig": "a kubeconfig (PILOTLIGHT_ACTOR_KUBECONFIG, else KUBECONFIG)",
    "in-cluster": "its pod's own account",
}


@dataclass(frozen=True, slots=True)
class Secret:
    """One sealed secret of a cluster. zone: "reader", "metrics" (the reader's key seals it too) or
    "actor". model: "namespace/name", "" = the cluster's token."""

    cluster: str
    zone: str
    model: str
    sealed: bytes


def set_actor_token(cluster: str, sealed: bytes, *, by: str, now: datetime) -> None:
    """The actor's token of a cluster, sealed; b"" takes it away. BadInput for no such cluster, and
    for one that is reached by other credentials: its token would never be used."""
    with transaction.atomic():
        row = _found(cluster)
        if sealed and not row.server:
            raise BadInput(
                f"cluster {cluster!r} is not reached by a token but by {BY_SOURCE[row.source]}: "
                "give that account the rights to act"
            )
        row.actor_secret = sealed
        row.save(update_fields=["actor_secret"])
        _audit("actor token", row.name, outcome=_outcome(sealed), by=by, now=now)


def set_model_key(cluster: str, model: str, sealed: bytes, *, by: str, now: datetime) -> None:
    """A model's API key ("namespace/name"), sealed; b"" takes it away. BadInput as above."""
    with transaction.atomic():
        row = _found(cluster)
        keys = {name: kept for name, kept in row.model_keys.items() if name != model}
        if sealed:
            keys[model] = base64.b64encode(sealed).decode()
        row.model_keys = keys
        row.save(update_fields=["model_keys"])
        _audit("model key", f"{row.name}/{model}", outcome=_outcome(sealed), by=by, now=now)


def reseal_secrets(
    cluster: str, reseal: Callable[[Secret], bytes], *, by: str, now: datetime
) -> int:
    """Keep what `reseal` makes of each secret of a cluster; how many changed. BadInput as above."""
    with transaction.atomic():
        row = _found(cluster)
        changed = 0
        for secret in list(_secrets(row)):
            sealed = reseal(secret)
            if sealed != secret.sealed:
                _put(row, secret, sealed)
                what = "model key" if secret.model else f"{secret.zone} token"
                target = f"{cluster}/{secret.model}" if secret.model else cluster
                _audit(what, target, outcome="resealed", by=by, now=now)
                changed += 1
        row.save(update_fields=["reader_secret", "metrics_secret", "actor_secret", "model_keys"])
    return changed


def _secrets(row: Cluster) -> Iterator[Secret]:
    if row.reader_secret:
        yield Secret(row.name, "reader", "", bytes(row.reader_secret))
    if row.metrics_secret:
        yield Secret(row.name, "metrics", "", bytes(row.metrics_secret))
    if row.actor_secret:
        yield Secret(row.name, "actor", "", bytes(row.actor_secret))
    for model, kept in row.model_keys.items():
        yield Secret(row.name, "actor", model, base64.b64decode(kept))


def _put(row: Cluster, secret: Secret, sealed: bytes) -> None:
    if secret.model:
        row.model_keys[secret.model] = base64.b64encode(sealed).decode()
    elif secret.zone == "reader":
        row.reader_secret = sealed
    elif secret.zone == "metrics":
        row.metrics_secret = sealed
    else:
        row.actor_secret = sealed


def _found(cluster: str) -> Cluster:
    row = Cluster.objects.present().select_for_update().filter(name=cluster).first()
    if row is None:
        raise BadInput(f"there is no cluster {cluster[:80]!r}")
    return row


def _audit(what: str, target: str, *, outcome: str, by: str, now: datetime) -> None:
    """That it was set, never what it is."""
    AuditEntry.objects.create(at=now, who=by, what=what, target=target[:700], outcome=outcome)


def _outcome(sealed: bytes) -> str:
    return "set" if sealed else "removed"

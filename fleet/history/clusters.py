"""Clusters added, paused and removed. Removing keeps history."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from fleet.errors import BadInput
from fleet.models import (
    Cluster,
    ModelInsight,
    NotTaken,
    ObservedObject,
    ServedModel,
    WatchPosition,
)

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
LONGEST = 40
IN_CLUSTER = "in-cluster"
KUBECONFIG = "kubeconfig"
TOKEN = "token"
NO_METRICS: dict[str, Any] = {
    "metrics_url": "",
    "metrics_secret": b"",
    "metrics_ca_pem": "",
    "metrics_headers": {},
    "metrics_pages": False,
    "metrics": {},
    "metrics_trouble": {},
    "metric_era": "",
}


def checked_name(name: str) -> str:
    """The name, if it is one; raises BadInput."""
    if not NAME.fullmatch(name):
        raise BadInput(
            f"cluster name {name[:80]!r}: expected a to z, 0 to 9 and -, at most {LONGEST} of them,"
            " not beginning with -"
        )
    return name


def name_from(context: str, *, taken: Iterable[str] = ()) -> str:
    """A name made of a context's: `arn:aws:eks:…:cluster/Prod_1` gives `prod-1`."""
    last = re.split(r"[/@:]", context.strip().lower().rstrip("/@:"))[-1]
    plain = re.sub(r"[^a-z0-9]+", "-", last).strip("-")[:LONGEST].rstrip("-") or "cluster"
    used = set(taken)
    numbered = (plain, *(f"{plain[: LONGEST - 4]}-{n}" for n in range(2, 1000)))
    return next(name for name in numbered if name not in used)


def add_cluster(
    name: str, *, source: str, now: datetime, namespaces: Sequence[str] = (), **columns: Any
) -> Cluster:
    """A row that workers will follow. A removed one of the same name comes back with its history.

    columns: context; or server, ca_pem and secrets. Raises BadInput when the name is taken.
    """
    checked_name(name)
    with transaction.atomic():
        row = Cluster.objects.filter(name=name).first() or Cluster(name=name, created_at=now)
        if row.pk is not None and row.removed_at is None:
            raise BadInput(f"cluster name {name!r} is taken: choose another, or remove that one")
        _reset(row, source=source, namespaces=list(namespaces), **columns)
        row.save()
    return row


def _reset(row: Cluster, **columns: Any) -> None:
    """Nothing of an earlier life decides how the cluster is reached now."""
    fresh: dict[str, Any] = {
        "removed_at": None,
        "context": "",
        "server": "",
        "ca_pem": "",
        "paused": False,
        "state": "connecting",
        "state_detail": {},
        **NO_METRICS,
    }
    for column, value in (fresh | columns).items():
        setattr(row, column, value)


def remove_cluster(name: str, *, now: datetime) -> None:
    """No longer followed or shown; starts, events and audit stay. Credentials, models' keys and
    allowed hosts go: another cluster may get the name. So do objects and logs that were collected.

    Raises BadInput when there is none. Its follower finds the lease gone with its next batch.
    """
    with transaction.atomic():
        row = found(name)
        Cluster.objects.filter(pk=row.pk).update(
            removed_at=now,
            reader_secret=b"",
            actor_secret=b"",
            model_keys={},
            gateway_url="",
            allowed_hosts=[],
            **NO_METRICS,
            lease_epoch=F("lease_epoch") + 1,
            lease_expires_at=None,
        )
        ObservedObject.objects.filter(cluster=row.pk).delete()
        WatchPosition.objects.filter(cluster=row.pk).delete()
        NotTaken.objects.filter(cluster=name).delete()
        ModelInsight.objects.filter(cluster=name).delete()
        ServedModel.objects.filter(cluster=name, gone_at=None).update(
            gone_at=now, version=F("version") + 1
        )


def pause_cluster(name: str, *, paused: bool) -> None:
    """Stop or go on following; raises BadInput when there is none."""
    state = "paused" if paused else "connecting"
    Cluster.objects.filter(pk=found(name).pk).update(paused=paused, state=state)


def found(name: str) -> Cluster:
    """The present cluster of this name; raises BadInput."""
    row = Cluster.objects.present().filter(name=name).first()
    if row is None:
        raise BadInput(f"there is no cluster {name[:80]!r}")
    return row


def register(contexts: Sequence[str], *, in_cluster: bool, now: datetime) -> list[str]:
    """Rows for what the environment names, if they are not there; gives the names that were added.

    A cluster that somebody removed stays removed. in_cluster: whether to follow the cluster that
    this process runs in, where no context is named.
    """
    if contexts:
        known = set(Cluster.objects.filter(source=KUBECONFIG).values_list("context", flat=True))
        return [_register(c, KUBECONFIG, now=now) for c in contexts if c not in known]
    if in_cluster and not Cluster.objects.filter(source=IN_CLUSTER).exists():
        return [_register(IN_CLUSTER, IN_CLUSTER, now=now)]
    return []


def _register(context: str, source: str, *, now: datetime) -> str:
    name = name_from(context, taken=Cluster.objects.values_list("name", flat=True))
    return add_cluster(name, source=source, now=now, context=context).name

"""What admins do to clusters on the page and by command, with its audit entry in the same
transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from fleet.history.access import Deed, note
from fleet.history.clusters import (
    IN_CLUSTER,
    KUBECONFIG,
    TOKEN,
    add_cluster,
    found,
    pause_cluster,
    remove_cluster,
)
from fleet.history.gateways import name_gateway
from fleet.models import Cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How a cluster added by page is reached: server URL, CA and sealed token, nothing else."""

    server: str
    ca_pem: str
    sealed_token: bytes


@transaction.atomic
def add_by_token(
    name: str, connection: Connection, deed: Deed, *, namespaces: Sequence[str] = ()
) -> Cluster:
    """A cluster that workers will follow; raises BadInput when the name is taken or none."""
    row = add_cluster(
        name,
        source=TOKEN,
        now=deed.now,
        namespaces=namespaces,
        server=connection.server,
        ca_pem=connection.ca_pem,
        reader_secret=connection.sealed_token,
    )
    after = {"server": connection.server, "namespaces": list(namespaces)}
    note(deed, "cluster-added", name, after=after)
    return row


@transaction.atomic
def add_by_context(
    name: str, context: str, deed: Deed, *, namespaces: Sequence[str] = ()
) -> Cluster:
    """A cluster by a context of the server's own kubeconfig, "" = the account of the pod we run
    in; raises BadInput when the name is taken or none."""
    source = KUBECONFIG if context else IN_CLUSTER
    row = add_cluster(name, source=source, now=deed.now, namespaces=namespaces, context=context)
    after = {"context": context, "namespaces": list(namespaces)}
    note(deed, "cluster-added", name, after=after)
    return row


@transaction.atomic
def pause(name: str, deed: Deed, *, paused: bool) -> None:
    """Stop or go on following; raises BadInput when there is no such cluster."""
    pause_cluster(name, paused=paused)
    note(deed, "cluster-paused" if paused else "cluster-resumed", name)


@transaction.atomic
def set_read_only(name: str, deed: Deed, *, read_only: bool) -> None:
    """Allow or refuse actions on the cluster; raises BadInput when there is no such cluster."""
    row = found(name)
    Cluster.objects.filter(pk=row.pk).update(read_only=read_only)
    before, after = {"read_only": row.read_only}, {"read_only": read_only}
    note(deed, "cluster-read-only", name, before=before, after=after)


@transaction.atomic
def set_gateway(name: str, url: str, deed: Deed) -> None:
    """Where its models are reached from now on; raises BadInput for no address or no cluster."""
    before = {"gateway_url": found(name).gateway_url}
    name_gateway(name, url)
    note(deed, "cluster-gateway", name, before=before, after={"gateway_url": url})


@transaction.atomic
def remove(name: str, deed: Deed) -> None:
    """No longer followed or shown; history stays. Raises BadInput when there is none."""
    remove_cluster(name, now=deed.now)
    note(deed, "cluster-removed", name)

"""Whose the series of a cluster are, by what history knows of it."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Q

from fleet.domain.records.keys import Mode
from fleet.domain.requests.owners import Member, Names, Owner, names_of
from fleet.models import Replica, Revision, ServedModel

# Counts of what is gone are still read for as long as a reading may look back.
GONE_LATELY = timedelta(hours=1, minutes=5)


def known_names(cluster: str, *, now: datetime) -> Names:
    """Three queries, however many models there are."""
    here = Q(gone_at=None) | Q(gone_at__gte=now - GONE_LATELY)
    models = ServedModel.objects.present().filter(cluster=cluster)
    columns = ("cluster", "kind", "namespace", "name", "model_uid", "mode")
    owners = {Owner(row.model_uid, row.key): Mode(row.mode) for row in models.only(*columns)}
    return names_of(
        owners,
        revisions=_revisions(Q(here, cluster=cluster)),
        pods=_pods(Q(here, cluster=cluster)),
    )


def _revisions(which: Q) -> Iterator[Member]:
    rows = Revision.objects.filter(which, source="knative").order_by("created_at")
    for namespace, name, uid in rows.values_list("namespace", "revision", "model_uid").iterator():
        yield Member(namespace, name, "", uid)


def _pods(which: Q) -> Iterator[Member]:
    rows = Replica.objects.filter(which).order_by("created_at")
    columns = ("namespace", "replica", "revision", "model_uid")
    for namespace, name, revision, uid in rows.values_list(*columns).iterator():
        yield Member(namespace, name, revision, uid)

"""Revisions and replicas, kept when the cluster has forgotten them."""

from datetime import datetime
from typing import Self

from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.keyed import Keyed, of_key


class RevisionQuerySet(models.QuerySet["Revision"]):
    """The vocabulary of revisions."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "-id")


class Revision(Keyed):
    """A Knative Revision, a ReplicaSet or a LeaderWorkerSet revision. Names repeat after stop and
    resume; uids do not."""

    uid = models.CharField(max_length=80)
    revision = models.CharField(max_length=253)
    source = models.CharField(max_length=20)
    number = models.CharField(max_length=20, blank=True)
    image = models.CharField(max_length=500, blank=True)
    traffic_percent = models.IntegerField(null=True)
    min_scale = models.IntegerField(null=True)
    max_scale = models.IntegerField(null=True)
    ready = models.BooleanField(null=True)
    ready_reason = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "uid"], name="one_row_per_revision_uid")
        ]
        indexes = [
            # The model page: revisions and traffic.
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "-created_at"],
                name="revisions_of_model",
            )
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.revision}"


class ReplicaQuerySet(models.QuerySet["Replica"]):
    """The vocabulary of replicas."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def living(self) -> Self:
        return self.filter(gone_at=None)

    def handed_on(self, *, since: datetime) -> Self:
        """What a follower starts from: the living, and those gone since that moment."""
        return self.filter(models.Q(gone_at=None) | models.Q(gone_at__gte=since))


class Replica(Keyed):
    """A pod, or a LeaderWorkerSet group. `facts` is the evidence that its starts are measured
    from."""

    uid = models.CharField(max_length=80)
    replica = models.CharField(max_length=253)
    revision = models.CharField(max_length=253, blank=True)
    revision_uid = models.CharField(max_length=80, blank=True)
    role = models.CharField(max_length=12, default="both")
    node = models.CharField(max_length=253, blank=True)
    gpus = models.IntegerField(default=0)
    ready = models.BooleanField(default=False)
    facts = models.TextField()
    created_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True)
    gone_at = models.DateTimeField(null=True)

    objects = ReplicaQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "uid"], name="one_row_per_replica_uid")
        ]
        indexes = [
            # The model page's timeline, and the next follower's start.
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "created_at"],
                name="replicas_of_model",
            ),
            models.Index(fields=["cluster", "gone_at"], name="replicas_living"),
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.replica}"

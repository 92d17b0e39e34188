"""Scale events, probe failures, and gaps in watching."""

from typing import Self

from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.cluster import Cluster
from fleet.models.keyed import Keyed, of_key


class ScaleEventQuerySet(models.QuerySet["ScaleEvent"]):
    """The vocabulary of scale events."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def newest_first(self) -> Self:
        return self.order_by("-at", "-id")


class ScaleEvent(Keyed):
    """A revision's wish went from `from_count` to `to_count`. uid: identity, so that a replay
    does not double it."""

    uid = models.CharField(max_length=160)
    revision = models.CharField(max_length=253, blank=True)
    revision_uid = models.CharField(max_length=80, blank=True)
    at = models.DateTimeField()
    from_count = models.IntegerField()
    to_count = models.IntegerField()
    change = models.CharField(max_length=12)
    source = models.CharField(max_length=24)
    cause = models.CharField(max_length=24)
    actor = models.CharField(max_length=120, blank=True)

    objects = ScaleEventQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "uid"], name="one_row_per_scale_event")
        ]
        indexes = [
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "-at"], name="scale_events_of_model"
            ),
            models.Index(fields=["-at", "-id"], name="scale_events_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.from_count} -> {self.to_count}"


class ProbeFailureQuerySet(models.QuerySet["ProbeFailure"]):
    """The vocabulary of probe failures."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def newest_first(self) -> Self:
        return self.order_by("-at", "-id")


class ProbeFailure(Keyed):
    """Failures told by one Event object; `count` is a lower bound and grows in place."""

    event_uid = models.CharField(max_length=80)
    replica = models.CharField(max_length=253)
    replica_uid = models.CharField(max_length=80)
    container = models.CharField(max_length=253)
    about = models.CharField(max_length=253)
    probe = models.CharField(max_length=12)
    during = models.CharField(max_length=12)
    count = models.IntegerField()
    first_at = models.DateTimeField()
    at = models.DateTimeField()
    message = models.CharField(max_length=1024)

    objects = ProbeFailureQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "event_uid"], name="one_row_per_probe_failure"
            )
        ]
        indexes = [
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "-at"],
                name="probe_failures_of_model",
            ),
            # The fleet row's count of the last hour.
            models.Index(
                fields=["cluster", "model_uid", "-at"], name="probe_failures_of_model_uid"
            ),
            models.Index(fields=["-at", "-id"], name="probe_failures_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.probe} x{self.count}"


class Gap(models.Model):
    """Nothing was watched between `since` and `until` (None = still blind)."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="gaps")
    resource = models.CharField(max_length=60)
    since = models.DateTimeField()
    until = models.DateTimeField(null=True)
    why = models.CharField(max_length=60)

    class Meta:
        indexes = [models.Index(fields=["cluster", "-since"], name="gaps_of_cluster")]

    def __str__(self) -> str:
        return f"{self.resource} {self.since:%F %T}"

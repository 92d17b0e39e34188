"""Cold starts: the result of measuring, one row per replica and attempt."""

from datetime import datetime
from typing import Self

from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.keyed import Keyed, of_key


class ColdStartQuerySet(models.QuerySet["ColdStart"]):
    """The vocabulary of cold starts."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def running(self) -> Self:
        return self.filter(outcome="running")

    def ready(self) -> Self:
        return self.filter(outcome="ready")

    def started_since(self, moment: datetime) -> Self:
        return self.filter(started_at__gte=moment)

    def newest_first(self) -> Self:
        return self.order_by("-started_at", "-id")


class ColdStart(Keyed):
    """The contract's ColdStart; `phases` is its list of phases as JSON."""

    replica_uid = models.CharField(max_length=80)
    attempt = models.IntegerField(default=0)
    replica = models.CharField(max_length=253)
    revision = models.CharField(max_length=253, blank=True)
    revision_uid = models.CharField(max_length=80, blank=True)
    role = models.CharField(max_length=12, default="both")
    node = models.CharField(max_length=253, blank=True)
    restarts = models.IntegerField(default=0)
    trigger = models.CharField(max_length=20)
    start_mode = models.CharField(max_length=20)
    outcome = models.CharField(max_length=10)
    failure_class = models.CharField(max_length=40, blank=True)
    failure_reason = models.CharField(max_length=1024, blank=True)
    started_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended_in_phase = models.CharField(max_length=20, blank=True)
    first_answer_at = models.DateTimeField(null=True)
    total_s = models.FloatField(null=True)
    total_to_first_answer_s = models.FloatField(null=True)
    unexplained_s = models.FloatField(default=0.0)
    clamped = models.BooleanField(default=False)
    phases = models.JSONField(default=list)
    requests_lost = models.JSONField(null=True)
    # In the counters and the sums of its day.
    counted = models.BooleanField(default=False)
    image = models.CharField(max_length=512, blank=True, default="")
    image_digest = models.CharField(max_length=80, blank=True, default="")
    engine_version = models.CharField(max_length=40, blank=True, default="")
    gpus = models.IntegerField(null=True)
    node_pool = models.CharField(max_length=128, blank=True, default="")
    weights_from = models.CharField(max_length=24, blank=True, default="")
    progress_deadline_s = models.FloatField(null=True)
    image_pull = models.CharField(max_length=8, blank=True, default="")
    image_bytes = models.BigIntegerField(null=True)
    log = models.JSONField(null=True)

    objects = ColdStartQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "replica_uid", "attempt"], name="one_row_per_start"
            )
        ]
        indexes = [
            # The model page: last starts. With the id too: else SQLite takes the index of the
            # namespace, which has the whole order.
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "-started_at", "-id"],
                name="cold_starts_of_model",
            ),
            # The cold starts list, newest first.
            models.Index(fields=["-started_at", "-id"], name="cold_starts_newest"),
            # The fleet row's figures.
            models.Index(
                fields=["cluster", "model_uid", "-started_at"], name="cold_starts_of_model_uid"
            ),
            # The list of one namespace, or of a scope.
            models.Index(
                fields=["cluster", "namespace", "-started_at", "-id"],
                name="cold_starts_of_namespace",
            ),
            # The list of one node or revision: few of many, found without reading the rest.
            models.Index(fields=["node", "-started_at", "-id"], name="cold_starts_of_node"),
            models.Index(fields=["revision", "-started_at", "-id"], name="cold_starts_of_revision"),
            # Starts in flight.
            models.Index(fields=["outcome", "-started_at"], name="cold_starts_by_outcome"),
            # Starts that are still to be counted.
            models.Index(
                fields=["ended_at"], condition=models.Q(counted=False), name="cold_starts_uncounted"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.trigger} {self.outcome}"

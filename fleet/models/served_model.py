"""The stored fleet row of each model, and services that are not taken for vLLM."""

from collections.abc import Collection
from typing import Self

from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.keyed import Keyed, of_key


class ServedModelQuerySet(models.QuerySet["ServedModel"]):
    """The vocabulary of the fleet."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def present(self) -> Self:
        return self.filter(gone_at=None)

    def on(self, clusters: Collection[str]) -> Self:
        return self.filter(cluster__in=clusters)


class ServedModel(Keyed):
    """One model as the fleet table shows it, written in the batch's transaction.

    rank: worst first, small is worse. version rises with each write: fragments are rendered once
    per version.
    state is what the objects and the errors say; a reader says Unknown when the cluster's data is
    too old. told_*: what the objects alone say.
    p50_s, p95_s: total_s of ready starts of 7 days, null under 5 / under 20 starts.
    last_start, in_flight: the API's shapes, so that a row needs no join. errors: null = not
    measured here. errors_spark: 5xx of the last minutes, [[requests, lost], …], oldest first, one
    for each minute; errors_at: when both were counted.
    """

    mode = models.CharField(max_length=24)
    state = models.CharField(max_length=12)
    state_code = models.CharField(max_length=60, blank=True)
    state_params = models.JSONField(default=dict)
    told_state = models.CharField(max_length=12, blank=True)
    told_code = models.CharField(max_length=60, blank=True)
    told_params = models.JSONField(default=dict)
    state_since = models.DateTimeField(null=True)
    rank = models.IntegerField(default=0)
    version = models.BigIntegerField(default=0)
    served_names = models.JSONField(default=list)
    url = models.CharField(max_length=1000, blank=True)
    runtime = models.CharField(max_length=253, blank=True)
    team = models.CharField(max_length=120, blank=True)
    environment = models.CharField(max_length=120, blank=True)
    ready = models.IntegerField(default=0)
    desired = models.IntegerField(null=True)
    min = models.IntegerField(null=True)
    max = models.IntegerField(null=True)
    revision = models.CharField(max_length=253, blank=True)
    revision_uid = models.CharField(max_length=80, blank=True)
    revision_created_at = models.DateTimeField(null=True)
    traffic = models.JSONField(default=list)
    count_7d = models.IntegerField(default=0)
    failed_7d = models.IntegerField(default=0)
    p50_s = models.FloatField(null=True)
    p95_s = models.FloatField(null=True)
    last_start = models.JSONField(null=True)
    in_flight = models.JSONField(default=list)
    errors = models.JSONField(null=True)
    errors_spark = models.JSONField(default=list)
    errors_at = models.DateTimeField(null=True)
    probe_starting_1h = models.IntegerField(default=0)
    probe_serving_1h = models.IntegerField(default=0)
    finding = models.JSONField(null=True)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True)

    objects = ServedModelQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "model_uid"], name="one_row_per_model_uid")
        ]
        indexes = [
            # The fleet page, worst first.
            models.Index(
                fields=["gone_at", "rank", "cluster", "namespace", "name", "kind"],
                name="fleet_worst_first",
            ),
            # The API's default order, and one model by key.
            models.Index(
                fields=["gone_at", "cluster", "kind", "namespace", "name"], name="fleet_by_key"
            ),
            # Counts per state and the choices of the filters: read from the index alone.
            models.Index(
                fields=["gone_at", "cluster", "namespace", "team", "mode", "state"],
                name="fleet_by_facet",
            ),
        ]

    def __str__(self) -> str:
        return str(self.key)


class NotTaken(Keyed):
    """A service that is not taken for vLLM: `rule` is the code of the rule that failed."""

    rule = models.CharField(max_length=60)
    detail = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "model_uid"], name="one_row_per_not_taken")
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.rule}"

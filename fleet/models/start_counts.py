"""Sums of starts that are over: for ever growing counters, and sums of days."""

from datetime import date
from typing import Self

from django.db import models

# In place of a namespace: the sums of all of them.
WHOLE_CLUSTER = ""


class StartTally(models.Model):
    """How long starts took, counted once each and never less: the counters of `/metrics`.

    phase: "" = the whole start. name: `_other` for models beyond the most that have labels of their
    own (kind is "" then). counts: starts by place of `sums.BOUNDS_S`, not cumulated.
    """

    cluster = models.CharField(max_length=40)
    kind = models.CharField(max_length=40, blank=True)
    namespace = models.CharField(max_length=253)
    name = models.CharField(max_length=253)
    phase = models.CharField(max_length=20, blank=True)
    start_mode = models.CharField(max_length=20)
    outcome = models.CharField(max_length=10)
    counts = models.JSONField(default=list)
    sum_s = models.FloatField(default=0.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "namespace", "name", "kind", "phase", "start_mode", "outcome"],
                name="one_row_per_start_tally",
            )
        ]

    def __str__(self) -> str:
        return f"{self.cluster}/{self.namespace}/{self.name}: {self.phase or 'start'}"


class StartDayQuerySet(models.QuerySet["StartDay"]):
    """The vocabulary of sums of days."""

    def between(self, first: date, last: date) -> Self:
        """Both days included."""
        return self.filter(day__gte=first, day__lte=last)


class StartDay(models.Model):
    """Starts of one UTC day that are over, of one namespace, team and environment; and again of
    each whole cluster (namespace WHOLE_CLUSTER), so that a fleet's months are few rows.

    narrow: lengths by place of `sums.narrow_place`, as JSON {"place": how many}; starts of unknown
    length are in `count` alone.
    """

    day = models.DateField()
    cluster = models.CharField(max_length=40)
    namespace = models.CharField(max_length=253)
    team = models.CharField(max_length=120, blank=True)
    environment = models.CharField(max_length=120, blank=True)
    start_mode = models.CharField(max_length=20)
    outcome = models.CharField(max_length=10)
    count = models.IntegerField(default=0)
    sum_s = models.FloatField(default=0.0)
    narrow = models.JSONField(default=dict)

    objects = StartDayQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "day",
                    "cluster",
                    "namespace",
                    "team",
                    "environment",
                    "start_mode",
                    "outcome",
                ],
                name="one_row_per_start_day",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.cluster}/{self.namespace} {self.start_mode} {self.outcome}"

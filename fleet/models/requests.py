"""Requests as counted, an hour of one revision a row."""

from datetime import UTC, datetime
from typing import Self

from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.keyed import Keyed, of_key


class RequestHourQuerySet(models.QuerySet["RequestHour"]):
    """The vocabulary of hours of requests."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def between(self, since: datetime, until: datetime) -> Self:
        """Hours that hold any moment of the span; both ends are inside the hour they fall in."""
        first = since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        return self.filter(hour__gte=first, hour__lte=until)

    def with_windows(self) -> Self:
        return self.filter(windows__isnull=False)


class RequestHour(Keyed):
    """What became of the requests of one revision in one hour; none for an hour without any.

    hour: its beginning, UTC. windows: the 30 s windows that had any, as JSON (fleet.history
    writes and reads it); None once they are past their time: the sums stay.
    requests: None = never measured in this hour. errors: {"hop/code": count}. told, at_least: hops
    that could be told apart in every window, and those whose count is a lower bound.
    """

    revision = models.CharField(max_length=253, blank=True)
    hour = models.DateTimeField()
    windows = models.JSONField(null=True)
    requests = models.BigIntegerField(null=True)
    requests_at_least = models.BooleanField(default=False)
    errors = models.JSONField(default=dict)
    lost = models.BigIntegerField(default=0)
    client_gone = models.BigIntegerField(null=True)
    told = models.JSONField(default=list)
    at_least = models.JSONField(default=list)

    objects = RequestHourQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "model_uid", "revision", "hour"], name="one_row_per_request_hour"
            )
        ]
        indexes = [
            # The model page's timeline.
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "-hour"],
                name="request_hours_of_model",
            ),
            # A file of all models, and what is past its time.
            models.Index(fields=["hour"], name="request_hours_by_hour"),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.hour:%F %H}h"

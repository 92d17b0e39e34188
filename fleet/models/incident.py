"""Windows of user-visible errors."""

from datetime import datetime
from typing import Self

from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.keyed import Keyed, of_key


class IncidentQuerySet(models.QuerySet["Incident"]):
    """The vocabulary of incidents."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def ongoing(self) -> Self:
        return self.filter(ended_at=None)

    def touching(self, since: datetime, until: datetime) -> Self:
        """Those that had any moment of the span."""
        over = models.Q(ended_at=None) | models.Q(ended_at__gte=since)
        return self.filter(over, started_at__lte=until)

    def newest_first(self) -> Self:
        return self.order_by("-started_at", "-id")


class Incident(Keyed):
    """Callers of one model got errors from started_at to ended_at (None = still).

    started_at: the first window with errors. last_error_at: the end of the newest one.
    requests_lost: 5xx that callers got; at_least: it is a lower bound. by_hop: {hop: count or
    null}, by_code: {code: count}. requests: all of them in that time, None = not measured.
    cause, confidence: the first finding when it was last diagnosed, "" = none yet; findings: all
    of them, the API's shape. revisions: names of those with errors. around: `errors`
    ({"hop/code": count}), hops `told` and `at_least`, spans `unread`; from its end on also what
    happened about that time (starts, scale events, probe failures, revisions, actions), since
    facts are not for ever.
    """

    started_at = models.DateTimeField()
    last_error_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    requests = models.BigIntegerField(null=True)
    requests_lost = models.BigIntegerField(default=0)
    at_least = models.BooleanField(default=False)
    client_gone = models.BigIntegerField(null=True)
    by_hop = models.JSONField(default=dict)
    by_code = models.JSONField(default=dict)
    revisions = models.JSONField(default=list)
    cause = models.CharField(max_length=40, blank=True)
    confidence = models.FloatField(null=True)
    findings = models.JSONField(default=list)
    diagnosed_at = models.DateTimeField(null=True)
    around = models.JSONField(default=dict)
    version = models.BigIntegerField(default=0)
    changed_at = models.DateTimeField()

    objects = IncidentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "model_uid"],
                condition=models.Q(ended_at=None),
                name="one_open_incident_per_model",
            )
        ]
        indexes = [
            # The list, newest first, of everything or of a scope.
            models.Index(fields=["-started_at", "-id"], name="incidents_newest"),
            models.Index(
                fields=["cluster", "namespace", "-started_at", "-id"], name="incidents_of_namespace"
            ),
            # The model page.
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "-started_at"],
                name="incidents_of_model",
            ),
            # Those that go on.
            models.Index(
                fields=["cluster", "model_uid"],
                condition=models.Q(ended_at=None),
                name="incidents_ongoing",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.started_at:%F %T}"

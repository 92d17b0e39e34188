"""What was concluded of one model, and from which objects."""

from datetime import datetime
from typing import Self

from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.keyed import Keyed, of_key


class ModelInsightQuerySet(models.QuerySet["ModelInsight"]):
    """The vocabulary of insights."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def due(self, *, now: datetime) -> Self:
        """Those that were asked for and that nobody works on."""
        free = models.Q(claimed_until=None) | models.Q(claimed_until__lt=now)
        return self.filter(free, due_at__lte=now)


class ModelInsight(Keyed):
    """Findings and advice of one model; one row a model.

    objects_json: what was collected of it, as compressed JSON without secrets, at collected_at.
    findings, lint, profile: what the domain says, as fleet.history.insights writes it; sentences
    are made where they are shown. linted_for: the settings and figures that lint was told of last.
    fingerprint: of what is shown, so that nothing is written when nothing changed. problem: what
    could not be collected, {"code", "text", "missing"}; {} = nothing. due_at: when it should be
    looked at (again), None = not asked for; why: what asked for it, as a code.
    """

    objects_json = models.BinaryField(default=bytes, blank=True)
    collected_at = models.DateTimeField(null=True)
    findings = models.JSONField(default=list)
    diagnosed_at = models.DateTimeField(null=True)
    lint = models.JSONField(default=list)
    linted_at = models.DateTimeField(null=True)
    linted_for = models.CharField(max_length=64, blank=True, default="")
    profile = models.JSONField(default=dict)
    fingerprint = models.CharField(max_length=64, blank=True)
    problem = models.JSONField(default=dict)
    due_at = models.DateTimeField(null=True)
    why = models.CharField(max_length=40, blank=True)
    claimed_until = models.DateTimeField(null=True)
    version = models.BigIntegerField(default=0)

    objects = ModelInsightQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "model_uid"], name="one_insight_per_model_uid"
            )
        ]
        indexes = [models.Index(fields=["due_at"], name="insights_due")]

    def __str__(self) -> str:
        return f"{self.key} {self.diagnosed_at}"

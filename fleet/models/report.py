"""Weekly reports as they were made: never changed, a new revision stands beside the old ones."""

from typing import Self

from django.db import models


class ReportQuerySet(models.QuerySet["Report"]):
    """The vocabulary of reports."""

    def of(self, week: str) -> Self:
        """Those of one week ("2026-W48"), the newest revision first."""
        return self.filter(week=week).order_by("-revision")


class Report(models.Model):
    """What is kept of one week, for the whole fleet; every reader's report is made from it.

    facts: a WeekFacts as JSON text. why: why it was made once more, "" for the first.
    """

    week = models.CharField(max_length=8)
    revision = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    why = models.CharField(max_length=500, blank=True)
    facts = models.TextField()

    objects = ReportQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["week", "revision"], name="one_row_per_report")
        ]
        indexes = [
            # The API's list, newest first.
            models.Index(fields=["-created_at", "-id"], name="reports_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.week} revision {self.revision}"

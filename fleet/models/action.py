"""Plans, actions and the audit trail. Nothing here is edited by people or deleted."""

from typing import Self

from django.conf import settings
from django.db import models

from fleet.domain.records.keys import ModelKey
from fleet.models.keyed import Keyed, of_key


class PlanQuerySet(models.QuerySet["Plan"]):
    """The vocabulary of plans."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))


class Plan(Keyed):
    """What an action would do; what runs is exactly this. States: previewing planned refused
    expired applied.

    target is the model's key; model_uid may be "" until the preview has looked. body: changes,
    effects, warnings, inverse,
    dry_run as in the API's Plan. seen: what "still as planned" compares (uids, old values,
    revisions in traffic).
    """

    id = models.CharField(primary_key=True, max_length=40)
    state = models.CharField(max_length=12, default="previewing")
    action = models.CharField(max_length=40)
    params = models.JSONField(default=dict)
    reason = models.CharField(max_length=500)
    made_by = models.CharField(max_length=150)
    body = models.JSONField(default=dict)
    seen = models.JSONField(default=dict)
    refusal = models.JSONField(null=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=120, blank=True)

    objects = PlanQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["state", "created_at"], name="plans_by_state")]

    def __str__(self) -> str:
        return f"{self.action} {self.key} ({self.state})"


class ActionQuerySet(models.QuerySet["Action"]):
    """The vocabulary of actions."""

    def of(self, key: ModelKey) -> Self:
        return self.filter(of_key(key))

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "-id")

    def unfinished(self) -> Self:
        return self.filter(finished_at=None)


class Action(Keyed):
    """A plan that was applied. States: queued applying accepted scaling ready served failed
    refused superseded expiring
    reverting reverted. A plan is applied once: `plan` is unique. due_at: when a worker should
    look again (follow, expiry)."""

    id = models.CharField(primary_key=True, max_length=40)
    plan = models.OneToOneField(Plan, on_delete=models.PROTECT, related_name="applied")
    idempotency_key = models.CharField(max_length=120)
    action = models.CharField(max_length=40)
    state = models.CharField(max_length=12, default="queued")
    by = models.CharField(max_length=150)
    result = models.JSONField(null=True)
    inverse = models.JSONField(default=list)
    before = models.JSONField(default=list)
    after = models.JSONField(default=list)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    revert_asked_by = models.CharField(max_length=150, blank=True)
    due_at = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=120, blank=True)
    claimed_until = models.DateTimeField(null=True)

    objects = ActionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["cluster", "kind", "namespace", "name", "-created_at"],
                name="actions_of_model",
            ),
            models.Index(fields=["due_at"], name="actions_due"),
            models.Index(fields=["-created_at"], name="actions_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.key} ({self.state})"


class ActionStep(models.Model):
    """One state an action reached, with its evidence."""

    action = models.ForeignKey(Action, on_delete=models.PROTECT, related_name="steps")
    state = models.CharField(max_length=12)
    at = models.DateTimeField()
    evidence = models.CharField(max_length=1024, blank=True)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return f"{self.action_id} {self.state}"


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Read only: entries are added by `fleet.history`, never changed."""

    def newest_first(self) -> Self:
        return self.order_by("-at", "-id")


class AuditEntry(models.Model):
    """Who did or was refused what, when, from where, with before and after."""

    at = models.DateTimeField()
    who = models.CharField(max_length=150)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    what = models.CharField(max_length=60)
    target = models.CharField(max_length=700, blank=True)
    outcome = models.CharField(max_length=24)
    reason = models.CharField(max_length=500, blank=True)
    plan = models.CharField(max_length=40, blank=True)
    action = models.CharField(max_length=40, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    detail = models.CharField(max_length=1024, blank=True)

    objects = AuditQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["-at", "-id"], name="audit_newest")]

    def __str__(self) -> str:
        return f"{self.at:%F %T} {self.who} {self.what}"

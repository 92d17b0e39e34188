"""Who may do what where: memberships, API tokens, one-time links."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models


class Membership(models.Model):
    """A user's role (viewer, operator, admin) and scope. Empty `clusters` or `namespaces` = all."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="membership"
    )
    role = models.CharField(max_length=10, default="viewer")
    clusters = models.JSONField(default=list, blank=True)
    namespaces = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.role}"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """The vocabulary of tokens."""

    def usable(self, *, now: datetime) -> Self:
        """Not revoked, not expired, of an active user."""
        return self.filter(revoked_at=None, expires_at__gt=now, user__is_active=True)


class ApiToken(models.Model):
    """A bearer token: only its SHA-256 is kept. Its role and scope narrow those of its user,
    never widen them."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=10)
    clusters = models.JSONField(default=list, blank=True)
    namespaces = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class OneTimeLink(models.Model):
    """A link that works once, kept as a SHA-256: makes the first admin."""

    digest = models.CharField(max_length=64, unique=True)
    purpose = models.CharField(max_length=24)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.purpose

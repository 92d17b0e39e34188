"""A followed cluster, where its watches stand, and the live objects the next follower starts
from."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models


class ClusterQuerySet(models.QuerySet["Cluster"]):
    """The vocabulary of clusters."""

    def present(self) -> Self:
        """Not removed; paused ones included."""
        return self.filter(removed_at=None)

    def followed(self) -> Self:
        """Those that a worker should follow."""
        return self.present().filter(paused=False)

    def unled(self, *, now: datetime) -> Self:
        """Followed, but nobody holds a lease that still runs."""
        expired = models.Q(lease_expires_at=None) | models.Q(lease_expires_at__lt=now)
        return self.followed().filter(expired)

    def stale(self, *, now: datetime, after: timedelta) -> Self:
        """Whose last proof of being in step is older than `after`, or that never had one."""
        old = models.Q(last_proof_at=None) | models.Q(last_proof_at__lt=now - after)
        return self.present().filter(old)


class Cluster(models.Model):
    """One cluster. `source`: kubeconfig (a context of the server's own file), in-cluster, or
    token (added by page or API).

    last_proof_at: a watch message, or a heartbeat while every watch is open. state: live,
    connecting, slow, unreachable, paused.
    state_detail: code of the trouble with its parameters as JSON. missing: [{"permission",
    "costs"}].
    past: a recorded past that is, or was, read: {"state": reading, done or failed, "since",
    "until", "read_to", "starts", "skipped", "problem", "by"}; {} = none.
    metrics_*: where its Prometheus is (url "" = none), who we are there (metrics_secret, encrypted
    JSON {"bearer"} or {"username", "password"}), its CA, plain headers (of multi-tenant stores).
    metrics_pages: without Prometheus, read metrics pages through the API server. metrics: what it
    can tell, found by asking; {} = not asked. metrics_read_to: windows before this are read.
    metrics_trouble: {"code", "text", "at"}, {} = none. metrics_claimed_until: a worker is at it.
    Lease: `lease_epoch` rises with every change of owner; each batch is guarded by owner and epoch.
    """

    name = models.CharField(max_length=40, unique=True)
    source = models.CharField(max_length=16, default="kubeconfig")
    context = models.CharField(max_length=253, blank=True)
    server = models.CharField(max_length=500, blank=True)
    ca_pem = models.TextField(blank=True)
    reader_secret = models.BinaryField(default=bytes, blank=True)
    actor_secret = models.BinaryField(default=bytes, blank=True)
    namespaces = models.JSONField(default=list, blank=True)
    gateway_url = models.CharField(max_length=500, blank=True)
    allowed_hosts = models.JSONField(default=list, blank=True)
    model_keys = models.JSONField(default=dict, blank=True)
    paused = models.BooleanField(default=False)
    read_only = models.BooleanField(default=False)
    simulated = models.BooleanField(default=False)
    state = models.CharField(max_length=16, default="connecting")
    state_detail = models.JSONField(default=dict, blank=True)
    kubernetes = models.CharField(max_length=40, blank=True)
    kserve = models.CharField(max_length=40, blank=True)
    knative = models.CharField(max_length=40, blank=True)
    metric_era = models.CharField(max_length=40, blank=True)
    watching = models.JSONField(default=list, blank=True)
    missing = models.JSONField(default=list, blank=True)
    past = models.JSONField(default=dict, blank=True)
    metrics_url = models.CharField(max_length=500, blank=True)
    metrics_secret = models.BinaryField(default=bytes, blank=True)
    metrics_ca_pem = models.TextField(blank=True)
    metrics_headers = models.JSONField(default=dict, blank=True)
    metrics_pages = models.BooleanField(default=False)
    metrics = models.JSONField(default=dict, blank=True)
    metrics_read_to = models.DateTimeField(null=True, blank=True)
    metrics_trouble = models.JSONField(default=dict, blank=True)
    metrics_claimed_until = models.DateTimeField(null=True, blank=True)
    last_proof_at = models.DateTimeField(null=True, blank=True)
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_epoch = models.BigIntegerField(default=0)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = ClusterQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class WatchPosition(models.Model):
    """How far one watch came. gap_since: when it was last in step, while it is not."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="positions")
    resource = models.CharField(max_length=60)
    namespace = models.CharField(max_length=253, blank=True)
    resource_version = models.CharField(max_length=40, blank=True)
    in_step_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "resource", "namespace"], name="one_position_per_watch"
            )
        ]

    def __str__(self) -> str:
        return f"{self.cluster_id}/{self.resource}@{self.resource_version}"


class ObservedObject(models.Model):
    """The newest record of a live object, as JSON; gone objects have no row."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="objects_seen")
    resource = models.CharField(max_length=60)
    uid = models.CharField(max_length=80)
    namespace = models.CharField(max_length=253, blank=True)
    name = models.CharField(max_length=253)
    record = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "resource", "uid"], name="one_row_per_observed_object"
            )
        ]

    def __str__(self) -> str:
        return f"{self.resource}/{self.namespace}/{self.name}"

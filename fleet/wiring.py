"""Builds adapters and hands them to the use cases; nobody else does. One small function for each
use case."""

import base64
import os
import threading
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from django.conf import settings

from fleet.actions.advance import advance
from fleet.actions.preview import preview
from fleet.actions.tools import Tools
from fleet.adapters.credentials import KeyRing, WrongKey
from fleet.adapters.kubernetes.client import Access, Client
from fleet.adapters.kubernetes.logs import KubernetesLogs
from fleet.adapters.kubernetes.past import PastFile
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.adapters.kubernetes.writer import KubernetesWriter
from fleet.adapters.openai.caller import OpenAiCaller
from fleet.adapters.redis.announcer import RedisAnnouncer, SilentAnnouncer
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.requests.states import Thresholds
from fleet.history import prune as pruning
from fleet.history import refresh, start_counts
from fleet.history.actions import due_actions
from fleet.history.clusters import register
from fleet.history.leases import Lease, claim
from fleet.history.plans import expire_plans, unclaimed_plans
from fleet.history.secrets import Secret, reseal_secrets, set_actor_token, set_model_key
from fleet.models import Cluster
from fleet.observe.follow import Task, follow
from fleet.observe.past import PastRead, PastTask, read_past
from fleet.ports import Announcer, ClusterFacts, ClusterWriter, ModelCaller
from fleet.reporting import weekly

# Portions of starts that one call counts: a backlog must not keep a worker.
PORTIONS = 50


def now() -> datetime:
    """Our clock."""
    return datetime.now(UTC)


@cache
def announcer() -> Announcer:
    """One for the process."""
    return RedisAnnouncer(settings.REDIS_URL) if settings.REDIS_URL else SilentAnnouncer()


def reader_access(cluster: Cluster) -> Access:
    """How its reader reaches a cluster: by the server's own kubeconfig or account, or by what was
    entered on the page."""
    if cluster.source == "kubeconfig":
        return Access(context=cluster.context, kubeconfig=settings.KUBECONFIG)
    if cluster.server:
        return Access(
            server=cluster.server, ca_pem=cluster.ca_pem, token=lambda: reader_token(cluster)
        )
    return Access()


@cache
def reader_ring() -> KeyRing:
    """Seals and opens what reads clusters."""
    return KeyRing(settings.READER_KEY, zone="reader")


def sealed_reader_token(cluster: str, token: str) -> bytes:
    """A reader's token as it is kept in the row of the cluster of that name."""
    return reader_ring().seal(token, about=f"cluster/{cluster}/token")


def reader_token(cluster: Cluster) -> str:
    """The reader's token of a cluster added by page or API; raises WrongKey without one."""
    return reader_ring().open(bytes(cluster.reader_secret), about=f"cluster/{cluster.name}/token")


def ledger_settings() -> LedgerSettings:
    """What the environment sets of it."""
    return LedgerSettings(
        team_label=settings.TEAM_LABEL, environment_label=settings.ENVIRONMENT_LABEL
    )


def follow_cluster(name: str, *, owner: str, deadline_s: float, over: threading.Event) -> bool:
    """Follow the cluster if nobody does; whether we did. Raises LeaseLost when it was taken."""
    lease = claim(name, owner=owner, now=now())
    if lease is None:
        return False
    follow(_task(lease, over), deadline_s=deadline_s)
    return True


def _task(lease: Lease, over: threading.Event) -> Task:
    cluster = Cluster.objects.get(pk=lease.cluster_id)
    return Task(
        lease=lease,
        reader=KubernetesReader(reader_access(cluster), clock=now),
        announcer=announcer(),
        clock=now,
        over=over,
        settings=ledger_settings(),
        namespaces=tuple(cluster.namespaces),
        logs=KubernetesLogs(reader_access(cluster)),
        thresholds=thresholds(),
    )


def thresholds() -> Thresholds:
    """When errors make a state, as the environment sets it."""
    return Thresholds(
        failing_share=settings.FAILING_SHARE,
        failing_requests=settings.FAILING_REQUESTS,
        degraded_share=settings.DEGRADED_SHARE,
        degraded_lost=settings.DEGRADED_ERRORS,
    )


def import_past(path: Path, *, stop: threading.Event) -> tuple[PastRead, list[str]]:
    """Read a recorded past; what came of it, and the first things that could not be read.

    Raises fleet.errors; see fleet.observe.past.
    """
    past = PastFile(path)
    task = PastTask(
        past=past, announcer=announcer(), clock=now, stop=stop, settings=ledger_settings()
    )
    return read_past(task), past.problems


def look_at(cluster: Cluster) -> ClusterFacts:
    """Test the connection to a cluster, saved or not; raises fleet.errors."""
    reader = KubernetesReader(reader_access(cluster), clock=now)
    try:
        return reader.look(namespaces=cluster.namespaces)
    finally:
        reader.close()


def clusters_without_follower() -> list[str]:
    """Names of clusters that nobody follows now; those that the environment names are added."""
    in_cluster = "KUBERNETES_SERVICE_HOST" in os.environ
    register(settings.CONTEXTS, in_cluster=in_cluster, now=now())
    return list(Cluster.objects.unled(now=now()).values_list("name", flat=True))


def refresh_figures() -> None:
    """Count again what time alone changes, and announce it."""
    by_cluster: dict[str, list[str]] = defaultdict(list)
    for key in refresh.refresh_figures(now=now()):
        by_cluster[key.partition("/")[0]].append(key)
    for cluster, keys in by_cluster.items():
        announcer().changed(cluster=cluster, keys=keys)


def count_starts() -> int:
    """Count starts that are over, into counters and sums of days; how many. A backlog is worked off
    in small transactions, a bounded number a call."""
    counted = 0
    for _ in range(PORTIONS):
        some = start_counts.count_starts(now=now())
        counted += some
        if some < start_counts.AT_ONCE:
            break
    return counted


def prune(*, only_count: bool = False) -> dict[str, int]:
    """Delete what is past its time, or only count it."""
    windows = timedelta(days=settings.REQUEST_WINDOWS_DAYS)
    incidents = timedelta(days=settings.INCIDENT_DAYS)
    return pruning.prune(now=now(), only_count=only_count, windows=windows, incidents=incidents)


def make_due_reports() -> list[str]:
    """Make the reports of the last weeks that are missing: "2026-W48", …"""
    return [str(week) for week in weekly.make_due_reports(now=now())]


@cache
def actor_ring() -> KeyRing:
    """Opens what changes clusters; empty everywhere but in the act worker."""
    return KeyRing(settings.ACTOR_KEY, zone="actor")


def actor_access(cluster: Cluster) -> Access:
    """How the act worker reaches a cluster: with its own kubeconfig, account or token."""
    if not actor_ring():
        raise WrongKey("this process holds no actor key: it cannot change clusters")
    if cluster.source == "kubeconfig":
        kubeconfig = settings.ACTOR_KUBECONFIG or settings.KUBECONFIG
        return Access(context=cluster.context, kubeconfig=kubeconfig)
    if cluster.server:
        return Access(
            server=cluster.server, ca_pem=cluster.ca_pem, token=lambda: actor_token(cluster)
        )
    return Access()


def actor_token(cluster: Cluster) -> str:
    """The actor's token of a cluster added by page or API; raises WrongKey without one."""
    return actor_ring().open(bytes(cluster.actor_secret), about=f"cluster/{cluster.name}/token")


@cache
def _writer(name: str, context: str, server: str, secret: bytes) -> KubernetesWriter:
    """One for each way to reach a cluster: connections are kept between looks."""
    cluster = Cluster.objects.get(name=name)
    return KubernetesWriter(Client(actor_access(cluster)))


def writer_of(cluster: Cluster) -> ClusterWriter:
    """Writes to a cluster with the actor's credentials."""
    secret = bytes(cluster.actor_secret)
    return _writer(cluster.name, cluster.context, cluster.server, secret)


def caller_of(cluster: Cluster) -> ModelCaller:
    """Asks models of a cluster, by its gateway where an admin named one."""
    return OpenAiCaller(gateway_url=cluster.gateway_url, allowed=cluster.allowed_hosts)


def model_key(cluster: Cluster, model: str) -> str | None:
    """A model's API key, None where no admin set one."""
    sealed = cluster.model_keys.get(model)
    if not sealed:
        return None
    about = f"cluster/{cluster.name}/model/{model}"
    return actor_ring().open(base64.b64decode(sealed), about=about)


def keep_actor_token(cluster: str, token: str, *, by: str) -> None:
    """Seal and keep the token that changes a cluster; "" removes it. Needs the actor's key."""
    about = f"cluster/{cluster}/token"
    sealed = actor_ring().seal(token, about=about) if token else b""
    set_actor_token(cluster, sealed, by=by, now=now())


def keep_model_key(cluster: str, model: str, key: str, *, by: str) -> None:
    """Seal and keep a model's API key ("namespace/name"); "" removes it."""
    about = f"cluster/{cluster}/model/{model}"
    sealed = actor_ring().seal(key, about=about) if key else b""
    set_model_key(cluster, model, sealed, by=by, now=now())


def reseal(*, by: str) -> tuple[int, list[str]]:
    """Seal every secret anew with the newest key of its zone: how many were changed, and why others
    could not be. A zone whose key this process does not hold is left alone."""
    rings = {"reader": reader_ring(), "metrics": reader_ring(), "actor": actor_ring()}
    problems: list[str] = []

    def again(secret: Secret) -> bytes:
        ring, what = rings[secret.zone], _about(secret)
        try:
            about = f"cluster/{secret.cluster}/{what}"
            return ring.reseal(secret.sealed, about=about) if ring else secret.sealed
        except WrongKey as error:
            problems.append(str(error))
            return secret.sealed

    names = Cluster.objects.present().values_list("name", flat=True)
    changed = sum(reseal_secrets(name, again, by=by, now=now()) for name in list(names))
    return changed, problems


def _about(secret: Secret) -> str:
    if secret.model:
        return f"model/{secret.model}"
    return "metrics" if secret.zone == "metrics" else "token"


def act_tools(worker: str) -> Tools:
    """What previewing and acting need."""
    return Tools(
        clock=now,
        writer=writer_of,
        caller=caller_of,
        model_key=model_key,
        announcer=announcer(),
        worker=worker,
    )


def preview_plan(plan_id: str, *, worker: str) -> bool:
    """Preview one plan, if nobody did."""
    return preview(plan_id, tools=act_tools(worker))


def advance_action(action_id: str, *, worker: str) -> bool:
    """Do what is due for one action, if nobody does."""
    return advance(action_id, tools=act_tools(worker))


def waiting_plans() -> list[str]:
    """Plans that no bell announced. Those too old to be applied end here."""
    expire_plans(now=now())
    return unclaimed_plans(now=now())


def waiting_actions() -> list[str]:
    """Actions to be looked at now."""
    return due_actions(now=now())

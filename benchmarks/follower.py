"""A follower for benchmarks: turned by the caller, counting what its watches bring."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django

django.setup()

from fleet.adapters.kubernetes.client import Access  # noqa: E402
from fleet.adapters.kubernetes.reader import KubernetesReader  # noqa: E402
from fleet.adapters.redis.announcer import SilentAnnouncer  # noqa: E402
from fleet.domain.ledger.settings import LedgerSettings  # noqa: E402
from fleet.domain.records.change import Change  # noqa: E402
from fleet.domain.records.keys import ModelKind, Resource  # noqa: E402
from fleet.domain.records.workload import PodRecord  # noqa: E402
from fleet.history.clusters import add_cluster  # noqa: E402
from fleet.history.leases import claim  # noqa: E402
from fleet.models import Cluster, Replica  # noqa: E402
from fleet.observe.follow import Follower, Task  # noqa: E402
from fleet.ports import Message  # noqa: E402

FIRST_STEP_S = 180.0


def now() -> datetime:
    return datetime.now(UTC)


class CountingReader(KubernetesReader):
    """Counts changes of pods."""

    def __init__(self, access: Access) -> None:
        super().__init__(access, clock=now)
        self.changes = 0

    def watch(self, resource: Resource, **more: Any) -> Iterator[Message]:
        for message in super().watch(resource, **more):
            self.changes += isinstance(message, Change) and resource is Resource.PODS
            yield message


class BenchFollower:
    """Follows context `bench` as a worker does."""

    def __init__(self, kubeconfig: Path) -> None:
        self._access = Access(context="bench", kubeconfig=str(kubeconfig))
        add_cluster("bench", source="kubeconfig", context="bench", now=now())
        lease = claim("bench", owner="bench", now=now())
        assert lease is not None
        self._reader = CountingReader(self._access)
        task = Task(
            lease=lease,
            reader=self._reader,
            announcer=SilentAnnouncer(),
            clock=now,
            over=threading.Event(),
            settings=LedgerSettings(),
        )
        self._follower = Follower(task)
        self.turns_s: list[float] = []

    @property
    def seen(self) -> int:
        """Changes of pods that came."""
        return self._reader.changes

    def behind(self, made: int) -> bool:
        """Whether some of so many changes did not come yet, or came and are not written."""
        return self.seen < made or not self._follower._around.inbox._items.empty()

    def until_live(self) -> None:
        self._follower.begin()
        until = time.monotonic() + FIRST_STEP_S
        while Cluster.objects.get().state != "live" or not Replica.objects.exists():
            assert time.monotonic() < until, "never in step"
            self._follower.turn()

    def turn(self) -> None:
        began = time.monotonic()
        self._follower.turn()
        self.turns_s.append(time.monotonic() - began)

    def end(self) -> None:
        """Take in what is left, then stop."""
        for _ in range(5):
            self._follower.turn()
        self._follower.end()

    def rows_that_differ(self) -> int:
        """Replicas whose row does not say what the cluster says now."""
        reader = KubernetesReader(self._access, clock=now)
        listed = reader.list(Resource.PODS, model_kind=ModelKind.INFERENCE_SERVICE.value)
        rows = dict(Replica.objects.values_list("uid", "ready"))
        pods = [record for record in listed.records if isinstance(record, PodRecord)]
        return sum(rows.get(pod.meta.uid) != _is_ready(pod) for pod in pods)


def _is_ready(pod: PodRecord) -> bool:
    return any(c.type == "Ready" and c.status == "True" for c in pod.conditions)

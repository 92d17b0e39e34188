"""How old the data of each cluster is: read once for a whole answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from dashboard.staleness import too_old
from fleet.domain.ledger.delta import State
from fleet.models import Cluster


@dataclass(frozen=True, kw_only=True)
class Ages:
    """proofs: last proof of being in step, by the name of each present cluster (None = never)."""

    proofs: Mapping[str, datetime | None]
    now: datetime

    @cached_property
    def fresh(self) -> frozenset[str]:
        """Clusters whose data can be believed; a removed cluster's cannot."""
        proofs = self.proofs.items()
        return frozenset(name for name, at in proofs if not too_old(at, now=self.now))

    def age_s(self, cluster: str) -> float | None:
        """Seconds since the last proof, never below 0; None = there was none."""
        return age_s(self.proofs.get(cluster), now=self.now)

    def state(self, stored: str, cluster: str) -> str:
        """What a reader is told: Unknown when the data is too old."""
        return stored if cluster in self.fresh else State.UNKNOWN


def age_s(proof: datetime | None, *, now: datetime) -> float | None:
    """Seconds since then, to the millisecond."""
    return None if proof is None else round(max(0.0, (now - proof).total_seconds()), 3)


def ages(*, now: datetime) -> Ages:
    """Of every present cluster, by one query."""
    rows = Cluster.objects.present().values_list("name", "last_proof_at")
    return Ages(proofs=dict(rows), now=now)

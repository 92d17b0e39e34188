"""All that is known of one cluster, in memory, folded from changes."""

from collections.abc import Iterable
from datetime import datetime
from typing import Self

from fleet.domain.ledger.delta import Delta, KeptObject, ReplicaRow
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.records.change import Change, Listed


class Ledger:
    """All that is known of one cluster. No I/O; the clock is an argument; not thread-safe."""

    def __init__(self, cluster: str, *, settings: LedgerSettings | None = None) -> None:
        self.cluster = cluster
        self.settings = settings or LedgerSettings()

    @classmethod
    def restore(
        cls,
        cluster: str,
        *,
        objects: Iterable[KeptObject],
        replicas: Iterable[ReplicaRow],
        settings: LedgerSettings | None = None,
    ) -> Self:
        """A ledger that goes on where the last one ended, from what its deltas said."""
        raise NotImplementedError

    def apply(self, message: Change | Listed) -> None:
        """Take in one message; cheap; a replay is harmless."""
        raise NotImplementedError

    def settle(self, *, now: datetime) -> Delta:
        """What became different since the last call, measured again where it was touched."""
        raise NotImplementedError

    def settle_running(self, *, now: datetime) -> Delta:
        """As `settle`, and also what differs because time passed: deadlines, starts still running."""
        raise NotImplementedError

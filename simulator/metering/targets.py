"""What a Prometheus of the cluster scrapes, and under which labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from simulator.metering.series import Page

Read = Callable[[], Sequence[Page]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One page. labels: those that the scrape sets, without job and instance.

    read: the page as it is now; None: nothing listens. keeps_labels: a label of the page stands,
    where another target's would be renamed to exported_….
    """

    job: str
    instance: str
    labels: dict[str, str] = field(default_factory=dict)
    read: Read | None = None
    keeps_labels: bool = False

    @property
    def path(self) -> str:
        return f"/{self.job}/{self.instance}/metrics"

    @property
    def port(self) -> int:
        return int(self.instance.rpartition(":")[2])

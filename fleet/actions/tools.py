"""What the act worker's use cases are given."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from fleet.models import Action, Cluster, Plan
from fleet.ports import Announcer, Clock, ClusterWriter, ModelCaller

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """writer, caller: made for one cluster, with the actor's credentials; they raise fleet.errors.
    model_key: a model's API key ("namespace/name"), None = none was set. worker: who claims."""

    clock: Clock
    writer: Callable[[Cluster], ClusterWriter]
    caller: Callable[[Cluster], ModelCaller]
    model_key: Callable[[Cluster, str], str | None]
    announcer: Announcer
    worker: str

    def now(self) -> datetime:
        return self.clock()

    def announce(self, row: Plan | Action) -> None:
        """Ring for everybody who looks at this model or at this plan or action."""
        noun = "plan" if isinstance(row, Plan) else "action"
        self.announcer.changed(cluster=row.cluster, keys=[f"{noun}:{row.id}", str(row.key)])


def cluster_of(row: Plan | Action) -> Cluster | None:
    """The followed cluster, None once it is removed."""
    return Cluster.objects.present().filter(name=row.cluster).first()

"""A claim on an action is renewed before each call to its cluster, so that a slow cluster does not
hand its actions from worker to worker."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from fleet.actions.tools import Tools
from fleet.history.actions import keep_claim
from fleet.models import Action
from fleet.ports import ClusterWriter, Patch, PatchResult


class Claimed:
    """A writer that renews the claim before each call; LeaseLost ends a worker that was too slow
    before it can write."""

    def __init__(self, writer: ClusterWriter, renew: Callable[[], None]) -> None:
        self._writer, self._renew = writer, renew

    def read(self, object_: str) -> Mapping[str, Any]:
        self._renew()
        return self._writer.read(object_)

    def patch(self, patch: Patch, *, dry_run: bool) -> PatchResult:
        self._renew()
        return self._writer.patch(patch, dry_run=dry_run)


def renewing(tools: Tools, action: Action, *, for_s: float) -> Tools:
    """The same tools, whose writers hold on to the action for `for_s` from each call on."""

    def renew() -> None:
        keep_claim(action, until=tools.now() + timedelta(seconds=for_s))

    return replace(tools, writer=lambda cluster: Claimed(tools.writer(cluster), renew))

"""Since when requests reach a revision's replicas, by the conditions that are watched."""

from collections.abc import Iterator
from typing import NamedTuple

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.sight import Sight
from fleet.domain.ledger.group import Group
from fleet.domain.records.common import Condition, condition
from fleet.domain.records.keys import Mode

# Stamps are whole seconds, cut.
HALF_CUT_S = 0.5


class Open(NamedTuple):
    """A revision that requests reach once a replica is ready; "" = the model as a whole. turned:
    when the last of the conditions that make it so turned True, None if none has a stamp."""

    name: str
    turned: float | None


def set_routed(group: Group, evidence: Evidence) -> None:
    """Since when the revision was routable, as soon as both that and Ready are known. Where no
    autoscaler tells of endpoints, only a route that opened after Ready is proof."""
    if evidence.ready is None or evidence.routed is not None or evidence.deleted is not None:
        return
    since = group.routed.get(evidence.revision if group.mode is Mode.KNATIVE else "")
    if since is None or (group.mode is not Mode.KNATIVE and since <= evidence.ready.by):
        return
    evidence.routed = Sight(None, None, since)


def mark_routable(group: Group, *, at: float, blind_since: float | None = None) -> None:
    """Note which revisions became routable with the message of `at`, and which no longer are.
    blind_since: nobody watched since then, so that the conditions' stamps tell."""
    now = {item.name: item for item in _routable(group)}
    for name in [name for name in group.routed if name not in now]:
        del group.routed[name]
    for name, item in now.items():
        group.routed.setdefault(name, _since(item, at=at, blind_since=blind_since))


def _since(item: Open, *, at: float, blind_since: float | None) -> float:
    if blind_since is None or item.turned is None:
        return at
    return min(at, max(blind_since, item.turned + HALF_CUT_S))


def _routable(group: Group) -> Iterator[Open]:
    record = group.record
    if record is None:
        return
    doors = [c for c in record.conditions if c.type in {"IngressReady", "RouterReady"}]
    open_ = [door for door in doors if door.status == "True"]
    route = condition(record.conditions, "PredictorRouteReady")
    if not open_ or (route is not None and route.status != "True"):
        return
    passed = [*open_, *([route] if route is not None else [])]
    if group.mode is not Mode.KNATIVE:
        yield Open("", _turned(passed))
        return
    endpoints = {
        a.revision: condition(a.conditions, "SKSReady") for a in group.autoscalers.values()
    }
    for target in record.traffic:
        mine = endpoints.get(target.revision)
        known = target.revision in endpoints
        if target.percent and (not known or (mine is not None and mine.status == "True")):
            yield Open(target.revision, _turned([*passed, *([mine] if mine is not None else [])]))


def _turned(conditions: list[Condition]) -> float | None:
    stamps = [item.changed_at.timestamp() for item in conditions if item.changed_at is not None]
    return max(stamps, default=None)

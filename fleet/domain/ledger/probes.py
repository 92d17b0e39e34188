"""Probe failures from Unhealthy Events. The count is what the API kept: a lower bound, since Events
are rate-limited and merged. Source: client-go tools/record/events_cache.go."""

import re
from collections.abc import Iterator

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.ledger.delta import ProbeFailure
from fleet.domain.ledger.group import Group, Replica
from fleet.domain.records.events import EventRecord

_PROBE = re.compile(r"(Readiness|Liveness|Startup) probe (?:failed|errored)", re.IGNORECASE)
_QUEUE_PROXY = "queue-proxy"


def probe_of(message: str) -> str:
    """readiness, liveness or startup, in all wordings; "" if the message names none."""
    found = _PROBE.search(message)
    return found.group(1).lower() if found else ""


def failures_of(group: Group, replica: Replica) -> Iterator[ProbeFailure]:
    """What waited to be said of one replica, without the failures of an orderly end."""
    waiting = list(replica.unhealthy.values())
    replica.unhealthy.clear()
    for event in waiting:
        failure = _failure(group, replica.evidence, event)
        if failure is not None and replica.probes.get(failure.event_uid) != hash(failure):
            replica.probes[failure.event_uid] = hash(failure)
            yield failure


def _failure(group: Group, evidence: Evidence, event: EventRecord) -> ProbeFailure | None:
    probe = probe_of(event.message)
    last = event.last_at or event.meta.created_at
    if not probe or _belongs_to_end(evidence, event):
        return None
    return ProbeFailure(
        event_uid=event.meta.uid,
        model=group.key,
        model_uid=evidence.model_uid,
        replica=evidence.name,
        replica_uid=evidence.uid,
        container=event.container,
        about=_about(evidence, event.container, probe),
        probe=probe,
        while_=_while(evidence, last.timestamp()),
        count=event.count,
        first_at=event.first_at or last,
        at=last,
        message=event.message,
    )


def _belongs_to_end(evidence: Evidence, event: EventRecord) -> bool:
    """A terminating pod drains: its probes fail as they should, and are cancelled half-way."""
    if evidence.ended is None:
        return False
    if "context canceled" in event.message:
        return True
    last = event.last_at or event.meta.created_at
    return last.timestamp() >= evidence.ended.by + evidence.ahead_s - 1.0


def _about(evidence: Evidence, container: str, probe: str) -> str:
    """queue-proxy runs the readiness probe of the model's container, and fails in its name.
    Source: knative/serving pkg/reconciler/revision/resources/queue.go."""
    if container == _QUEUE_PROXY and probe == "readiness":
        return evidence.main or container
    return container


def _while(evidence: Evidence, at: float) -> str:
    """Starting up to the first Ready, and again while the container is being restarted."""
    if evidence.ready is None:
        return "starting"
    if at - evidence.ahead_s <= evidence.ready.by:
        return "starting"
    again = evidence.attempts and evidence.attempts[-1].ready is None
    return "starting" if again else "serving"

"""Which servers' logs to read, and what was heard of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fleet.domain.coldstart.evidence import Attempt, Evidence
from fleet.domain.coldstart.heard import Heard, joined
from fleet.domain.coldstart.sight import Sight
from fleet.domain.ledger.group import Group

# A start that ended longer ago is not read any more: its log has grown, or is gone.
LATE_S = 600.0
# Workers of one group that are asked why they failed: one after another they say the same.
WORKERS_AT_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWanted:
    """One run of one container, whose log tells of a start.

    attempt: 0 for the first start, n for the nth one after. run: restarts of the container.
    started_at: when the run began by its node's clock, None if that was not seen. is_last: the
    start has ended; what there is now is all of it.
    """

    uid: str
    attempt: int
    namespace: str
    pod: str
    container: str
    run: int
    started_at: float | None
    is_last: bool


def logs_wanted(group: Group, *, now: float) -> Iterator[LogWanted]:
    """Of a model that was taken for vLLM: starts under way, and once at their end."""
    if not group.taken:
        return
    for uid in sorted(group.active | group.unheard):
        replica = group.replicas.get(uid)
        wanted = list(_of_pods(replica.evidence, now=now)) if replica is not None else []
        if not wanted:
            group.unheard.discard(uid)
            continue
        group.unheard.add(uid)
        yield from wanted


def note_unheard(group: Group, evidence: Evidence) -> None:
    """A start that is over, perhaps before anybody asked whose logs to read."""
    if group.taken and evidence.gone is None and evidence.heard is None and _main(evidence):
        group.unheard.add(evidence.uid)


def _of_pods(evidence: Evidence, *, now: float) -> Iterator[LogWanted]:
    """Of a replica's model server; of a worker in a group only why it failed."""
    wanted = _of(evidence, now=now)
    if wanted is not None:
        yield wanted
    for worker in list(evidence.members.values())[:WORKERS_AT_MOST]:
        failed = worker.trouble is not None or (worker.error is not None and worker.restarts > 0)
        told = worker.heard is not None and worker.heard.run >= worker.restarts
        if failed and not told and evidence.ready is None:
            yield from _at_once(_of(worker, now=now))


def _at_once(wanted: LogWanted | None) -> Iterator[LogWanted]:
    if wanted is not None:
        yield replace(wanted, is_last=True)


def _of(evidence: Evidence, *, now: float) -> LogWanted | None:
    if evidence.gone is not None or not evidence.main:
        return None
    if evidence.attempts:
        last = evidence.attempts[-1]
        return _wanted(evidence, last, attempt=len(evidence.attempts), now=now)
    return _wanted(evidence, evidence, attempt=0, now=now)


def _wanted(
    evidence: Evidence, start: Evidence | Attempt, *, attempt: int, now: float
) -> LogWanted | None:
    began = start.restarted if isinstance(start, Attempt) else _main(start)
    ended = start.ready or evidence.deleted
    is_done = start.heard is not None and start.heard.done
    late = ended is not None and now - ended.by > LATE_S
    was_up = ended is not None and ended.after is None and evidence.first == "list"
    if began is None or is_done or late or was_up:
        return None
    known = isinstance(start, Attempt) or not start.restarts
    return LogWanted(
        uid=evidence.uid,
        attempt=attempt,
        namespace=evidence.namespace,
        pod=evidence.name,
        container=evidence.main,
        run=start.restarts,
        started_at=began.stamp if known else None,
        is_last=ended is not None,
    )


def _main(evidence: Evidence) -> Sight | None:
    return evidence.main_started or evidence.main_event


def hear(group: Group, uid: str, attempt: int, *, heard: Heard) -> bool:
    """Keep what a log says; False if it is no news, or of a start that is not known."""
    leader = group.replicas.get(group.members.get(uid, ""))
    replica = group.replicas.get(uid)
    if leader is not None:
        worker = leader.evidence.members.get(uid)
        return worker is not None and _keep(worker, replace(heard, done=False))
    if replica is None or attempt > len(replica.evidence.attempts):
        return False
    evidence = replica.evidence
    return _keep(evidence.attempts[attempt - 1] if attempt else evidence, heard)


def _keep(start: Evidence | Attempt, heard: Heard) -> bool:
    kept = joined(start.heard, heard)
    if kept is None:
        return False
    start.heard = kept
    return True

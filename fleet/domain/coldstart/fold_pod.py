"""A pod as read, folded into what is kept of its replica. Twice the same pod changes nothing."""

from fleet.domain.coldstart.evidence import ATTEMPTS_AT_MOST, MEMBERS_AT_MOST, Attempt, Evidence
from fleet.domain.coldstart.sight import Sight
from fleet.domain.coldstart.trouble import error_of, trouble_of
from fleet.domain.records.common import condition
from fleet.domain.records.workload import ContainerRun, ContainerState, PodRecord

FETCH = "storage-initializer"
# Names that KServe gives the model's container. Source: kserve pkg/constants/constants.go.
_MAIN_NAMES = ("kserve-container", "main", "worker-container")
# Errors that are over when the model's container runs.
_BEFORE_RUNNING = frozenset({"image-pull", "container-config"})
_HELPERS = ("queue-proxy", "istio-proxy", "agent", "modelcar", "transformer-container")


def main_container(pod: PodRecord) -> str:
    """The container that runs the model: by KServe's name, else the one that starts vLLM or holds
    the GPUs, else the first that is no known helper."""
    names = [item.name for item in pod.declared]
    named = next((name for name in _MAIN_NAMES if name in names), None)
    if named is not None:
        return named
    likely = [item.name for item in pod.declared if item.engine or item.gpus]
    others = [name for name in names if not name.startswith(_HELPERS)]
    return next(iter([*likely, *others, *names]), "")


def fold_pod(evidence: Evidence, pod: PodRecord, *, at: float) -> None:
    """Take in a pod as seen at `at` (our clock). A message older than the last look is not for us:
    the caller compares resourceVersions."""
    after = evidence.looked or None
    _identity(evidence, pod)
    _scheduling(evidence, pod, after=after, at=at)
    states = {state.name: state for state in pod.containers}
    _image_id(evidence, states.get(evidence.main))
    _initializing(evidence, pod, after=after, at=at)
    if pod.meta.deleted_at is None or evidence.deleted is None:
        _fetching(evidence, states.get(FETCH), after=after, at=at)
        _running(evidence, states.get(evidence.main), after=after, at=at)
    _ending(evidence, pod, after=after, at=at)
    if evidence.deleted is None:
        _troubles(evidence, pod)
    _readiness(evidence, pod, after=after, at=at)
    if evidence.ready is not None and evidence.deleted is None:
        _again(evidence, states.get(evidence.main), after=after, at=at)
    evidence.looked = at
    note_complete(evidence)


def _identity(evidence: Evidence, pod: PodRecord) -> None:
    evidence.name, evidence.namespace = pod.meta.name, pod.meta.namespace
    evidence.model_kind, evidence.model = pod.model_kind, pod.model
    evidence.owner_uid, evidence.role = pod.meta.owner_uid, pod.role
    evidence.node = pod.node or evidence.node
    evidence.group, evidence.group_size = pod.group, pod.group_size or evidence.group_size
    evidence.gpus, evidence.weights_from = pod.gpus, pod.weights_from
    evidence.main = evidence.main or main_container(pod)
    evidence.created = pod.meta.created_at.timestamp()
    image = next((item.image for item in pod.declared if item.name == evidence.main), "")
    evidence.image = image or evidence.image


def _initializing(evidence: Evidence, pod: PodRecord, *, after: float | None, at: float) -> None:
    """Beside the fetch: a modelcar's first run, and sidecars that start after the weights came."""
    names = [state.name for state in pod.containers if state.init]
    late = names[names.index(FETCH) + 1 :] if FETCH in names else []
    evidence.held_back = evidence.held_back or bool(late)
    for state in pod.containers:
        if state.init and not state.sidecar and evidence.ready is None:
            evidence.init_restarts = max(evidence.init_restarts, state.restarts)
        is_model = state.name.startswith("modelcar")
        started = first_start(state) if is_model and evidence.model_init is None else None
        if started is not None:
            evidence.model_init = Sight(started, after, at)


def _image_id(evidence: Evidence, state: ContainerState | None) -> None:
    if state is not None and state.image_id:
        evidence.image_id = state.image_id


def _scheduling(evidence: Evidence, pod: PodRecord, *, after: float | None, at: float) -> None:
    seen = condition(pod.conditions, "PodScheduled")
    stamp = seen.changed_at.timestamp() if seen is not None and seen.changed_at else None
    if pod.node and evidence.scheduled is None:
        stamp = stamp if seen is not None and seen.status == "True" else None
        evidence.scheduled = Sight(stamp, after, at)
    elif seen is not None and seen.status == "False" and not pod.node:
        evidence.unschedulable = evidence.unschedulable or Sight(stamp, after, at)
        evidence.unschedulable_why = seen.message or seen.reason


def _fetching(
    evidence: Evidence, state: ContainerState | None, *, after: float | None, at: float
) -> None:
    """First run to good end: tries again belong to fetching."""
    if state is None:
        return
    started = first_start(state)
    if evidence.fetch_started is None and started is not None:
        evidence.fetch_started = Sight(started, after, at)
    if evidence.fetch_ended is None and state.ended is not None and state.ended.exit_code == 0:
        evidence.fetch_ended = Sight(_finished(state.ended), after, at)


def _running(
    evidence: Evidence, state: ContainerState | None, *, after: float | None, at: float
) -> None:
    if state is None:
        return
    started = first_start(state)
    if evidence.main_started is None and started is not None:
        evidence.main_started = Sight(started, after, at)
    if evidence.ready is None:
        evidence.restarts = max(evidence.restarts, state.restarts)
        _answering(evidence, state, after=after, at=at)


def _answering(
    evidence: Evidence, state: ContainerState, *, after: float | None, at: float
) -> None:
    """The container's own probes passed, having been seen not to: only then is it a witness."""
    if state.running_since is None:
        evidence.serving = None
    elif not (state.ready and state.started is not False):
        evidence.main_waited, evidence.serving = True, None
    elif evidence.main_waited and evidence.serving is None:
        evidence.serving = Sight(None, after, at)


def first_start(state: ContainerState) -> float | None:
    """Start of a container's first run, if the status still tells: it keeps one run back."""
    runs = [_started(state.last), _started(state.ended)]
    if state.running_since is not None:
        runs.append(state.running_since.timestamp())
    known = [run for run in runs if run is not None]
    enough = state.restarts == 0 or (state.restarts == 1 and _started(state.last) is not None)
    return min(known) if known and enough else None


def _started(run: ContainerRun | None) -> float | None:
    return run.started_at.timestamp() if run is not None and run.started_at else None


def _finished(run: ContainerRun) -> float | None:
    return run.finished_at.timestamp() if run.finished_at else None


def _ending(evidence: Evidence, pod: PodRecord, *, after: float | None, at: float) -> None:
    """Asked to go, or failed for good; and why the cluster took it away, if it says so.
    Source: kubernetes pkg/apis/core types, condition DisruptionTarget."""
    target = condition(pod.conditions, "DisruptionTarget")
    if target is not None and target.status == "True":
        evidence.disrupted = target.reason
    if pod.phase == "Failed" and pod.reason:
        evidence.disrupted = pod.reason
    asked = pod.meta.deleted_at
    if evidence.deleted is None and (asked is not None or pod.phase == "Failed"):
        evidence.deleted = Sight(asked.timestamp() if asked else None, after, at)
        evidence.ready_now = False


def _troubles(evidence: Evidence, pod: PodRecord) -> None:
    """What stands in the way is only asked of a pod that shall live."""
    evidence.trouble = trouble_of(pod, main=evidence.main, known=evidence.error)
    if evidence.ready is None:
        known = None if _is_overcome(evidence, pod) else evidence.error
        evidence.error = error_of(pod, main=evidence.main, known=known)


def _is_overcome(evidence: Evidence, pod: PodRecord) -> bool:
    """Init containers that failed and then did their work, an image that came after all: whatever
    ends the start later, they do not."""
    if evidence.error is None or evidence.trouble is not None:
        return False
    done = condition(pod.conditions, "Initialized")
    initialized = evidence.main_started is not None or (done is not None and done.status == "True")
    if evidence.error[0] == "fetch-model":
        return initialized or evidence.fetch_ended is not None
    if evidence.error[0] == "crash":
        return initialized and evidence.restarts == 0
    return evidence.error[0] in _BEFORE_RUNNING and evidence.main_started is not None


def _readiness(evidence: Evidence, pod: PodRecord, *, after: float | None, at: float) -> None:
    seen = condition(pod.conditions, "Ready")
    is_ready = seen is not None and seen.status == "True"
    evidence.ready_now = is_ready and evidence.deleted is None
    if seen is None or not is_ready or evidence.ready is not None:
        return
    stamp = seen.changed_at.timestamp() if seen.changed_at else None
    if evidence.ready_now or _was_ready_first(evidence, stamp, at):
        evidence.ready = Sight(stamp, after, at)
        evidence.trouble = None


def _was_ready_first(evidence: Evidence, stamp: float | None, at: float) -> bool:
    """One message, after a gap, shows Ready and the deletion: Ready was first by its stamp."""
    deleted = evidence.deleted
    if deleted is None or deleted.by != at or deleted.stamp is None or stamp is None:
        return False
    return stamp - evidence.ahead_s <= deleted.stamp - evidence.plane_ahead_s


def _again(
    evidence: Evidence, state: ContainerState | None, *, after: float | None, at: float
) -> None:
    """Starts again of the model's container in a pod that had been ready."""
    if state is None:
        return
    now = _open(evidence)
    known = evidence.attempts[-1].restarts if evidence.attempts else evidence.restarts
    down = state.ended is not None or bool(state.waiting_reason)
    if now is None and (state.restarts > known or (down and state.restarts >= known)):
        now = _begin(evidence, state, after=after, at=at)
    if now is None:
        return
    now.restarts = max(now.restarts, state.restarts)
    if state.running_since is not None and now.restarted is None:
        now.restarted = Sight(state.running_since.timestamp(), after, at)
    if now.restarted is not None and evidence.ready_now and state.ready:
        now.ready = Sight(None, after, at)


def _open(evidence: Evidence) -> Attempt | None:
    last = evidence.attempts[-1] if evidence.attempts else None
    return last if last is not None and last.ready is None else None


def _begin(
    evidence: Evidence, state: ContainerState, *, after: float | None, at: float
) -> Attempt | None:
    if len(evidence.attempts) >= ATTEMPTS_AT_MOST:
        return None
    run = state.ended or state.last
    stamp = _finished(run) if run is not None else None
    trouble = evidence.trouble or ("crash", run.reason if run is not None else "")
    attempt = Attempt(Sight(stamp, after, at), state.restarts, trouble[0], trouble[1])
    evidence.attempts.append(attempt)
    return attempt


def fold_member(evidence: Evidence, pod: PodRecord, *, at: float) -> bool:
    """A worker of the group that this leader stands for; False if it is no part of its start: it
    belongs to a group of that name before this one, or came when all were ready."""
    member = evidence.members.get(pod.meta.uid)
    if evidence.complete or (member is None and not _joins(evidence, pod)):
        return False
    if member is None:
        member = Evidence(uid=pod.meta.uid, plane_ahead_s=evidence.plane_ahead_s)
        evidence.members[pod.meta.uid] = member
    fold_pod(member, pod, at=at)
    member.resource_version = pod.meta.resource_version
    note_complete(evidence)
    return True


def _joins(evidence: Evidence, pod: PodRecord) -> bool:
    """Workers are made after their leader. Source: lws pkg/controllers/pod_controller.go."""
    made = pod.meta.created_at.timestamp() >= evidence.created - 1.0
    return made and pod.meta.deleted_at is None and len(evidence.members) < MEMBERS_AT_MOST


def drop_member(evidence: Evidence, uid: str) -> None:
    """A worker is gone: if the group was not ready yet, another one will stand in."""
    if not evidence.complete:
        evidence.members.pop(uid, None)


def note_complete(evidence: Evidence) -> None:
    """All pods of a group have been ready: what comes now is no part of the start."""
    if evidence.members and not evidence.members_missing:
        evidence.complete = all(pod.ready is not None for pod in evidence.pods())

"""Pods."""

from fleet.adapters.kubernetes.parse.common import (
    CONTAINERS_AT_MOST,
    KNATIVE,
    VALUE_LENGTH,
    bounded,
    component_of,
    conditions_of,
    containers_of,
    duration_s,
    meta_of,
    model_of,
    role_of,
    shared,
    utc,
    whole,
)
from fleet.adapters.kubernetes.parse.shapes import (
    RawContainerStatus,
    RawPod,
    Terminated,
    Texts,
)
from fleet.adapters.kubernetes.parse.weights import weights_from
from fleet.domain.enginelog.redact import redacted
from fleet.domain.records.serving import Container
from fleet.domain.records.workload import ContainerRun, ContainerState, PodRecord

LWS = "leaderworkerset.sigs.k8s.io/"


def pod_record(raw: RawPod) -> PodRecord:
    """A pod as read."""
    labels = raw.metadata.labels or {}
    kind, model = model_of(labels)
    declared = containers_of(raw.spec.containers)
    gpus, resource = _gpus(declared)
    group, leader = _group(labels)
    return PodRecord(
        meta=meta_of(raw.metadata),
        model_kind=kind,
        model=model,
        component=component_of(labels, kind),
        role=role_of(labels),
        revision=shared(labels.get(KNATIVE + "revision")),
        revision_uid=shared(labels.get(KNATIVE + "revisionUID")),
        group=group,
        group_size=whole((raw.metadata.annotations or {}).get(LWS + "size")) or 0,
        leader=leader,
        node=shared(raw.spec.nodeName),
        phase=shared(raw.status.phase),
        reason=shared(raw.status.reason),
        message=bounded(raw.status.message),
        conditions=conditions_of(raw.status.conditions),
        declared=declared,
        containers=_states(raw),
        gpus=gpus,
        gpu_resource=resource,
        weights_from=weights_from(raw),
        progress_deadline_s=duration_s(_progress_deadline(raw.metadata.annotations)),
    )


def _progress_deadline(annotations: Texts) -> str | None:
    return (annotations or {}).get(KNATIVE + "progress-deadline")


def _group(labels: dict[str, str]) -> tuple[str, bool]:
    """LeaderWorkerSet group as "name/index", and whether this is its leader (worker-index 0)."""
    name = labels.get(LWS + "name")
    if not name:
        return "", True
    return shared(f"{name}/{labels.get(LWS + 'group-index', '0')}"), (
        labels.get(LWS + "worker-index", "0") == "0"
    )


def _gpus(declared: tuple[Container, ...]) -> tuple[int, str]:
    resource = next((item.gpu_resource for item in declared if item.gpu_resource), "")
    return sum(item.gpus for item in declared if item.gpu_resource == resource), resource


def _states(raw: RawPod) -> tuple[ContainerState, ...]:
    """Init containers first, in the order they run. A pod without container statuses has none."""
    inits = {item.name: item.restartPolicy for item in raw.spec.initContainers or ()}
    first = [
        _state(item, init=True, sidecar=inits.get(item.name) == "Always")
        for item in (raw.status.initContainerStatuses or ())[:CONTAINERS_AT_MOST]
    ]
    order = {name: at for at, name in enumerate(inits)}
    first.sort(key=lambda state: order.get(state.name, len(order)))
    then = [
        _state(item, init=False, sidecar=False)
        for item in (raw.status.containerStatuses or ())[:CONTAINERS_AT_MOST]
    ]
    return (*first, *then)


def _state(raw: RawContainerStatus, *, init: bool, sidecar: bool) -> ContainerState:
    waiting, running = raw.state.waiting, raw.state.running
    return ContainerState(
        name=shared(raw.name),
        image=shared(raw.image),
        image_id=bounded(raw.imageID, VALUE_LENGTH),
        init=init,
        sidecar=sidecar,
        ready=raw.ready,
        started=raw.started,
        restarts=raw.restartCount,
        waiting_reason=shared(waiting.reason if waiting else ""),
        waiting_message=bounded(waiting.message if waiting else ""),
        running_since=utc(running.startedAt) if running else None,
        ended=_run(raw.state.terminated),
        last=_run(raw.lastState.terminated),
    )


def _run(raw: Terminated | None) -> ContainerRun | None:
    if raw is None:
        return None
    return ContainerRun(
        exit_code=raw.exitCode,
        reason=shared(raw.reason),
        message=_last_words(raw.message),
        started_at=utc(raw.startedAt),
        finished_at=utc(raw.finishedAt),
    )


def _last_words(text: str | None) -> str:
    """What a container left when it ended. That may be the end of its log (the policy
    FallbackToLogsOnError, which KServe sets), so it is kept as lines of a log are: redacted."""
    return "\n".join(redacted(line) for line in bounded(text).splitlines())

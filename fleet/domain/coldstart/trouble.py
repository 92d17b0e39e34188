"""What is wrong with a pod: classes of trouble, from container states."""

from fleet.domain.records.workload import ContainerRun, ContainerState, PodRecord

REASON_LENGTH = 300
FETCH = "storage-initializer"

# Waiting reasons of the kubelet. Source: kubernetes pkg/kubelet/images/types.go,
# pkg/kubelet/container/sync_result.go, pkg/kubelet/kuberuntime/kuberuntime_container.go.
_IMAGE_REASONS = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    }
)
_CONFIG_REASONS = frozenset(
    {
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
        "PreCreateHookError",
        "PostStartHookError",
    }
)
_CRASH_REASONS = frozenset({"CrashLoopBackOff"})
_PROBE_KILLS = frozenset({"liveness-kill", "startup-kill"})

Trouble = tuple[str, str]


def trouble_of(pod: PodRecord, *, main: str, known: Trouble | None) -> Trouble | None:
    """Class and reason of what stands in the way now, None if nothing does. known: the last error,
    which tells a kill by a probe from a crash."""
    for state in pod.containers:
        found = _state_trouble(state, main=main, known=known)
        if found is not None:
            return found
    return None


def _state_trouble(state: ContainerState, *, main: str, known: Trouble | None) -> Trouble | None:
    if state.waiting_reason in _IMAGE_REASONS:
        return "image-pull", _reason(state.waiting_reason, state.waiting_message)
    if state.waiting_reason in _CONFIG_REASONS:
        return "container-config", _reason(state.waiting_reason, state.waiting_message)
    if state.waiting_reason in _CRASH_REASONS:
        return _ended(state, state.last, main=main, known=known)
    if state.ended is not None and state.ended.exit_code != 0:
        return _ended(state, state.ended, main=main, known=known)
    return None


def error_of(pod: PodRecord, *, main: str, known: Trouble | None) -> Trouble | None:
    """The last error of a start: what stands in the way, else how the model's or the fetching
    container ended last."""
    now = trouble_of(pod, main=main, known=known)
    if now is not None:
        return now
    for state in pod.containers:
        if state.name == FETCH and state.ended is not None and state.ended.exit_code == 0:
            continue
        failed = state.last is not None and state.last.exit_code != 0
        if failed and state.name in {main, FETCH}:
            return _ended(state, state.last, main=main, known=known)
    return known


def _ended(
    state: ContainerState, run: ContainerRun | None, *, main: str, known: Trouble | None
) -> Trouble:
    if state.name == FETCH:
        class_ = "fetch-model"
    elif run is not None and run.reason == "OOMKilled":
        class_ = "out-of-memory"
    elif state.name == main and known is not None and known[0] in _PROBE_KILLS:
        return known
    else:
        class_ = "crash"
    if run is None:
        return class_, _reason(state.waiting_reason, state.waiting_message)
    return class_, _reason(f"{run.reason or 'exit'} (exit code {run.exit_code})", run.message)


def _reason(word: str, message: str) -> str:
    return f"{word}: {message}"[:REASON_LENGTH] if message else word[:REASON_LENGTH]

"""No space, and disks that do not come.

Source: kubelet pkg/kubelet/eviction and volumemanager; attach-detach controller.
"""

from fleet.domain.diagnosis.case import Case, quoted
from fleet.domain.diagnosis.claims import DECISIVE, STRONG, TWO_SIGNS, Seen
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.records import FaultPhase, Remedy
from fleet.domain.diagnosis.texts import Text

NO_SPACE = clue(
    "no space left on device",
    "not enough free disk space",
    "disk quota exceeded",
    "errno 28",
    "enospc",
    "low on resource: ephemeral-storage",
    "exceeds the limit of ephemeral",
    "local ephemeral storage usage exceeds",
    "exceeded its local ephemeral storage limit",
    "ephemeral local storage usage exceeds",
    "usage of emptydir volume",
    "diskpressure",
    "failed to garbage collect required amount",
    "freediskspacefailed",
    "imagegcfailed",
)
_PRESSURE = ("EvictionThresholdMet", "NodeHasDiskPressure", "FreeDiskSpaceFailed", "ImageGCFailed")
_SHARED_MEMORY = ("/dev/shm", "shared memory", "posix_fallocate", "nccl")
_IMAGE = ("image", "layer", "unpack", "overlay", "snapshotter", "containerd")


def full(case: Case) -> Seen | None:
    """A node's disk, or a pod's share of it; shared memory is another matter."""
    texts = [each for each in case.find(NO_SPACE) if not _is_memory(each)]
    decisive = [each for each in texts if not _is_taint(each)]
    pressure = [each for each in case.texts if each.reason in _PRESSURE and each not in texts]
    if not decisive and not (pressure and texts):
        return None
    told = decisive or texts
    image = any(sign in each.low for each in told for sign in _IMAGE)
    return Seen(
        confidence=DECISIVE if decisive else TWO_SIGNS,
        pieces=(*quoted(told), *quoted(pressure, at_most=1)),
        phase=FaultPhase.IMAGE_PULL if image else FaultPhase.MODEL_FETCH,
        remedies=(
            (Remedy.RAISE_DISK, Remedy.PREPULL_IMAGE, Remedy.SLIM_IMAGE_OR_STREAM)
            if image
            else (Remedy.RAISE_DISK, Remedy.CACHE_MODEL_LOCALLY)
        ),
        params={"image": image},
    )


def _is_memory(text: Text) -> bool:
    return any(sign in text.low for sign in _SHARED_MEMORY)


def _is_taint(text: Text) -> bool:
    return "nodes are available" in text.low


ATTACH = clue(
    "multi-attach error",
    "attachvolume.attach failed",
    "mountvolume.setup failed",
    "mountvolume.mountdevice failed",
    "mountvolume.waitforattach failed",
    "unable to attach or mount volumes",
    "mapvolume",
    "volume is already exclusively attached",
    "volume is already used by pod",
    "waiting for first consumer",
    "failed to provision volume",
    "persistentvolumeclaim is not bound",
    "exceeded max volume",
    "volume attachment is being deleted",
    "fuse mount",
    "mount failed: exit status",
    "failedattachvolume",
    "failedmount",
    places=(Where.EVENT, Where.STATE, Where.CONDITION),
)
_REASONS = ("FailedAttachVolume", "FailedMount", "FailedMapVolume", "ProvisioningFailed")
_TAKEN = ("multi-attach", "exclusively attached", "already used by pod")


def not_attached(case: Case) -> Seen | None:
    """Attach, mount or provision failed, and the pod still waits."""
    named = [each for each in case.texts if each.reason in _REASONS]
    texts = [each for each in (*named, *case.find(ATTACH)) if not _harmless(each)]
    if not texts or not (case.starting or not case.pods):
        return None
    taken = any(sign in each.low for each in texts for sign in _TAKEN)
    return Seen(
        confidence=STRONG,
        pieces=quoted(dict.fromkeys(texts)),
        remedies=(Remedy.RELEASE_VOLUME, Remedy.USE_SHARED_ACCESS_VOLUME) if taken else (),
        params={"taken": taken},
    )


def _harmless(text: Text) -> bool:
    """A projected token that the API server was late with is retried within a second."""
    late = "kube-api-access" in text.low and text.count < 3
    return late or "waiting for first consumer" in text.low

"""Where a pod's weights come from."""

from pathlib import PurePosixPath

from fleet.adapters.kubernetes.parse.common import CONTAINERS_AT_MOST, given
from fleet.adapters.kubernetes.parse.shapes import PodSpec, RawContainer, RawPod, Volume
from fleet.domain.records.engine import model_of_line

LOCAL_MODEL = "internal.serving.kserve.io/localmodel"
STORAGE_INITIALIZER = "storage-initializer"
PVC_VOLUME = "kserve-pvc-source"


def weights_from(raw: RawPod) -> str:
    """storage-initializer, modelcar, oci-native, local-cache, pvc, app-download, baked, or ""
    where nothing tells. Read from the pod: the init container of a storageUri is put in by the
    pod's webhook, so that no template has it.
    Source: kserve pkg/webhook/admission/pod/storage_initializer_injector.go."""
    inits = {item.name for item in raw.spec.initContainers or ()}
    names = {*inits, *(item.name for item in raw.spec.containers or ())}
    if any(name.startswith("modelcar") for name in names):
        return "modelcar"
    if STORAGE_INITIALIZER in inits:
        return STORAGE_INITIALIZER
    marks = (*(raw.metadata.annotations or ()), *(raw.metadata.labels or ()))
    if any(key.startswith(LOCAL_MODEL) for key in marks):
        return "local-cache"
    return _from_volumes(raw.spec) or _from_arguments(raw.spec)


def _from_volumes(spec: PodSpec) -> str:
    """What KServe mounts for a model, by name."""
    volumes = spec.volumes or ()
    if any(given(volume.image) for volume in volumes):
        return "oci-native"
    claims = [volume for volume in volumes if volume.persistentVolumeClaim]
    return "pvc" if any(volume.name.startswith(PVC_VOLUME) for volume in claims) else ""


def _from_arguments(spec: PodSpec) -> str:
    """A path is on a volume or in the image; a name such as org/model is fetched by the server."""
    for container in (spec.containers or ())[:CONTAINERS_AT_MOST]:
        model = model_of_line([*(container.command or ()), *(container.args or ())])
        if model is not None and model.startswith("/"):
            return _from_mount(_volume_of(spec, container, model))
        if model is not None:
            return "app-download"
    return ""


def _volume_of(spec: PodSpec, container: RawContainer, path: str) -> Volume | None:
    """The volume that holds a path: the deepest mount above it."""
    above = {PurePosixPath(path), *PurePosixPath(path).parents}
    mounts = [
        (len(PurePosixPath(mount.mountPath).parts), mount.name)
        for mount in container.volumeMounts or ()
        if PurePosixPath(mount.mountPath) in above
    ]
    name = max(mounts)[1] if mounts else ""
    return next((volume for volume in spec.volumes or () if volume.name == name), None)


def _from_mount(volume: Volume | None) -> str:
    """A disk that outlives the pod is as good as a claim, a node's own directory as its cache; what
    fills an empty volume nobody tells."""
    if volume is None:
        return "baked"
    if given(volume.hostPath):
        return "local-cache"
    lasting = (volume.ephemeral, volume.nfs, volume.csi)
    if volume.persistentVolumeClaim or any(given(raw) for raw in lasting):
        return "pvc"
    return ""

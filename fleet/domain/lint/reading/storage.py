"""Where weights and caches lie."""

from collections.abc import Sequence

from fleet.domain.lint.given import Given
from fleet.domain.lint.reading.container import Template
from fleet.domain.lint.reading.raw import Raw, listed, text, texts, under
from fleet.domain.lint.settings import Server, Storage

LOCAL_MODEL = "internal.serving.kserve.io/localmodel"
# Source: kserve pkg/webhook/admission/pod/storage_initializer_injector.go.
SCHEMES = {
    "pvc": "pvc",
    "oci": "modelcar",
    "oci+modelcar": "modelcar",
    "oci+native": "oci-native",
}
LASTING = ("persistentVolumeClaim", "hostPath", "nfs", "csi", "ephemeral")
# Source: vllm envs.py, huggingface_hub constants.py.
CACHE_ROOT = "VLLM_CACHE_ROOT"
HUB_HOMES = ("HF_HUB_CACHE", "HF_HOME")
HOME = "/root"


def storage_of(raw: Raw, template: Template, server: Server, *, uri: str) -> Storage:
    """uri: as the model's object names it, "" if it names none."""
    return Storage(
        weights_from=_weights_from(raw, template, server, uri=uri),
        uri=uri,
        cache_kept=_kept(template, server.env, (CACHE_ROOT,), ".cache/vllm"),
        hub_kept=_kept(template, server.env, HUB_HOMES, ".cache/huggingface"),
        shm=_shared_memory(template),
    )


def _weights_from(raw: Raw, template: Template, server: Server, *, uri: str) -> str:
    marks = {**texts(under(raw, "metadata", "annotations")), **_labels(raw)}
    if any(key.startswith(LOCAL_MODEL) for key in marks):
        return "local-cache"
    if uri:
        return SCHEMES.get(uri.partition("://")[0], "storage-initializer")
    if not server.model:
        return ""
    if not server.model.startswith("/"):
        return "app-download"
    if not template.complete:
        return ""
    volume = _volume(template, server.model)
    return "baked" if volume is None else "pvc" if _lasting(volume) else ""


def _labels(raw: Raw) -> dict[str, str]:
    return texts(under(raw, "metadata", "labels"))


def _kept(
    template: Template, env: dict[str, str | None], names: Sequence[str], below_home: str
) -> Given[bool]:
    """Whether a folder outlives the pod. Not known where its name is not shown."""
    named = [env[name] for name in names if name in env]
    if not template.complete or None in named:
        return Given()
    home = env.get("HOME") or HOME
    path = next((each for each in named if each), f"{home}/{below_home}")
    volume = _volume(template, path)
    return Given(volume is not None and _lasting(volume), template.origin, template.at)


def _shared_memory(template: Template) -> Given[bool]:
    if not template.complete:
        return Given()
    volume = _volume(template, "/dev/shm", exactly=True)
    memory = volume is not None and text(under(volume, "emptyDir").get("medium")) == "Memory"
    return Given(memory, template.origin, template.at)


def _volume(template: Template, path: str, *, exactly: bool = False) -> Raw | None:
    """The volume that holds a path: of the deepest mount above it."""
    named = {
        text(mount.get("mountPath")).rstrip("/"): text(mount.get("name"))
        for mount in listed(template.container.get("volumeMounts"))
    }
    if not named:
        return None
    parts = path.rstrip("/").split("/")
    deep = (
        [path.rstrip("/")] if exactly else ["/".join(parts[:n]) for n in range(len(parts), 1, -1)]
    )
    name = next((named[each] for each in deep if each in named), "")
    return next(
        (each for each in template.volumes if name and text(each.get("name")) == name), None
    )


def _lasting(volume: Raw) -> bool:
    return any(key in volume for key in LASTING)

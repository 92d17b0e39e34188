"""KServe's webhook on pods: adds the storage-initializer, or mounts the volume with the weights.

Source: kserve/kserve pkg/webhook/admission/pod/storage_initializer_injector.go.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.store.admission import AdmissionRequest
from simulator.store.json_values import JsonObject
from simulator.store.resources import PODS
from simulator.world.kserve import names

SWITCHES = ("enable-metric-aggregation", "enable-prometheus-scraping")


def injector(version: str) -> Callable[[AdmissionRequest], None]:
    """The hook of one cluster; version: KServe's, as in its image tags."""

    def inject(request: AdmissionRequest) -> None:
        if request.operation != "CREATE" or request.resource is not PODS:
            return
        meta = request.object["metadata"]
        if names.ISVC_LABEL not in meta.get("labels", {}):
            return
        annotations = meta.setdefault("annotations", {})
        annotations |= {f"serving.kserve.io/{switch}": "false" for switch in SWITCHES}
        uri = annotations.get(names.SOURCE_URI, "")
        if uri.startswith("pvc://"):
            mount_claim(request.object["spec"], uri)
        elif uri:
            add_initializer(request.object["spec"], uri, version=version)

    return inject


def mount_claim(spec: JsonObject, uri: str) -> None:
    """pvc://claim/path is mounted as it is; nothing is copied."""
    claim, _, path = uri.removeprefix("pvc://").partition("/")
    volume = {
        "name": "kserve-pvc-source",
        "persistentVolumeClaim": {"claimName": claim, "readOnly": True},
    }
    mount = {
        "name": "kserve-pvc-source",
        "mountPath": names.MOUNT,
        "subPath": path,
        "readOnly": True,
    }
    spec.setdefault("volumes", []).append(volume)
    spec["containers"][0].setdefault("volumeMounts", []).append(mount)


def add_initializer(spec: JsonObject, uri: str, *, version: str) -> None:
    volume = "kserve-provision-location"
    container = {
        "name": "storage-initializer",
        "image": f"{names.STORAGE_IMAGE}:{version}",
        "args": [uri, names.MOUNT],
        "resources": {
            "limits": {"cpu": "1", "memory": "1Gi"},
            "requests": {"cpu": "100m", "memory": "100Mi"},
        },
        "volumeMounts": [{"name": volume, "mountPath": names.MOUNT}],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "imagePullPolicy": "IfNotPresent",
    }
    spec["initContainers"] = [*spec.get("initContainers", []), container]
    spec.setdefault("volumes", []).append({"name": volume, "emptyDir": {}})
    mount = {"name": volume, "mountPath": names.MOUNT, "readOnly": True}
    spec["containers"][0].setdefault("volumeMounts", []).append(mount)

"""KServe's webhook on pods: adds the storage-initializer, or mounts the volume with the weights.

Source: kserve/kserve pkg/webhook/admission/pod/storage_initializer_injector.go.
"""

from __future__ import annotations

import hashlib
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
        claim = annotations.get(names.LOCAL_MODEL_CLAIM)
        if claim:
            mount_claim(request.object["spec"], f"pvc://{claim}/{local_path(uri)}")
        elif uri.startswith("pvc://"):
            mount_claim(request.object["spec"], uri)
        elif uri.startswith("oci://"):
            add_modelcar(request.object["spec"], uri.removeprefix("oci://"))
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


def local_path(uri: str) -> str:
    """Where a LocalModelCache keeps a model on its nodes.

    Source: kserve/kserve pkg/controller/v1alpha1/localmodel.
    """
    return f"models/{hashlib.sha256(uri.encode()).hexdigest()[:16]}"


def add_modelcar(spec: JsonObject, image: str) -> None:
    """The image with the weights runs beside the server, which reads them through /proc; an init
    container of the same image only makes sure that it is there.

    Source: kserve/kserve pkg/utils/storage.go, ConfigureModelcarToContainer.
    """
    link = "ln -sf /proc/$$$$/root/models /mnt/models && sleep infinity"
    car: JsonObject = {
        "image": image,
        "resources": {"limits": {"cpu": "10m", "memory": "15Mi"}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "imagePullPolicy": "IfNotPresent",
    }
    check = ["sh", "-c", "echo 'Pre-fetching modelcar: ' && ls /models"]
    mount = {"name": "modelcar-shared", "mountPath": "/mnt"}
    init = car | {"name": "modelcar-init", "args": check}
    spec["initContainers"] = [*spec.get("initContainers", []), init]
    spec.setdefault("volumes", []).append({"name": mount["name"], "emptyDir": {}})
    server = spec["containers"][0]
    server.setdefault("volumeMounts", []).append(mount)
    server["env"] = [*server.get("env", []), {"name": "MODEL_INIT_MODE", "value": "async"}]
    beside = car | {"name": "modelcar", "args": ["sh", "-c", link], "volumeMounts": [mount]}
    spec["containers"].append(beside)
    spec["shareProcessNamespace"] = True


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

"""Where a pod's weights come from, by every mark that tells."""

import json
from typing import Any

import pytest

from fleet.adapters.kubernetes.parse import parse_object
from fleet.domain.records.keys import Resource
from fleet.domain.records.workload import PodRecord


def pod(spec: dict[str, Any], metadata: dict[str, Any]) -> PodRecord:
    """A pod's record."""
    born = {"name": "x", "uid": "u", "creationTimestamp": "2026-11-30T09:00:00Z"}
    raw = {"metadata": born | metadata, "spec": spec}
    record = parse_object(Resource.PODS, json.dumps(raw).encode())
    assert isinstance(record, PodRecord)
    return record


@pytest.mark.parametrize(
    ("spec", "annotations", "weights"),
    [
        ({"initContainers": [{"name": "storage-initializer"}]}, {}, "storage-initializer"),
        ({"initContainers": [{"name": "modelcar-init"}]}, {}, "modelcar"),
        ({"initContainers": [{"name": "modelcar", "restartPolicy": "Always"}]}, {}, "modelcar"),
        ({"initContainers": [{"name": "llm-d-routing-sidecar", "restartPolicy": "Always"},
                             {"name": "storage-initializer"}]}, {}, "storage-initializer"),
        ({"volumes": [{"name": "m", "image": {"reference": "r"}}]}, {}, "oci-native"),
        ({"volumes": [{"name": "kserve-pvc-source",
                       "persistentVolumeClaim": {"claimName": "c"}}]}, {}, "pvc"),
        ({}, {"internal.serving.kserve.io/localmodel-pvc-name": "c"}, "local-cache"),
        ({"containers": [{"name": "m", "args": ["--model=org/m"]}]}, {}, "app-download"),
        ({"containers": [{"name": "m", "args": ["--model_id", "org/m"]}]}, {}, "app-download"),
        ({"containers": [{"name": "m", "args": ["--model", "/models/m"]}]}, {}, "baked"),
        ({"containers": [{"name": "m", "args": ["--model"]}]}, {}, "app-download"),
        ({"containers": [{"name": "m"}]}, {}, ""),
        ({"containers": [{"name": "m", "args": ["--model=/d/m/x", "--model-loader=a"],
                          "volumeMounts": [{"name": "a", "mountPath": "/"},
                                           {"name": "v", "mountPath": "/d/m/"}]}],
          "volumes": [{"name": "a", "emptyDir": {}},
                      {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}, {}, "pvc"),
        ({"containers": [{"name": "m", "command": ["vllm", "serve", "/disk/m", "--port=1"],
                          "volumeMounts": [{"name": "v", "mountPath": "/disk"}]}],
          "volumes": [{"name": "v", "hostPath": {"path": "/nvme"}}]}, {}, "local-cache"),
        ({"containers": [{"name": "m", "args": ["--model=/d/m"],
                          "volumeMounts": [{"name": "v", "mountPath": "/d"}]}],
          "volumes": [{"name": "v", "emptyDir": {}}]}, {}, ""),
        ({"containers": [{"name": "m", "args": ["--model=/data2/m"],
                          "volumeMounts": [{"name": "v", "mountPath": "/data"}]}],
          "volumes": [{"name": "v", "nfs": {"path": "/x"}}]}, {}, "baked"),
        ({"containers": [{"name": "m", "command": ["/bin/sh", "-c"],
                          "args": ["exec vllm serve org/m --port 8000"]}]}, {}, "app-download"),
        ({"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]}, {}, ""),
    ],
)  # fmt: skip
def test_where_weights_come_from(
    spec: dict[str, Any], annotations: dict[str, str], weights: str
) -> None:
    assert pod(spec, {"annotations": annotations}).weights_from == weights

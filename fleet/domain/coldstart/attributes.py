"""What a start was made of: image, version, GPUs, source of the weights, deadline.

Nothing is guessed: what no object and no log tells is blank or None.
"""

import re
from typing import Any

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.heard import Heard, log_of
from fleet.domain.coldstart.outcome import image_cached
from fleet.domain.records.engine import version_of_image

_DIGEST = re.compile(r"sha256:[0-9a-f]{1,64}$")
# A pod's word for where its weights come from -> the start's.
_WEIGHTS = {"app-download": "download", "oci-native": "modelcar"}


def attributes_of(evidence: Evidence) -> dict[str, Any]:
    """Fields of a replica's first start, by name."""
    log = log_of(evidence.heard, evidence.workers_heard())
    return _of_replica(evidence, log) | {
        "progress_deadline_s": evidence.deadline_s,
        "image_pull": image_pull_of(evidence),
        "image_bytes": evidence.image_bytes,
    }


def attributes_again(evidence: Evidence, heard: Heard | None) -> dict[str, Any]:
    """As `attributes_of`, of a start again in place: the image is there, no rollout waits."""
    return _of_replica(evidence, log_of(heard)) | {"image_pull": "cached"}


def _of_replica(evidence: Evidence, log: dict[str, Any] | None) -> dict[str, Any]:
    image = evidence.declared_image or evidence.image
    return {
        "image": image,
        "image_digest": digest_of(evidence.image_id),
        "engine_version": str((log or {}).get("engine_version") or "") or version_of_image(image),
        "gpus": sum(pod.gpus for pod in evidence.pods()),
        "node_pool": evidence.pool,
        "weights_from": _WEIGHTS.get(evidence.weights_from, evidence.weights_from),
        "log": log,
    }


def digest_of(image_id: str) -> str:
    """Of a status's imageID, such as "docker.io/vllm/vllm-openai@sha256:…"; "" if it has none."""
    found = _DIGEST.search(image_id)
    return found.group() if found else ""


def image_pull_of(evidence: Evidence) -> str:
    """full: the kubelet pulled the model server's image for this start; cached: the node had it;
    "" where no Event told."""
    cached = image_cached(evidence)
    if cached is None:
        return ""
    return "cached" if cached else "full"

"""Pulling and Pulled Events: which image, since when, and whether the node had it.

Wordings of all kubelets: 'in 1m2.3s', 'in 7s (13s including waiting)', with 'Image size: n bytes.'
from 1.30 on, 'already present on machine'. Source: kubernetes pkg/kubelet/images/image_manager.go.
"""

import re

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.sight import Sight
from fleet.domain.records.durations import duration_s
from fleet.domain.records.events import EventRecord

_PRESENT = "already present on machine"
_SIZE = re.compile(r"Image size: (\d{1,18}) bytes")
_TOOK = re.compile(r" in (\S{2,24}?)(?: \((\S{2,24}) including waiting\))?\.?(?: Image size.*)?$")
# An image of gigabytes does not come in less: the node had its layers and asked for the manifest.
LAYERS_PRESENT_S = 1.0


def fold_pull(evidence: Evidence, event: EventRecord, sight: Sight) -> None:
    """Of the image that holds the model, or of the model server's own; others are preparation."""
    begins = event.reason == "Pulling"
    if _is_model(evidence, event):
        if begins:
            evidence.model_pull_started = evidence.model_pull_started or sight
        elif evidence.model_pulled is None:
            evidence.model_pulled, evidence.model_cached = sight, was_there(event.message)
            began = evidence.model_pull_started
            evidence.model_pull_started = began or _began(event.message, sight)
    elif event.container == evidence.main and begins:
        evidence.pull_started = evidence.pull_started or sight
    elif event.container == evidence.main and evidence.pulled is None:
        evidence.pulled, evidence.cached = sight, was_there(event.message)
        evidence.pull_started = evidence.pull_started or _began(event.message, sight)
        size = _SIZE.search(event.message)
        evidence.image_bytes = int(size.group(1)) if size else None


def _is_model(evidence: Evidence, event: EventRecord) -> bool:
    """A modelcar's container; an image volume is pulled for the pod, for no container."""
    if event.container.startswith("modelcar"):
        return True
    return not event.container and evidence.weights_from == "oci-native"


def was_there(message: str) -> bool:
    """Whether the node had the image, by the text of a Pulled Event. Waiting in the queue behind a
    pull of the same image is as good as pulling it."""
    took_s = pulled_in_s(message)
    return _PRESENT in message or (took_s is not None and took_s[1] < LAYERS_PRESENT_S)


def pulled_in_s(message: str) -> tuple[float, float] | None:
    """Seconds of the pull alone and with its queue, None where the text names none."""
    found = _TOOK.search(message)
    alone = duration_s(found.group(1)) if found else None
    if found is None or alone is None:
        return None
    waited = duration_s(found.group(2)) if found.group(2) else None
    return alone, alone if waited is None else waited


def _began(message: str, pulled: Sight) -> Sight | None:
    """Nobody saw the pull begin: the end tells how long it took, its queue included."""
    took_s = pulled_in_s(message)
    if took_s is None or pulled.stamp is None:
        return None
    return Sight(float(int(pulled.stamp - took_s[1])), None, pulled.by)

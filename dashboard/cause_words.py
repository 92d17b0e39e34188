"""What people read of causes and of how sure a diagnosis is of them."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from dashboard.words import Words, word
from fleet.domain.diagnosis.records import Cause

CAUSE_LABELS: Mapping[Cause, Words] = {
    Cause.SCALE_FROM_ZERO: _("woken from zero"),
    Cause.NOT_PREPARED: _("ready before the model can answer"),
    Cause.PROBE_TOO_STRICT: _("probe too strict"),
    Cause.PROBE_WRONG_TARGET: _("probe asks the wrong place"),
    Cause.LIVENESS_KILLS_LOADING: _("liveness probe kills the loading server"),
    Cause.TIMEOUT_SHORTER_THAN_LOAD: _("time limit shorter than the load"),
    Cause.TIMEOUT_SHORTER_THAN_REQUEST: _("time limit shorter than the request"),
    Cause.MODEL_DOWNLOAD_SLOW: _("model download slow"),
    Cause.MODEL_DOWNLOAD_DENIED: _("model download denied"),
    Cause.MODEL_DOWNLOAD_FAILED: _("model download failed"),
    Cause.DISK_FULL: _("disk full"),
    Cause.IMAGE_PULL_SLOW: _("image pull slow"),
    Cause.IMAGE_PULL_FAILED: _("image cannot be pulled"),
    Cause.UPSTREAM_HUB_RATE_LIMIT: _("hub or registry limits the rate"),
    Cause.UNSCHEDULABLE_GPU: _("no free GPU"),
    Cause.UNSCHEDULABLE_OTHER: _("no node fits"),
    Cause.NODE_PROVISIONING: _("a node is on its way"),
    Cause.GPU_OOM: _("GPU out of memory"),
    Cause.HOST_OOM: _("container out of memory"),
    Cause.KV_CACHE_TOO_SMALL: _("KV cache too small"),
    Cause.CRASH_LOOP_CONFIG: _("server exits because of its settings"),
    Cause.ENGINE_START_HANG: _("engine start hangs"),
    Cause.ENGINE_LOAD_SLOW: _("engine loads slowly"),
    Cause.ENGINE_DIED: _("engine died"),
    Cause.OVERLOAD: _("overload"),
    Cause.AUTOSCALER_LAG: _("autoscaler lags"),
    Cause.AUTOSCALER_MISCONFIGURED: _("autoscaler misconfigured"),
    Cause.ROLLOUT_CAPACITY_DEADLOCK: _("rollout waits for capacity that it holds itself"),
    Cause.CANARY_SHIFTED_EARLY: _("canary got traffic too early"),
    Cause.PROGRESS_DEADLINE_EXCEEDED: _("progress deadline exceeded"),
    Cause.VOLUME_ATTACH: _("volume cannot be attached"),
    Cause.MESH_OR_NETWORK: _("mesh or network"),
    Cause.ROUTING_MISCONFIGURED: _("routing misconfigured"),
    Cause.WRONG_MODEL_NAME: _("wrong model name asked for"),
    Cause.CONFIG_CONFLICT: _("settings contradict"),
    Cause.PREEMPTION: _("preempted"),
    Cause.DRAINING: _("draining"),
    Cause.ADMISSION_BLOCKED: _("admission blocked"),
    Cause.NONE: _("nothing wrong"),
    Cause.INSUFFICIENT_EVIDENCE: _("evidence does not suffice"),
}

# How sure, from that confidence on.
CONFIDENCE: tuple[tuple[float, Words], ...] = (
    (0.85, _("certain")),
    (0.65, _("likely")),
    (0.0, _("possible")),
)


def cause_words(cause: str) -> Words:
    """The label of a stored cause; one that this release does not know is shown as it is, "" stays
    "": not diagnosed."""
    return word(CAUSE_LABELS, cause)


def confidence_words(confidence: float | None) -> Words:
    """Like "likely"; "" = not known."""
    if confidence is None:
        return ""
    return next(says for least, says in CONFIDENCE if confidence >= least or least == 0.0)

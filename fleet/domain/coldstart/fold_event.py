"""An Event about a pod, folded into what is kept of its replica.

A repeat moves the count of one and the same Event: its first time is that of the first run."""

import re

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.fold_pod import FETCH
from fleet.domain.coldstart.fold_pull import fold_pull
from fleet.domain.coldstart.sight import Sight
from fleet.domain.coldstart.trouble import REASON_LENGTH
from fleet.domain.records.events import EventRecord

# A node on its way. Sources: cluster-autoscaler processors/status/eventing_scale_up_processor.go;
# karpenter pkg/controllers/provisioning/scheduling/events.go.
_NODE_COMING = frozenset({"TriggeredScaleUp", "Nominated"})
_PROBE_KILL = re.compile(r"failed (liveness|startup) probe")
# Karpenter nominates nodes that are there, too; one that is only claimed is still to come.
_NODE_THERE = re.compile(r"(?:^|[\s,])node/")

FOLDED = frozenset(
    {
        "Scheduled",
        "FailedScheduling",
        "Pulling",
        "Pulled",
        "Started",
        "Killing",
        "Preempted",
        "TaintManagerEviction",
        "Evicted",
        "Unhealthy",
    }
    | _NODE_COMING
)


def fold_event(evidence: Evidence, event: EventRecord, *, at: float, live: bool) -> None:
    """Take in an Event as seen at `at` (our clock). live: by a watch, not a list."""
    _lag(evidence, event, at=at, live=live)
    sight = first_sight(event, at=at)
    match event.reason:
        case "Scheduled":
            evidence.scheduled_event = evidence.scheduled_event or sight
        case "FailedScheduling":
            evidence.unschedulable = evidence.unschedulable or sight
            evidence.unschedulable_why = event.message[:REASON_LENGTH]
        case "Pulling" | "Pulled":
            fold_pull(evidence, event, sight)
        case "Started":
            _started(evidence, event, sight)
        case "Killing":
            _killing(evidence, event)
        case "Preempted" | "TaintManagerEviction" | "Evicted":
            evidence.disrupted = evidence.disrupted or event.reason
        case _ if _is_node_coming(event):
            evidence.node_coming = evidence.node_coming or sight


def _is_node_coming(event: EventRecord) -> bool:
    if event.reason == "Nominated" and _NODE_THERE.search(event.message):
        return False
    return event.reason in _NODE_COMING


def first_sight(event: EventRecord, *, at: float) -> Sight:
    """When an Event happened first. Its message witnesses that only if it is not a repeat."""
    stamp = event.first_at.timestamp() if event.first_at else None
    return Sight(stamp, None, at)


def _lag(evidence: Evidence, event: EventRecord, *, at: float, live: bool) -> None:
    """How late the node's stamps come: its clock against ours."""
    if not live or event.component != "kubelet" or event.last_at is None:
        return
    lag = at - event.last_at.timestamp()
    evidence.lag_low = lag if evidence.lag_low is None else min(lag, evidence.lag_low)
    evidence.lag_high = lag if evidence.lag_high is None else max(lag, evidence.lag_high)
    evidence.lags += 1


def _started(evidence: Evidence, event: EventRecord, sight: Sight) -> None:
    if event.container == evidence.main:
        evidence.main_event = evidence.main_event or sight
    elif event.container == FETCH:
        evidence.fetch_event = evidence.fetch_event or sight


def _killing(evidence: Evidence, event: EventRecord) -> None:
    """Killed by a probe while starting: whatever exit code follows, that is why."""
    found = _PROBE_KILL.search(event.message)
    if found and evidence.ready is None and event.container in {evidence.main, ""}:
        evidence.error = (f"{found.group(1)}-kill", event.message[:REASON_LENGTH])

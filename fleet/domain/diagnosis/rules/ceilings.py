"""How many replicas there are and may be, and how much each takes at once."""

from fleet.domain.diagnosis.case import Case
from fleet.domain.diagnosis.reading.plain import number, within


def concurrency(case: Case) -> float:
    """Requests that a pod takes at once by its settings; 0 if unlimited or not told."""
    for spec in (
        case.evidence.revision.spec,
        case.evidence.autoscaler.spec,
        within(case.evidence.model.spec, "predictor"),
    ):
        found = number(spec.get("containerConcurrency"))
        if found:
            return found
    return 0.0


def ready_count(case: Case) -> float:
    """Replicas that are ready: by the autoscaler's word, by pods, else by samples."""
    for value in (
        case.evidence.autoscaler.status.get("actualScale"),
        None if case.pods else case.evidence.deployment.status.get("readyReplicas"),
    ):
        told = number(value)
        if told is not None:
            return told
    if not case.pods:
        sample = case.series.most("status_replicas_ready", "revision_pods_count", "ready_pods")
        return sample.value if sample is not None else 0.0
    return float(len(case.ready))


def ceiling(case: Case) -> float | None:
    """The most replicas that are allowed; None if unlimited or not told."""
    annotations = {**case.evidence.autoscaler.annotations, **case.evidence.revision.annotations}
    values = [
        annotations.get("autoscaling.knative.dev/max-scale"),
        annotations.get("autoscaling.knative.dev/maxScale"),
        within(case.evidence.model.spec, "predictor").get("maxReplicas"),
        within(case.evidence.model.spec, "scaling").get("maxReplicas"),
        case.evidence.config.get("max_replicas"),
    ]
    found = [amount for each in values if (amount := number(each)) is not None and amount > 0]
    return found[0] if found else None

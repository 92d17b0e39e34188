"""What other objects than the pod tell of what a start is made of."""

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.ledger.context import top_of
from fleet.domain.ledger.group import Group


def set_attributes(group: Group, evidence: Evidence) -> None:
    """The image as the Revision declares it, and the deadline of the rollout, as of the start."""
    revision = group.revisions.get(evidence.revision_uid)
    if revision is not None and not evidence.declared_image:
        images = (item.image for item in revision.containers if item.name == evidence.main)
        evidence.declared_image = next(images, "")
    if evidence.ready is None:
        evidence.deadline_s = _deadline_s(group, evidence) or evidence.deadline_s


def _deadline_s(group: Group, evidence: Evidence) -> float | None:
    """What the Deployment says is in force; Knative sets it there from the Revision's annotation.
    Source: knative/serving pkg/reconciler/revision/resources/deploy.go."""
    top, revision = top_of(group, evidence), group.revisions.get(evidence.revision_uid)
    if top is not None and top.progress_deadline_s:
        return top.progress_deadline_s
    return revision.progress_deadline_s if revision is not None else None

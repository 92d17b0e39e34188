"""Which object takes an in-place floor in Knative mode. Trying it out would roll the loaded pods of
an old version, so only what can be read decides."""

import re
from collections.abc import Iterable
from enum import StrEnum

# From this version on the Revision's annotations are copied to its PodAutoscaler, and annotations
# the Revision lacks are taken off it. Source: knative/serving pull request 16186.
FIRST_WITH_REVISION = (1, 21)


class Way(StrEnum):
    """autoscaler-first: undecided; what the cluster does to the PodAutoscaler tells, at the cost
    of one short flap."""

    REVISION = "revision"
    AUTOSCALER = "autoscaler"
    AUTOSCALER_FIRST = "autoscaler-first"


def by_version(version: str) -> Way | None:
    """From the controller's version label; None for source builds and unreadable ones."""
    found = re.match(r"v?(\d+)\.(\d+)(?:\D|$)", version.strip())
    if found is None:
        return None
    numbers = (int(found[1]), int(found[2]))
    return Way.REVISION if numbers >= FIRST_WITH_REVISION else Way.AUTOSCALER


def by_template(repeats: Iterable[bool | None]) -> Way | None:
    """From Deployments of Revisions with autoscaling annotations: a pod template that repeats them
    was made by 1.20 or older. None where nothing could be read, or Deployments disagree."""
    seen = {repeated for repeated in repeats if repeated is not None}
    if len(seen) != 1:
        return None
    return Way.AUTOSCALER if seen.pop() else Way.REVISION


def choose(version: str, repeats: Iterable[bool | None]) -> Way:
    """The way to go. Vendors number their builds otherwise, so a version that the Deployments
    contradict decides nothing."""
    said, shown = by_version(version), by_template(repeats)
    if said and shown and said != shown:
        return Way.AUTOSCALER_FIRST
    return said or shown or Way.AUTOSCALER_FIRST

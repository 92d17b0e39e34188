"""A start reduced to what comparing needs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from operator import attrgetter

from fleet.domain.coldstart.start import Outcome, Phase

# They add up to `total_s`; route and first-answer come after it.
COUNTED: tuple[Phase, ...] = tuple(Phase)[: tuple(Phase).index(Phase.UNEXPLAINED) + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One start. Words that are not known are "", numbers None.

    phases_s: seconds of each phase, in the order passed. parts_s: seconds of what the server's
    log tells of loading; these nest, so they are never added up. log_facts: other facts of the
    log. Both are empty where no log was read, or where a reader left them out.
    """

    id: int
    model: str
    model_uid: str
    cluster: str
    started_at: datetime
    outcome: str
    trigger: str
    start_mode: str
    total_s: float | None
    phases_s: Mapping[str, float] = field(default_factory=dict)
    revision: str = ""
    revision_uid: str = ""
    node: str = ""
    node_pool: str = ""
    image_digest: str = ""
    image_pull: str = ""
    engine_version: str = ""
    weights_from: str = ""
    gpus: int | None = None
    parts_s: Mapping[str, float] = field(default_factory=dict)
    log_facts: Mapping[str, object] = field(default_factory=dict)


READY = Outcome.READY.value


class Attribute(StrEnum):
    """What starts are told apart by."""

    REVISION = "revision"
    NODE = "node"
    NODE_POOL = "node_pool"
    IMAGE_DIGEST = "image_digest"
    START_MODE = "start_mode"
    WEIGHTS_FROM = "weights_from"
    TRIGGER = "trigger"
    ENGINE_VERSION = "engine_version"


def reader_of(attribute: Attribute) -> Callable[[Compared], str]:
    """What reads a start's value of the attribute, "" when not known."""
    return attrgetter(attribute.value)


def finished(starts: Iterable[Compared], *, mode: str = "") -> list[Compared]:
    """Ready starts whose length is known; of one start mode, if one is given."""
    # A page asks this of the same starts some thirty times.
    ready = [s for s in starts if s.outcome == READY and s.total_s is not None]
    return [start for start in ready if start.start_mode == mode] if mode else ready


def totals_s(starts: Iterable[Compared]) -> list[float]:
    """Known lengths, in the order given."""
    return [start.total_s for start in starts if start.total_s is not None]


def usual_mode(starts: Iterable[Compared]) -> str:
    """The commonest start mode of finished starts; of several, the one of the newest start. ""
    without any."""
    counts: dict[str, int] = {}
    for start in sorted(finished(starts), key=lambda start: start.started_at, reverse=True):
        counts[start.start_mode] = counts.get(start.start_mode, 0) + 1
    return max(counts, key=counts.__getitem__, default="")

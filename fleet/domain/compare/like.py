"""Which starts a start may be compared with: nearest first, widened in named steps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fleet.domain.coldstart.start import StartMode
from fleet.domain.compare.records import Compared, finished, usual_mode

# The newest of each step; older ones belong to other days.
AT_MOST = 40


class Kin(StrEnum):
    """How near comparable starts are, nearest first. The last two are other models' starts.

    revision: same revision. image: this model, same image. model: this model, its newest starts
    of any revision. cluster: other models there too, with weights from the same kind of place and
    as many GPUs. fleet: the same over all clusters. All of one start mode.
    """

    REVISION = "revision"
    IMAGE = "image"
    MODEL = "model"
    CLUSTER = "cluster"
    FLEET = "fleet"


OWN = frozenset({Kin.REVISION, Kin.IMAGE, Kin.MODEL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Like:
    """Finished starts of one mode, newest first. kin: None if there are too few at every step.

    mode_assumed: the start's own mode is not known yet, the model's usual one was taken.
    """

    kin: Kin | None = None
    starts: tuple[Compared, ...] = ()
    mode: str = StartMode.UNKNOWN.value
    mode_assumed: bool = False

    @property
    def n(self) -> int:
        return len(self.starts)

    @property
    def own(self) -> bool:
        """Starts of this model only."""
        return self.kin in OWN


def like(
    subject: Compared, pool: Iterable[Compared], *, enough: int, at_most: int = AT_MOST
) -> Like:
    """The first step that has `enough` starts; without one, kin is None and starts are empty.

    pool: starts of any models, in any order; the subject itself is left out.
    """
    mode, assumed = _mode(subject, pool := list(pool))
    others = [start for start in finished(pool, mode=mode) if start.id != subject.id]
    others.sort(key=lambda start: (start.started_at, start.id), reverse=True)
    for kin in Kin:
        found = _near(subject, others, kin)[:at_most]
        if len(found) >= enough:
            return Like(kin=kin, starts=tuple(found), mode=mode, mode_assumed=assumed)
    return Like(mode=mode, mode_assumed=assumed)


def _mode(subject: Compared, pool: Sequence[Compared]) -> tuple[str, bool]:
    """What was cached is known only once the image's pull is decided."""
    if subject.start_mode != StartMode.UNKNOWN:
        return subject.start_mode, False
    own = usual_mode(start for start in pool if start.model_uid == subject.model_uid)
    return own or StartMode.UNKNOWN.value, bool(own)


def _near(subject: Compared, others: Sequence[Compared], kin: Kin) -> list[Compared]:
    if kin is Kin.FLEET:
        return [start for start in others if _same_kind(start, subject)]
    if kin is Kin.CLUSTER:
        return [s for s in others if s.cluster == subject.cluster and _same_kind(s, subject)]
    own = [start for start in others if start.model_uid == subject.model_uid]
    if kin is Kin.REVISION:
        return [s for s in own if subject.revision_uid and s.revision_uid == subject.revision_uid]
    if kin is Kin.IMAGE:
        return [start for start in own if _same_image(start, subject)]
    return own


def _same_image(start: Compared, subject: Compared) -> bool:
    """By digest; a version that either tells must not differ."""
    versions = {start.engine_version, subject.engine_version} - {""}
    same = subject.image_digest != "" and start.image_digest == subject.image_digest
    return same and len(versions) < 2


def _same_kind(start: Compared, subject: Compared) -> bool:
    """Two that are not known are the same: nothing tells them apart."""
    return (start.weights_from, start.gpus) == (subject.weights_from, subject.gpus)

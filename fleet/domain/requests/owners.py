"""Whose a count is: from the names that series carry to models, by what is known of the cluster."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from typing import NamedTuple

from fleet.domain.records.keys import Mode, ModelKey
from fleet.domain.requests.records import (
    RequestWindow,
    Subject,
    SubjectKind,
    SubjectWindow,
    Tally,
)
from fleet.domain.requests.sums import in_front_of, side_by_side

# The model as a whole: what counts it knows no revisions.
WHOLE = ""
# From the caller to the model: the first that counts a request says how many there were.
FRONT_TO_BACK = (SubjectKind.SERVICE, SubjectKind.POOL, SubjectKind.REVISION, SubjectKind.POD)


@dataclass(frozen=True, slots=True, order=True)
class Owner:
    """A model by identity, with the name it bears."""

    uid: str
    key: ModelKey


class Owned(NamedTuple):
    """Whose a subject is. revision: WHOLE = not told apart."""

    owner: Owner
    revision: str


@dataclass(frozen=True, slots=True)
class Member:
    """A revision or a pod of a model, by name. revision: of a pod, the one it belongs to."""

    namespace: str
    name: str
    revision: str
    uid: str


@dataclass(frozen=True, slots=True)
class Names:
    """Subjects that are known."""

    owned: Mapping[Subject, Owned] = field(default_factory=dict)

    def owner_of(self, subject: Subject) -> Owned | None:
        """None = no model of ours."""
        return self.owned.get(subject)


def names_of(
    models: Mapping[Owner, Mode], *, revisions: Iterable[Member], pods: Iterable[Member]
) -> Names:
    """What the series of these models are called. A name that two could bear is the one's whose
    Service bears it, before the one's whose route does."""
    by_uid = {owner.uid: owner for owner in models}
    owned: dict[Subject, Owned] = {}
    for member in revisions:
        if owner := by_uid.get(member.uid):
            owned |= _revision_subjects(member, owner)
    for member in pods:
        if owner := by_uid.get(member.uid):
            pod = Subject(member.namespace, SubjectKind.POD, member.name)
            owned[pod] = Owned(owner, member.revision)
    for names in (_services, _routes):
        for owner, mode in models.items():
            for subject in names(owner.key, mode):
                owned.setdefault(subject, Owned(owner, WHOLE))
    return Names(owned)


def windows_by_model(
    found: Iterable[SubjectWindow], names: Names
) -> dict[Owner, list[RequestWindow]]:
    """Each model's windows by time and revision; subjects of no model are left out.

    One request is counted once: see `_of_one_moment`.
    """
    moments: dict[Owner, dict[datetime, list[tuple[Owned, SubjectWindow]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for window in found:
        owned = names.owner_of(window.subject)
        if owned is not None:
            moments[owned.owner][window.at].append((owned, window))
    return {
        owner: [
            RequestWindow(revision=revision, at=at, tally=tally)
            for at in sorted(times)
            for revision, tally in sorted(_of_one_moment(times[at]).items())
        ]
        for owner, times in moments.items()
    }


def _of_one_moment(found: Sequence[tuple[Owned, SubjectWindow]]) -> dict[str, Tally]:
    """By revision. Where Knative tells revisions, what only knows the whole model is left out: it
    counts the same requests. Else the whole stands in front of its pods."""
    told_apart = any(w.subject.kind is SubjectKind.REVISION for _, w in found)
    groups: dict[str, dict[SubjectKind, list[Tally]]] = defaultdict(lambda: defaultdict(list))
    whole = any(owned.revision == WHOLE for owned, _ in found) and not told_apart
    for owned, window in found:
        if told_apart and owned.revision == WHOLE:
            continue
        revision = WHOLE if whole else owned.revision
        groups[revision][window.subject.kind].append(window.tally)
    return {revision: _front_to_back(kinds) for revision, kinds in groups.items()}


def _front_to_back(kinds: Mapping[SubjectKind, Sequence[Tally]]) -> Tally:
    return reduce(in_front_of, (side_by_side(kinds[k]) for k in FRONT_TO_BACK if k in kinds))


def _revision_subjects(member: Member, owner: Owner) -> dict[Subject, Owned]:
    """A Knative Revision's public Service bears its name, the private one "-private"; subjects of
    ReplicaSets bear a name that no series has."""
    owned = Owned(owner, member.name)
    namespace, name = member.namespace, member.name
    return {
        Subject(namespace, SubjectKind.REVISION, name): owned,
        Subject(namespace, SubjectKind.SERVICE, name): owned,
        Subject(namespace, SubjectKind.SERVICE, f"{name}-private"): owned,
    }


def _services(key: ModelKey, mode: Mode) -> list[Subject]:
    """Source: kserve/kserve pkg/constants (predictor), config/llmisvcconfig (workload, pool)."""
    namespace, name = key.namespace, key.name
    if mode is Mode.LLM:
        return [
            Subject(namespace, SubjectKind.SERVICE, f"{name}-kserve-workload-svc"),
            Subject(namespace, SubjectKind.POOL, f"{name}-inference-pool"),
            Subject(namespace, SubjectKind.SERVICE, f"{name}-inference-pool"),
        ]
    return [
        Subject(namespace, SubjectKind.SERVICE, f"{name}-predictor"),
        Subject(namespace, SubjectKind.SERVICE, f"{name}-predictor-default"),
    ]


def _routes(key: ModelKey, mode: Mode) -> list[Subject]:
    """Gateways name their counts after the HTTPRoute."""
    route = f"{key.name}-kserve-route" if mode is Mode.LLM else key.name
    return [Subject(key.namespace, SubjectKind.SERVICE, route)]

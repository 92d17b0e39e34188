"""What is concluded of models: who is to be looked at, who looks, and what came of it. The only
writer of insights and of a fleet row's finding."""

import hashlib
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery

from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import ModelKey
from fleet.history.fitting import fitted, plain
from fleet.history.insight_shapes import top_json
from fleet.history.shown_states import RANKS
from fleet.models import Incident, ModelInsight, ServedModel
from fleet.models.insight import ModelInsightQuerySet

# Longer than one look may take.
CLAIM_FOR = timedelta(seconds=45)
ROWS_AT_ONCE = 500
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A fleet row as far as it says whether to look, with its insight; None = none yet."""

    row: ServedModel
    insight: ModelInsight | None
    incident: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The right to write one model's insight until `until`."""

    pk: int
    key: ModelKey
    model_uid: str
    why: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Concluded:
    """What came of a look, in the kept form.

    collected: the bundle, to be shown and downloaded. missing: what of it could not be read.
    """

    findings: Sequence[Json]
    lint: Sequence[Json]
    profile: Mapping[str, Any]
    linted_for: str
    collected: Mapping[str, Any]
    missing: Sequence[Json] = field(default_factory=tuple)


# What advice rests on: nothing of it is JSON, so that thousands of rows are read quickly.
_SETTINGS = (
    *("cluster", "kind", "namespace", "name", "model_uid", "mode", "changed_at"),
    *("revision_uid", "min", "max", "p95_s", "count_7d", "rank"),
)
_ROW = (
    *_SETTINGS,
    *("state", "errors", "errors_at", "probe_serving_1h", "in_flight", "finding"),
)
# What is worse than Unknown: Failing, Degraded, Starting.
TROUBLED_RANK = RANKS[State.UNKNOWN.value]
_INSIGHT = (
    *("cluster", "model_uid", "diagnosed_at", "linted_at", "linted_for", "due_at"),
    "claimed_until",
)


def troubled(clusters: Iterable[str]) -> list[Subject]:
    """Present models of these clusters that may be in trouble, worst first. Three queries."""
    names = list(clusters)
    ongoing = Incident.objects.ongoing().filter(cluster__in=names)
    broken = set(ongoing.values_list("cluster", "model_uid"))
    some = Q(rank__lt=TROUBLED_RANK) | Q(finding__isnull=False) | Q(probe_serving_1h__gt=0)
    some |= Q(errors__lost__gt=0) | ~Q(in_flight=[]) | Q(model_uid__in=[uid for _, uid in broken])
    rows = ServedModel.objects.present().filter(some, cluster__in=names)
    found = list(rows.only(*_ROW).order_by("rank", "pk"))
    known = _insights(ModelInsight.objects.filter(model_uid__in=[r.model_uid for r in found]))
    return [
        Subject(row=row, insight=known.get(_id(row)), incident=_id(row) in broken) for row in found
    ]


def unlinted(clusters: Iterable[str], *, before: datetime) -> list[Subject]:
    """Present models of these clusters that changed since they were linted, that were linted
    `before`, or never; as far as advice rests on them. Two queries."""
    mine = ModelInsight.objects.filter(cluster=OuterRef("cluster"), model_uid=OuterRef("model_uid"))
    rows = ServedModel.objects.present().filter(cluster__in=list(clusters))
    rows = rows.annotate(linted_at=Subquery(mine.values("linted_at")[:1]))
    old = Q(linted_at=None) | Q(linted_at__lt=before) | Q(changed_at__gt=F("linted_at"))
    found = list(rows.filter(old).only(*_SETTINGS).order_by("rank", "pk"))
    known = _insights(ModelInsight.objects.filter(model_uid__in=[r.model_uid for r in found]))
    return [Subject(row=row, insight=known.get(_id(row)), incident=False) for row in found]


def _insights(rows: ModelInsightQuerySet) -> dict[tuple[str, str], ModelInsight]:
    return {(each.cluster, each.model_uid): each for each in rows.only(*_INSIGHT)}


def subject(cluster: str, model_uid: str) -> Subject | None:
    """One model that is present; None = it is not."""
    mine = {"cluster": cluster, "model_uid": model_uid}
    row = ServedModel.objects.present().filter(**mine).first()
    if row is None:
        return None
    return Subject(
        row=row,
        insight=ModelInsight.objects.filter(**mine).only(*_INSIGHT).first(),
        incident=Incident.objects.ongoing().filter(**mine).exists(),
    )


def _id(row: ServedModel) -> tuple[str, str]:
    return row.cluster, row.model_uid


def ask(wanted: Iterable[tuple[ServedModel, str]], *, now: datetime) -> None:
    """Note that these models are to be looked at, and why; what was asked before stays."""
    by_why: dict[tuple[str, str], list[ServedModel]] = defaultdict(list)
    for row, why in wanted:
        by_why[row.cluster, why].append(row)
    for (cluster, why), rows in by_why.items():
        for first in range(0, len(rows), ROWS_AT_ONCE):
            _ask(cluster, rows[first : first + ROWS_AT_ONCE], why=why, now=now)


def _ask(cluster: str, rows: Sequence[ServedModel], *, why: str, now: datetime) -> None:
    fresh = [
        fitted(ModelInsight(**asdict(r.key), model_uid=r.model_uid, due_at=now, why=why))
        for r in rows
    ]
    ModelInsight.objects.bulk_create(fresh, ignore_conflicts=True)
    uids = [row.model_uid for row in rows]
    idle = ModelInsight.objects.filter(cluster=cluster, model_uid__in=uids, due_at=None)
    idle.update(due_at=now, why=why)


def ask_now(row: ServedModel, *, why: str, now: datetime) -> None:
    """A person asks: whoever holds the model now may finish, then it is looked at again."""
    ask([(row, why)], now=now)
    mine = ModelInsight.objects.filter(cluster=row.cluster, model_uid=row.model_uid)
    mine.update(due_at=now, why=why)


def waiting(*, now: datetime) -> list[tuple[str, int, str]]:
    """Cluster, number and why of those that are due, the longest waiting first."""
    due = ModelInsight.objects.due(now=now).order_by("due_at", "pk")
    return list(due.values_list("cluster", "pk", "why"))


def busy(*, now: datetime) -> Counter[str]:
    """How many models of each cluster are looked at now."""
    held = ModelInsight.objects.filter(claimed_until__gt=now)
    return Counter(held.values_list("cluster", flat=True))


def claim(pk: int, *, now: datetime) -> Claimed | None:
    """The claim, None when somebody holds it or nothing is asked any more."""
    until = now + CLAIM_FOR
    free = ModelInsight.objects.due(now=now).filter(pk=pk)
    if not free.update(claimed_until=until):
        return None
    row = ModelInsight.objects.only("cluster", "kind", "namespace", "name", "why").get(pk=pk)
    return Claimed(pk=pk, key=row.key, model_uid=row.model_uid, why=row.why, until=until)


def forget(claimed: Claimed) -> None:
    """The model is gone: nothing is to be concluded of it any more."""
    _held(claimed).delete()


def set_problem(claimed: Claimed, problem: Mapping[str, Any], *, now: datetime) -> None:
    """The model could not be looked at: said, and tried again after a while."""
    _held(claimed).update(
        problem=plain(dict(problem)),
        due_at=now + CLAIM_FOR,
        claimed_until=None,
        version=F("version") + 1,
    )


def conclude(claimed: Claimed, found: Concluded, *, began: datetime, now: datetime) -> bool:
    """Keep what came of a look, if the claim still holds; whether anything that is shown changed.

    began: what changed after it asks for another look.
    """
    with transaction.atomic():
        row = _held(claimed).select_for_update().first()
        if row is None:
            return False
        before = row.fingerprint
        _fill(row, found, began=began, now=now)
        if row.due_at is not None and row.due_at <= began:
            row.due_at, row.why = None, ""
        row.claimed_until = None
        row.save()
        _set_top(claimed, top_json(found.findings))
    return bool(before != row.fingerprint)


def _fill(row: ModelInsight, found: Concluded, *, began: datetime, now: datetime) -> None:
    row.findings = list(found.findings)
    row.lint = list(found.lint)
    row.profile = dict(found.profile)
    row.linted_for = found.linted_for
    row.diagnosed_at = row.linted_at = began
    row.problem = {"missing": list(found.missing)} if found.missing else {}
    row.objects_json = packed(found.collected)
    row.collected_at = now
    row.fingerprint = fingerprint(row.findings, row.lint, row.profile, row.problem)
    row.version += 1


def _set_top(claimed: Claimed, top: Json | None) -> None:
    """Not a change that asks for another look: changed_at stays."""
    rows = ServedModel.objects.filter(cluster=claimed.key.cluster, model_uid=claimed.model_uid)
    shown = rows.values_list("finding", flat=True).first()
    if shown != top:
        rows.update(finding=top, version=F("version") + 1)


def _held(claimed: Claimed) -> Any:
    return ModelInsight.objects.filter(pk=claimed.pk, claimed_until=claimed.until)


def fingerprint(*shown: Any) -> str:
    """A digest of what is shown."""
    text = json.dumps(shown, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def packed(bundle: Mapping[str, Any]) -> bytes:
    return zlib.compress(json.dumps(plain(dict(bundle))).encode())


def unpacked(kept: bytes | memoryview) -> Json:
    """The bundle, {} where none is kept."""
    if not kept:
        return {}
    bundle: Json = json.loads(zlib.decompress(bytes(kept)))
    return bundle

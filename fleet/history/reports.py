"""Weekly reports kept, and read as they were kept."""

from collections.abc import Sequence

import msgspec
from django.db import IntegrityError, transaction

from fleet.domain.reports.facts import WeekFacts
from fleet.domain.reports.report import Kept
from fleet.domain.reports.week import Week
from fleet.errors import BadInput
from fleet.history.fitting import fitted
from fleet.models import Report

_facts = msgspec.json.Decoder(WeekFacts)


def kept_week(week: Week, *, revision: int | None = None) -> tuple[WeekFacts, Kept] | None:
    """What is kept of a week: the revision, or the newest; None when there is none."""
    rows = Report.objects.of(str(week))
    row = rows.first() if revision is None else rows.filter(revision=revision).first()
    return None if row is None else (_facts.decode(row.facts), kept_of(row))


def kept_of(row: Report) -> Kept:
    return Kept(revision=row.revision, created_at=row.created_at, why=row.why)


def revisions_of(week: Week) -> list[Kept]:
    """The newest first, without what they tell."""
    rows = Report.objects.of(str(week)).only("revision", "created_at", "why")
    return [kept_of(row) for row in rows]


def kept_weeks(weeks: Sequence[Week]) -> set[Week]:
    """Those of the weeks that have a report."""
    names = {str(week): week for week in weeks}
    found = Report.objects.filter(week__in=names).values_list("week", flat=True)
    return {names[name] for name in found}


def keep_first(facts: WeekFacts) -> bool:
    """Keep the first report of a week; whether we did: False when there is one already."""
    return _keep(facts, revision=1, why="")


def keep_again(facts: WeekFacts, *, why: str) -> Kept:
    """Keep another report of a week beside those there are; raises BadInput without a reason, and
    when somebody else did the same at this moment."""
    if not why.strip():
        raise BadInput("say why the report is made once more: it is shown with it")
    with transaction.atomic():
        newest = Report.objects.of(str(facts.week)).values_list("revision", flat=True).first()
        revision = (newest or 0) + 1
        if not _keep(facts, revision=revision, why=why.strip()):
            raise BadInput(f"the report of {facts.week} was made by somebody else just now")
    return Kept(revision=revision, created_at=facts.counted_at, why=why.strip())


def _keep(facts: WeekFacts, *, revision: int, why: str) -> bool:
    """Of two who do the same at once, the constraint lets one through."""
    row = Report(
        week=str(facts.week),
        revision=revision,
        created_at=facts.counted_at,
        why=why,
        facts=msgspec.json.encode(facts).decode(),
    )
    try:
        with transaction.atomic():
            fitted(row).save(force_insert=True)
    except IntegrityError:
        return False
    return True

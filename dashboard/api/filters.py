"""What lists may be asked for: typed parameters, and the querysets they lead to."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from django.db.models import Model, Q, QuerySet
from pydantic import AfterValidator, AwareDatetime, BaseModel, Field

from dashboard.api.problems import invalid
from fleet.domain.coldstart.start import Outcome, StartMode, Trigger
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode
from fleet.models import ServedModel
from fleet.models.served_model import ServedModelQuerySet

# Years outside cannot be turned into UTC or kept by every database.
FIRST_YEAR, LAST_YEAR = 1970, 2200
MOST_VALUES = 50
R = TypeVar("R", bound=Model)


def _kept_moment(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"the year must lie between {FIRST_YEAR} and {LAST_YEAR}")
    return moment.astimezone(UTC)


# PostgreSQL takes no NUL in text.
Word = Annotated[str, Field(max_length=253, pattern=r"^[^\x00]*$")]
Words = Annotated[list[Word], Field(max_length=MOST_VALUES)]
Moment = Annotated[AwareDatetime, AfterValidator(_kept_moment)]


class ModelSort(StrEnum):
    """`key` can be paged through; `worst` gives its first page only."""

    KEY = "key"
    WORST = "worst"


class Paging(BaseModel):
    """Every list: how many rows, and where to go on."""

    page_size: int = Field(100, ge=1, le=500, description="Rows a page.")
    cursor: str = Field("", max_length=4000, description="`next` of the page before.")


class Place(Paging):
    """Where: each may be given several times, any of the values fits."""

    cluster: Words = Field([], description="Cluster names.")
    namespace: Words = Field([], description="Namespaces.")


class ModelFilters(Place):
    """Which models, in which order."""

    team: Words = Field([], description="Teams.")
    environment: Words = Field([], description="Environments.")
    state: list[State] = Field([], max_length=MOST_VALUES, description="States.")
    mode: list[Mode] = Field([], max_length=MOST_VALUES, description="Modes.")
    q: Word = Field("", description="Text in the name, namespace or team, in any case.")
    sort: ModelSort = Field(ModelSort.KEY, description="`worst` gives page one only.")


class Period(Place):
    """A list by time, newest first."""

    since: Moment | None = Field(None, description="From this moment on (RFC 3339).")
    until: Moment | None = Field(None, description="Before this moment (RFC 3339).")


class ColdStartFilters(Period):
    """Which starts; `since` and `until` are about `started_at`."""

    outcome: list[Outcome] = Field([], max_length=MOST_VALUES, description="Outcomes.")
    trigger: list[Trigger] = Field([], max_length=MOST_VALUES, description="Triggers.")
    start_mode: list[StartMode] = Field([], max_length=MOST_VALUES, description="Start modes.")
    revision: Words = Field([], description="Revision names.")
    node: Words = Field([], description="Node names.")


class EventFilters(Period):
    """Scale events and probe failures: `since` and `until` are about `at`."""

    model: Word = Field("", description="A model's key: only what belongs to it.")


def any_of(rows: QuerySet[R], **values: list[Any]) -> QuerySet[R]:
    """Rows whose fields have one of the values; an empty list asks for nothing."""
    wanted = {f"{name}__in": list(dict.fromkeys(given)) for name, given in values.items() if given}
    return rows.filter(**wanted) if wanted else rows


def in_period(rows: QuerySet[R], asked: Period, *, field: str) -> QuerySet[R]:
    """Rows with since <= field < until."""
    if asked.since and asked.until and asked.since > asked.until:
        raise invalid("since", "must not be after `until`")
    if asked.since:
        rows = rows.filter(**{f"{field}__gte": asked.since})
    if asked.until:
        rows = rows.filter(**{f"{field}__lt": asked.until})
    return rows


def models_asked(
    rows: ServedModelQuerySet, asked: ModelFilters, *, fresh: frozenset[str]
) -> QuerySet[ServedModel]:
    """Present models that the filters name. fresh: clusters whose data can be believed; a model
    of another one is Unknown, whatever its row says."""
    chosen = any_of(
        rows.present(),
        cluster=asked.cluster,
        namespace=asked.namespace,
        team=asked.team,
        environment=asked.environment,
        mode=[mode.value for mode in asked.mode],
    )
    if asked.state:
        chosen = chosen.filter(_of_states(asked.state, fresh))
    if asked.q:
        chosen = chosen.filter(
            Q(name__icontains=asked.q)
            | Q(namespace__icontains=asked.q)
            | Q(team__icontains=asked.q)
        )
    return chosen


def _of_states(states: list[State], fresh: frozenset[str]) -> Q:
    believed = Q(cluster__in=sorted(fresh))
    asked = believed & Q(state__in=[state.value for state in states])
    return asked | ~believed if State.UNKNOWN in states else asked

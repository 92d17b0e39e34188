"""The weekly report as one reader sees it, made of what is kept of the week."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from fleet.domain.records.keys import ModelKey
from fleet.domain.reports.facts import ModelLine, WeekFacts
from fleet.domain.reports.figures import Figures, figures_of
from fleet.domain.reports.sight import Sight
from fleet.domain.reports.tally import summed
from fleet.domain.reports.week import Week

WORST = 5
MOVED = 5
# Smaller changes of a model's week are noise. Source: docs/reports.md, "Worse and better".
MOVED_AT_LEAST_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What of the fleet a report is about. None = all, an empty set = nothing; "" = any.

    clusters, namespaces: what the reader may see. The others are what they asked for.
    """

    clusters: frozenset[str] | None = None
    namespaces: frozenset[str] | None = None
    cluster: str = ""
    team: str = ""
    environment: str = ""

    def takes(self, line: ModelLine) -> bool:
        asked = (
            (self.cluster, line.key.cluster),
            (self.team, line.team),
            (self.environment, line.environment),
        )
        return self.sees(line) and all(wanted in {"", is_} for wanted, is_ in asked)

    def sees(self, line: ModelLine) -> bool:
        """Whether it lies in the reader's scope."""
        in_namespace = self.namespaces is None or line.key.namespace in self.namespaces
        return in_namespace and self.sees_cluster(line.key.cluster)

    def sees_cluster(self, cluster: str) -> bool:
        return self.clusters is None or cluster in self.clusters


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWeek:
    """One model's week beside its last. last_week: None = its cluster was not followed then."""

    key: ModelKey
    team: str
    environment: str
    this_week: Figures
    last_week: Figures | None

    @property
    def change_s(self) -> float | None:
        """Seconds waited more than last week; negative = saved."""
        before_s = self.last_week.waited_s if self.last_week else None
        return changed(self.this_week.waited_s, before_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamWeek:
    """The models of one team and environment; "" = not told."""

    team: str
    environment: str
    models: int
    this_week: Figures
    last_week: Figures | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What can be asked for within the reader's scope."""

    clusters: tuple[str, ...]
    teams: tuple[str, ...]
    environments: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Under which number and when a report was kept, and why once more ("" = the first time)."""

    revision: int
    created_at: datetime
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """this_week: None = nothing was watched in this week; last_week likewise.

    kept: None = counted just now, the figures may still change. models: those that started in one
    of the two weeks, the worst first.
    """

    week: Week
    choice: Choice
    kept: Kept | None
    over: bool
    counted_at: datetime
    counted_until: datetime
    first_data_at: datetime | None
    this_week: Figures | None
    last_week: Figures | None
    models: tuple[ModelWeek, ...]
    teams: tuple[TeamWeek, ...]
    new_models: tuple[ModelKey, ...]
    gone_models: tuple[ModelKey, ...]
    sights: tuple[Sight, ...]
    facets: Facets

    @property
    def worst(self) -> tuple[ModelWeek, ...]:
        """Those whose starts took the most seconds, failed ones included."""
        return tuple(m for m in self.models if m.this_week.waited_s or m.this_week.failed)[:WORST]

    @property
    def got_worse(self) -> tuple[ModelWeek, ...]:
        return self._moved(lambda change_s: change_s)

    @property
    def got_better(self) -> tuple[ModelWeek, ...]:
        """None of clusters that were not watched for long: what was not seen is no gain."""
        blind = {sight.cluster for sight in self.sights if sight.too_blind}
        return self._moved(lambda change_s: -change_s, without=blind)

    @property
    def lower_bounds(self) -> bool:
        """Whether starts may be missing: all counts and sums of seconds are then "at least"."""
        return any(sight.hides_starts for sight in self.sights)

    def _moved(
        self, by: Callable[[float], float], *, without: Collection[str] = ()
    ) -> tuple[ModelWeek, ...]:
        """The most moved first. without: clusters left out."""
        moved = [
            (by(model.change_s), model)
            for model in self.models
            if model.change_s is not None
            and by(model.change_s) >= MOVED_AT_LEAST_S
            and model.key.cluster not in without
        ]
        return tuple(model for _, model in sorted(moved, key=lambda m: (-m[0], m[1].key))[:MOVED])


def report_of(facts: WeekFacts, choice: Choice, *, kept: Kept | None = None) -> Report:
    """The same facts and choice give the same report."""
    lines = [line for line in facts.lines if choice.takes(line)]
    compared = facts.any_last_week
    last_week = last_figures(lines) if compared else None
    return Report(
        week=facts.week,
        choice=choice,
        kept=kept,
        over=facts.counted_until >= facts.week.until,
        counted_at=facts.counted_at,
        counted_until=facts.counted_until,
        first_data_at=facts.first_data_at,
        this_week=total_of(facts, choice),
        last_week=last_week,
        models=_models(lines),
        teams=_teams(lines, compared=compared),
        new_models=_within_week(lines, lambda line: line.created_at, facts),
        gone_models=_within_week(lines, lambda line: line.gone_at, facts),
        sights=sights_of(facts, choice),
        facets=_facets(facts, choice),
    )


def total_of(facts: WeekFacts, choice: Choice) -> Figures | None:
    """The whole of a report alone; None = nothing was watched in this week."""
    if not facts.any_data:
        return None
    return figures_of(summed(line.this_week for line in facts.lines if choice.takes(line)))


def _models(lines: Iterable[ModelLine]) -> tuple[ModelWeek, ...]:
    """One a key: a model that was deleted and made anew is told once."""
    by_key: dict[ModelKey, list[ModelLine]] = {}
    for line in lines:
        if line.this_week.starts or (line.last_week and line.last_week.starts):
            by_key.setdefault(line.key, []).append(line)
    weeks = [_model(of_key) for of_key in by_key.values()]
    return tuple(sorted(weeks, key=lambda m: (-m.this_week.waited_s, -m.this_week.failed, m.key)))


def _model(lines: Sequence[ModelLine]) -> ModelWeek:
    known = any(line.last_week is not None for line in lines)
    return ModelWeek(
        key=lines[-1].key,
        team=lines[-1].team,
        environment=lines[-1].environment,
        this_week=figures_of(summed(line.this_week for line in lines)),
        last_week=last_figures(lines) if known else None,
    )


def last_figures(lines: Iterable[ModelLine]) -> Figures:
    """Of the week before, as far as clusters were followed then."""
    return figures_of(summed(line.last_week for line in lines if line.last_week is not None))


def _teams(lines: Iterable[ModelLine], *, compared: bool) -> tuple[TeamWeek, ...]:
    """By team and environment, those that are not told last."""
    groups: dict[tuple[str, str], list[ModelLine]] = {}
    for line in lines:
        groups.setdefault((line.team, line.environment), []).append(line)
    ordered = sorted(groups.items(), key=lambda item: tuple((not word, word) for word in item[0]))
    return tuple(
        TeamWeek(
            team=team,
            environment=environment,
            models=len(of_team),
            this_week=figures_of(summed(line.this_week for line in of_team)),
            last_week=last_figures(of_team) if compared else None,
        )
        for (team, environment), of_team in ordered
    )


def _within_week(
    lines: Iterable[ModelLine], moment: Callable[[ModelLine], datetime | None], facts: WeekFacts
) -> tuple[ModelKey, ...]:
    week = facts.week
    found = ((line.key, moment(line)) for line in lines)
    return tuple(sorted({key for key, at in found if at and week.since <= at < week.until}))


def sights_of(facts: WeekFacts, choice: Choice) -> tuple[Sight, ...]:
    """Of the clusters it is about; none of a week in which nothing was watched."""
    return tuple(
        sight
        for sight in facts.sights
        if facts.any_data
        and choice.sees_cluster(sight.cluster)
        and choice.cluster in {"", sight.cluster}
    )


def _facets(facts: WeekFacts, choice: Choice) -> Facets:
    seen = [line for line in facts.lines if choice.sees(line)]
    return Facets(
        clusters=_words(line.key.cluster for line in seen),
        teams=_words(line.team for line in seen),
        environments=_words(line.environment for line in seen),
    )


def _words(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({word for word in words if word}))


def changed(this: float | None, before: float | None) -> float | None:
    """By how much a figure grew; None when one of the two is not known."""
    return None if this is None or before is None else round(this - before, 3)

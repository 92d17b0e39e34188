"""Plans and actions as values: everything that their partials show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard.access.rules import Grant, Role, may
from dashboard.action_words import (
    ACTION_LABELS,
    ACTION_STATES,
    CAPACITY_LABELS,
    HOW_LABELS,
    WHEN_LABELS,
    evidence_words,
    refusal_text,
    result_text,
    warning_text,
)
from dashboard.views.model_row import model_url
from dashboard.words import Words, word
from fleet.domain.plans.params import ActionName, How
from fleet.domain.records.keys import Mode, ModelKey
from fleet.history.actions import REVERTIBLE
from fleet.models import Action, Plan, ServedModel

# How a state looks: the words of model states, so that shape and colour are known already.
TONES: Mapping[str, str] = {
    "served": "warm",
    "ready": "warm",
    "failed": "failing",
    "refused": "failing",
    "superseded": "degraded",
    "reverted": "stopped",
}
# A preview takes well under a second where the cluster answers.
LATE_AFTER = timedelta(seconds=12)
EXPIRIES: tuple[tuple[int, str], ...] = (
    (3600, "1 h"),
    (4 * 3600, "4 h"),
    (24 * 3600, "24 h"),
    (7 * 24 * 3600, "7 d"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """One field, old and new; None = absent. when: "" = at once."""

    kind: str
    name: str
    field: str
    before: Any
    after: Any
    when: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCard:
    """A plan as its dialog shows it."""

    row: Plan
    key: ModelKey
    title: Words
    changes: tuple[ChangeLine, ...]
    effects: Mapping[str, Any]
    capacity: Words
    gpus: tuple[tuple[str, int, int | None], ...]
    dry_run: Mapping[str, Any]
    warnings: tuple[str, ...]
    refusal: str
    route: Mapping[str, Any]
    knative: bool
    expires_in_s: int | None

    @property
    def waits(self) -> bool:
        return self.row.state == "previewing"

    @property
    def late(self) -> bool:
        """Nobody previews it: the act worker is away, or its cluster very slow."""
        return self.waits and datetime.now(UTC) - self.row.created_at > LATE_AFTER

    @property
    def raises(self) -> bool:
        return self.row.action == ActionName.RAISE_MIN

    @property
    def needs_git_consent(self) -> bool:
        return (self.row.refusal or {}).get("code") == "gitops-unconfirmed"

    @property
    def hows(self) -> tuple[tuple[How, Words], ...]:
        return tuple(HOW_LABELS.items())

    @property
    def expiries(self) -> tuple[tuple[int, str], ...]:
        return EXPIRIES


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """One state reached."""

    state: Words
    tone: str
    at: datetime
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCard:
    """An action with what it reached. every_s: how often an open page asks again, 0 = never."""

    row: Action
    key: ModelKey
    url: str
    title: Words
    label: Words
    tone: str
    changes: tuple[ChangeLine, ...]
    steps: tuple[StepLine, ...]
    result: str
    may_undo: bool
    undoing: bool
    every_s: int

    @property
    def dom_id(self) -> str:
        return f"action-{self.row.pk}"

    @property
    def stamp(self) -> str:
        """Changes with everything that the partial shows."""
        row = self.row
        asked = "undo" if row.revert_asked_by else ""
        return f"{row.state}.{len(self.steps)}.{self.every_s}.{asked}{self.may_undo:d}"

    @property
    def expires(self) -> bool:
        """Whether a countdown still runs."""
        return self.row.expires_at is not None and self.row.state in REVERTIBLE


def plan_card(row: Plan) -> PlanCard:
    """The card of a plan in any state."""
    effects = row.body.get("effects") or {}
    free = effects.get("free")
    model = ServedModel.objects.of(row.key).present().only("mode").first()
    return PlanCard(
        row=row,
        key=row.key,
        title=word(ACTION_LABELS, row.action),
        changes=change_lines(row.body.get("changes", [])),
        effects=effects,
        capacity=word(CAPACITY_LABELS, effects.get("capacity", "unknown")),
        gpus=tuple(
            (name, count, None if free is None else free.get(name, 0))
            for name, count in (effects.get("gpus") or {}).items()
        ),
        dry_run=row.body.get("dry_run") or {},
        warnings=tuple(warning_text(kept) for kept in row.body.get("warnings", [])),
        refusal=refusal_text(row.refusal) if row.refusal else "",
        route=row.body.get("route") or {},
        knative=model is not None and model.mode == Mode.KNATIVE,
        expires_in_s=row.params.get("expires_in_s"),
    )


def action_card(row: Action, grant: Grant | None) -> ActionCard:
    """The card of an action; its steps should be prefetched."""
    operator = may(grant, Role.OPERATOR, row.cluster, row.namespace)
    return ActionCard(
        row=row,
        key=row.key,
        url=model_url(row.key),
        title=word(ACTION_LABELS, row.action),
        label=word(ACTION_STATES, row.state),
        tone=tone(row.state),
        changes=change_lines(row.plan.body.get("changes", [])),
        steps=tuple(
            StepLine(
                state=word(ACTION_STATES, step.state),
                tone=tone(step.state),
                at=step.at,
                says=evidence_words(step.evidence),
            )
            for step in row.steps.all()
        ),
        result=result_text(row.result),
        may_undo=operator and may_undo(row),
        undoing=_is_undoing(row),
        every_s=_every_s(row),
    )


def tone(state: str) -> str:
    """The model state whose shape and colour an action's state borrows."""
    return TONES.get(state, "starting")


def may_undo(row: Action) -> bool:
    """Whether there is something of it in the cluster that nobody undoes yet."""
    return bool(row.inverse) and row.state in REVERTIBLE and not _is_undoing(row)


def _is_undoing(row: Action) -> bool:
    asked = bool(row.revert_asked_by) and row.state in REVERTIBLE
    return asked or row.state in ("expiring", "reverting")


def change_lines(changes: Iterable[Mapping[str, Any]]) -> tuple[ChangeLine, ...]:
    """Changes as kept with a plan, with kind and name apart."""
    return tuple(_change_line(change) for change in changes)


def _change_line(change: Mapping[str, Any]) -> ChangeLine:
    *_, kind, _namespace, name = str(change["object"]).split("/")
    return ChangeLine(
        kind=kind,
        name=name,
        field=_short_field(str(change["field"])),
        before=change["before"],
        after=change["after"],
        when=word(WHEN_LABELS, change.get("when", "at-once")),
    )


def _short_field(field: str) -> str:
    """An annotation by its key alone; the whole path is on hover."""
    return field.removeprefix("metadata.annotations[").removesuffix("]")


def _every_s(row: Action) -> int:
    if row.finished_at is None or _is_undoing(row):
        return 1
    return 5 if row.due_at is not None else 0

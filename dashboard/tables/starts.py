"""Cold starts as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from dashboard.tables.columns import Column, Table, column
from dashboard.words import PHASE_LABELS
from fleet.domain.coldstart.start import Phase
from fleet.domain.requests.lost import lost_in
from fleet.models import ColdStart


def _seconds(phase: Phase) -> Callable[[ColdStart], float | None]:
    """Seconds in that phase; None = the start was not seen to have it."""

    def value(row: ColdStart) -> float | None:
        spans: list[dict[str, Any]] = row.phases
        found = [span["seconds"] for span in spans if span.get("phase") == phase]
        return round(sum(found), 3) if found else None

    return value


def _lost_by_hop(row: ColdStart) -> str | None:
    """Like "activator=12 container=2"; None = not measured."""
    lost: dict[str, int | None] | None = row.requests_lost
    if lost is None:
        return None
    return " ".join(f"{hop}={count}" for hop, count in sorted(lost.items()) if count)


def _phases() -> Iterator[Column[ColdStart]]:
    for phase in PHASE_LABELS:
        yield column(f"{phase.value.replace('-', '_')}_s", _seconds(phase))


STARTS: Table[ColdStart] = Table(
    name="cold-starts",
    columns=(
        column("started_at", title=_("Started"), css="s-when"),
        column("cluster"),
        column("kind"),
        column("namespace"),
        column("name", title=_("Model"), css="s-model"),
        column("total_s", title=_("Start"), css="s-bar"),
        column("outcome", title=_("Outcome"), css="s-outcome"),
        column("trigger", title=_("Why, from what"), css="s-why"),
        column("start_mode"),
        column("node", title=_("Node, revision"), css="s-node"),
        column("revision"),
        column("replica"),
        column("replica_uid"),
        column("role"),
        column("restarts"),
        column("node_pool"),
        column("gpus"),
        column("image"),
        column("image_digest"),
        column("image_pull"),
        column("image_bytes"),
        column("engine_version"),
        column("weights_from"),
        column("progress_deadline_s"),
        column("ended_in_phase"),
        column("failure_class"),
        column("failure_reason"),
        column("ready_at"),
        column("ended_at"),
        column("first_answer_at"),
        column("total_to_first_answer_s"),
        column("requests_lost", lambda row: lost_in(row.requests_lost)),
        column("requests_lost_by_hop", _lost_by_hop),
        column("clamped"),
        *_phases(),
        column("id", lambda row: row.pk),
    ),
)

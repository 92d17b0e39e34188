"""The stored fleet row of each touched model: what the objects say, with history's figures."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from fleet.domain.ledger.delta import ModelStatus
from fleet.domain.requests.states import Thresholds
from fleet.history.probe_counts import probe_counts
from fleet.history.shown_states import show_state
from fleet.history.start_figures import StartFigures, start_figures
from fleet.history.upserts import upsert
from fleet.models import ServedModel

# What others write.
NEVER = ("errors", "errors_spark", "errors_at", "finding")


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """Which models of one cluster a batch touched, by uid.

    statuses: what the objects say anew. started, probed: whose starts or probe failures moved.
    thresholds: when errors make a state.
    """

    cluster: str
    statuses: Sequence[ModelStatus]
    started: frozenset[str]
    probed: frozenset[str]
    thresholds: Thresholds = field(default_factory=Thresholds)

    def uids(self) -> set[str]:
        return {status.uid for status in self.statuses} | self.started | self.probed


def write_fleet_rows(touched: Touched, *, now: datetime) -> list[ServedModel]:
    """Bring the rows of the touched models up to date; gives those that were written."""
    known = _rows(touched.cluster, touched.uids())
    fresh = {status.uid for status in touched.statuses} - known.keys()
    for status in touched.statuses:
        row = known.setdefault(status.uid, _new_row(status))
        _set_status(row, status)
        show_state(row, thresholds=touched.thresholds, now=now)
    _set_figures(known, touched.started | fresh, cluster=touched.cluster, now=now)
    _set_probe_counts(known, touched.probed, cluster=touched.cluster, now=now)
    for row in known.values():
        row.version += 1
        row.changed_at = now
    upsert(known.values(), by=("cluster", "model_uid"), never=NEVER)
    return list(known.values())


def _rows(cluster: str, uids: Iterable[str]) -> dict[str, ServedModel]:
    """Locked, in the order in which the sampler locks them: each writes what the other wrote."""
    rows = ServedModel.objects.select_for_update().order_by("pk")
    wanted = rows.filter(cluster=cluster, model_uid__in=list(uids))
    return {row.model_uid: row for row in wanted}


def _new_row(status: ModelStatus) -> ServedModel:
    return ServedModel(**asdict(status.key), model_uid=status.uid)


def _set_status(row: ServedModel, status: ModelStatus) -> None:
    """What the objects say."""
    row.mode = status.mode.value
    row.told_state = status.state.value
    row.told_code = status.state_code
    row.told_params = status.state_params
    row.served_names = list(status.served_names)
    row.url = status.url
    row.runtime = status.runtime
    row.team = status.team or ""
    row.environment = status.environment or ""
    row.created_at = status.created_at
    row.gone_at = status.gone_at
    _set_replicas(row, status)


def _set_replicas(row: ServedModel, status: ModelStatus) -> None:
    row.ready = status.ready
    row.desired = status.desired
    row.min = status.min
    row.max = status.max
    row.revision = status.current_revision
    row.revision_uid = status.current_revision_uid
    row.revision_created_at = status.current_revision_created_at
    row.traffic = [asdict(target) for target in status.traffic]


def _set_figures(
    rows: dict[str, ServedModel], uids: Iterable[str], *, cluster: str, now: datetime
) -> None:
    wanted = [uid for uid in uids if uid in rows]
    for uid, figures in start_figures(cluster, wanted, now=now).items():
        set_start_figures(rows[uid], figures)


def set_start_figures(row: ServedModel, figures: StartFigures) -> None:
    """Counts, percentiles, the last start and those in flight."""
    row.count_7d = figures.count
    row.failed_7d = figures.failed
    row.p50_s = figures.p50_s
    row.p95_s = figures.p95_s
    row.last_start = figures.last
    row.in_flight = figures.in_flight


def _set_probe_counts(
    rows: dict[str, ServedModel], uids: Iterable[str], *, cluster: str, now: datetime
) -> None:
    wanted = [uid for uid in uids if uid in rows]
    for uid, (starting, serving) in probe_counts(cluster, wanted, now=now).items():
        rows[uid].probe_starting_1h = starting
        rows[uid].probe_serving_1h = serving

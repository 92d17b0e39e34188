"""The state that a fleet row shows: what the objects say and what callers got, put together by
whoever writes either."""

from datetime import datetime

from fleet.domain.ledger.delta import State
from fleet.domain.requests.states import Thresholds, Told, shown
from fleet.models import ServedModel

# Worst first. Tens leave room for what later parts tell apart within a state.
RANKS: dict[str, int] = {
    State.FAILING.value: 0,
    State.DEGRADED.value: 10,
    State.STARTING.value: 20,
    State.UNKNOWN.value: 30,
    State.WARM.value: 40,
    State.COLD.value: 50,
    State.STOPPED.value: 60,
}


def show_state(row: ServedModel, *, thresholds: Thresholds, now: datetime) -> bool:
    """Set what the row shows from what it was told and its errors; whether that is new. When a
    state began is when we first saw it."""
    told = told_state(row)
    state = shown(told, row.errors, ready=row.ready, thresholds=thresholds)
    row.told_state, row.told_code, row.told_params = told.state, told.code, dict(told.params)
    before = (row.state, row.state_code, row.state_params)
    if row.state != state.state.value:
        row.state_since = now
    row.state = state.state.value
    row.state_code = str(state.code)
    row.state_params = dict(state.params)
    row.rank = RANKS[row.state]
    return before != (row.state, row.state_code, row.state_params)


def told_state(row: ServedModel) -> Told:
    """What the objects say. A row that no release with requests wrote yet shows just that."""
    if row.told_state:
        return Told(state=State(row.told_state), code=row.told_code, params=row.told_params)
    return Told(state=State(row.state), code=row.state_code, params=row.state_params)

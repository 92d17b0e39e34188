"""The state of a model: what its objects say, and what its callers got."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fleet.domain.ledger.codes import StateCode
from fleet.domain.ledger.delta import State
from fleet.domain.requests.shown import share

# Nobody is served by these, whatever was answered a moment ago.
SETTLED = frozenset({State.STOPPED, State.FAILING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """When errors make a state, in the five minutes that a fleet row tells of."""

    failing_share: float = 0.5
    failing_requests: int = 10
    degraded_share: float = 0.01
    degraded_lost: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A state with its code and the code's parameters."""

    state: State
    code: str
    params: Mapping[str, Any]


def shown(
    told: Told, errors: Mapping[str, Any] | None, *, ready: int, thresholds: Thresholds
) -> Told:
    """What is shown of a model. errors: as `shown.errors_json` tells them, None = not measured.

    Judged by what was counted, also where that is a lower bound. Stopped stays, and so does a
    better reason to be Failing or Degraded than a share of errors.
    """
    if errors is None or told.state in SETTLED:
        return told
    lost, requests = errors.get("lost") or 0, errors.get("requests")
    bad = share(lost, requests) or 0.0
    params = {"share": bad, "lost": lost, "requests": requests}
    enough = (requests or 0) >= thresholds.failing_requests
    if enough and bad >= thresholds.failing_share:
        return Told(state=State.FAILING, code=StateCode.MOSTLY_ERRORS, params=params)
    degraded = bad >= thresholds.degraded_share and lost >= thresholds.degraded_lost
    if degraded and ready > 0 and told.state is not State.DEGRADED:
        return Told(state=State.DEGRADED, code=StateCode.SOME_ERRORS, params=params)
    return told

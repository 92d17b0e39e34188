"""Why a stored row is in its state, in a sentence; with what the row's last start knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.reasons import reason_with_age
from fleet.domain.coldstart.start import Outcome
from fleet.domain.ledger.codes import StateCode
from fleet.models import ServedModel


def reason_of(row: ServedModel, *, stale: bool) -> str:
    """stale: nobody knows whether it still holds, and it says so."""
    return reason_with_age(row.state_code, row.state_params | _cause(row), stale=stale)


def _cause(row: ServedModel) -> Mapping[str, Any]:
    """A revision that was given up tells an exit code or a deadline; the start that failed, why."""
    last = row.last_start or {}
    same = last.get("revision") == row.state_params.get("revision")
    if row.state_code != StateCode.REVISION_FAILED or last.get("outcome") != Outcome.FAILED:
        return {}
    failure = last.get("failure") or {}
    known = same and failure.get("reason")
    return {"class": failure.get("class", ""), "reason": failure["reason"]} if known else {}

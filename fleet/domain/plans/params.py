"""What a person or program may ask for: a closed list of actions, each with typed parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fleet.errors import BadInput

# A floor above this is a slip of the finger, not a plan.
MOST_REPLICAS = 500
SHORTEST_EXPIRY_S = 60
LONGEST_EXPIRY_S = 30 * 24 * 3600
MOST_WARM_UPS = 10
# A held first request gets no byte for longer than this in KServe's default timeout.
LONGEST_WAIT_S = 600
DEFAULT_WAIT_S = 300
LONGEST_REASON = 500


class ActionName(StrEnum):
    """The actions there are."""

    RAISE_MIN = "raise-min"
    WARM_UP = "warm-up"


class How(StrEnum):
    """in-place: no new revision, lost with the next one. durable: written to the model's source,
    in Knative mode a new revision. in-place-then-durable: both, in that order."""

    IN_PLACE = "in-place"
    DURABLE = "durable"
    IN_PLACE_THEN_DURABLE = "in-place-then-durable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseMin:
    """A new floor of replicas. expires_in_s: None = until undone. gitops_confirmed: the asker
    knows that a GitOps tool owns the object and may write the change away."""

    min: int
    how: How = How.IN_PLACE
    expires_in_s: int | None = None
    gitops_confirmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmUp:
    """`requests` real completions, one after the other, each given `timeout_s`."""

    requests: int = 1
    timeout_s: int = DEFAULT_WAIT_S


Params = RaiseMin | WarmUp


def read_params(action: str, params: Mapping[str, Any]) -> Params:
    """Typed parameters. BadInput names the field and what would do."""
    if action == ActionName.RAISE_MIN:
        return _raise_min(params)
    if action == ActionName.WARM_UP:
        return _warm_up(params)
    raise BadInput(f"action {action[:40]!r} is not one of {', '.join(ActionName)}")


def read_reason(text: str) -> str:
    """The reason, trimmed; BadInput when it is too long. Empty is allowed until it is applied."""
    reason = " ".join(text.split())
    if len(reason) > LONGEST_REASON:
        raise BadInput(f"reason: at most {LONGEST_REASON} characters")
    return reason


def _raise_min(params: Mapping[str, Any]) -> RaiseMin:
    _only(params, {"min", "how", "expires_in_s", "gitops_confirmed"})
    how = params.get("how", How.IN_PLACE.value)
    if not isinstance(how, str) or how not in set(How):
        raise BadInput(f"params.how: one of {', '.join(How)}")
    confirmed = params.get("gitops_confirmed", False)
    if not isinstance(confirmed, bool):
        raise BadInput("params.gitops_confirmed: true or false")
    return RaiseMin(
        min=_whole(params, "min", least=0, most=MOST_REPLICAS),
        how=How(how),
        expires_in_s=_expiry(params),
        gitops_confirmed=confirmed,
    )


def _expiry(params: Mapping[str, Any]) -> int | None:
    if params.get("expires_in_s") is None:
        return None
    return _whole(params, "expires_in_s", least=SHORTEST_EXPIRY_S, most=LONGEST_EXPIRY_S)


def _warm_up(params: Mapping[str, Any]) -> WarmUp:
    _only(params, {"requests", "timeout_s"})
    return WarmUp(
        requests=_whole(params, "requests", least=1, most=MOST_WARM_UPS, default=1),
        timeout_s=_whole(params, "timeout_s", least=1, most=LONGEST_WAIT_S, default=DEFAULT_WAIT_S),
    )


def _only(params: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(params) - known)
    if unknown:
        raise BadInput(f"params.{unknown[0][:40]}: unknown; known are {', '.join(sorted(known))}")


def _whole(
    params: Mapping[str, Any], name: str, *, least: int, most: int, default: int | None = None
) -> int:
    value = params.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInput(f"params.{name}: a whole number from {least} to {most}")
    return value

"""Windows of requests for tests of history."""

from collections.abc import Mapping
from datetime import datetime

from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from tests.fleet.history.samples import KEY, UID

OWNER = Owner(UID, KEY)
REVISION = "llama-predictor-00001"
KNATIVE = frozenset({Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER})


def tally(
    requests: int | None = 10,
    errors: Mapping[tuple[Hop, int], int] | None = None,
    *,
    told: frozenset[Hop] = KNATIVE,
    at_least: frozenset[Hop] = frozenset(),
) -> Tally:
    """Ten good answers."""
    return Tally(
        requests=requests, errors=errors or {}, told=told, at_least=at_least, client_gone=0
    )


def window(
    at: datetime, counted: Tally | None = None, *, revision: str = REVISION
) -> RequestWindow:
    """A window of ten good answers."""
    return RequestWindow(revision=revision, at=at, tally=counted or tally())

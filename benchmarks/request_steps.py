"""Made-up steps of requests of one cluster, written as the sampler writes them."""

from __future__ import annotations

from datetime import datetime, timedelta

from fleet.domain.records.keys import ModelKey
from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.domain.requests.states import Thresholds
from fleet.history.metrics_claims import Claim, claim, let_go
from fleet.history.request_step import Step, write_step
from fleet.models import Cluster, ServedModel

TOLD = frozenset({Hop.INGRESS, Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER})
WINDOW = timedelta(seconds=30)


class Steps:
    """A cluster of many busy models."""

    def __init__(self, *, models: int, hour: datetime) -> None:
        Cluster.objects.create(
            name="bench", metrics_url="http://bench", metrics_read_to=hour, created_at=hour
        )
        self._owners = [_owner(number) for number in range(models)]
        ServedModel.objects.bulk_create([_row(owner, hour) for owner in self._owners], 500)

    def write(self, since: datetime, *, windows: int) -> int:
        """One step of so many windows; how many rows changed."""
        until = since + windows * WINDOW
        step = Step(
            since=since,
            until=until,
            windows={
                owner: [_window(owner, number, since + n * WINDOW) for n in range(windows)]
                for number, owner in enumerate(self._owners)
            },
            told=TOLD,
        )
        held = _held(until)
        changed = write_step(held, step, thresholds=Thresholds(), now=until)
        let_go(held)
        return len(changed)


def _held(now: datetime) -> Claim:
    held = claim("bench", now=now, for_=timedelta(minutes=5))
    assert held is not None
    return held


def _owner(number: int) -> Owner:
    key = ModelKey("bench", "InferenceService", f"team-{number % 40}", f"model-{number:05d}")
    return Owner(f"uid-{number}", key)


def _row(owner: Owner, now: datetime) -> ServedModel:
    key = owner.key
    return ServedModel(
        cluster=key.cluster,
        kind=key.kind,
        namespace=key.namespace,
        name=key.name,
        model_uid=owner.uid,
        mode="Knative",
        state="Warm",
        state_code="ready",
        ready=1,
        desired=1,
        created_at=now,
        changed_at=now,
    )


def _window(owner: Owner, number: int, at: datetime) -> RequestWindow:
    """One model in a hundred loses requests."""
    errors = {(Hop.ACTIVATOR, 503): 2, (Hop.CONTAINER, 500): 1} if number % 100 == 0 else {}
    moving = (number + int(at.timestamp()) // 30) % 50
    tally = Tally(
        requests=20 + moving,
        errors=errors,
        told=TOLD,
        client_gone=0,
        in_flight=float(moving),
        queued=0.0,
        p95_s=1.25,
    )
    return RequestWindow(revision=f"{owner.key.name}-predictor-00001", at=at, tally=tally)

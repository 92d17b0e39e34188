"""Values of the domain for tests of history: all plain, each changed where a test needs it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from fleet.domain.coldstart.start import ColdStart, Outcome, Phase, PhaseSpan, StartMode, Trigger
from fleet.domain.ledger.delta import ModelStatus, ProbeFailure, ReplicaRow, State
from fleet.domain.records.keys import Mode, ModelKey

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
KEY = ModelKey("one", "InferenceService", "chat", "llama")
UID = "model-uid"


def ago(**spans: float) -> datetime:
    """A moment before NOW."""
    return NOW - timedelta(**spans)


def status(state: State = State.WARM, *, key: ModelKey = KEY, uid: str = UID) -> ModelStatus:
    """A model of one revision."""
    return ModelStatus(
        key=key,
        uid=uid,
        mode=Mode.KNATIVE,
        created_at=ago(days=30),
        state=state,
        state_code="ready",
        state_params={},
        served_names=("llama",),
        url="http://llama.chat.example.com",
        runtime="kserve-vllmserver",
        team="search",
        environment=None,
        ready=1,
        desired=1,
        min=0,
        max=3,
        current_revision="llama-predictor-00001",
        current_revision_uid="rev-uid",
        current_revision_created_at=ago(days=30),
        traffic=(),
    )


def start(
    number: int,
    outcome: Outcome = Outcome.READY,
    *,
    total_s: float = 60.0,
    mode: StartMode = StartMode.CACHED_IMAGE,
    began: datetime | None = None,
) -> ColdStart:
    """The start of replica `number`, ready after `total_s`."""
    began = began or ago(hours=number + 1)
    ended = None if outcome is Outcome.RUNNING else began + timedelta(seconds=total_s)
    return ColdStart(
        model=KEY,
        model_uid=UID,
        revision="llama-predictor-00001",
        revision_uid="rev-uid",
        replica=f"pod-{number}",
        replica_uid=f"uid-{number}",
        trigger=Trigger.SCALE_FROM_ZERO,
        start_mode=mode,
        outcome=outcome,
        started_at=began,
        ready_at=ended if outcome is Outcome.READY else None,
        ended_at=ended,
        total_s=total_s,
        phases=(
            PhaseSpan(
                phase=Phase.LOAD_ENGINE,
                started_at=began,
                ended_at=ended,
                seconds=total_s,
                source="container",
            ),
        ),
    )


def failure(count: int, *, first: datetime, last: datetime, uid: str = "event") -> ProbeFailure:
    """Probe failures of a replica that starts."""
    return ProbeFailure(
        event_uid=uid,
        model=KEY,
        model_uid=UID,
        replica="pod-1",
        replica_uid="uid-1",
        container="queue-proxy",
        about="kserve-container",
        probe="readiness",
        while_="starting",
        count=count,
        first_at=first,
        at=last,
        message="HTTP probe failed",
    )


def replica(number: int = 1, **changes: object) -> ReplicaRow:
    """A ready replica."""
    row = ReplicaRow(
        uid=f"uid-{number}",
        model=KEY,
        model_uid=UID,
        revision="llama-predictor-00001",
        revision_uid="rev-uid",
        name=f"pod-{number}",
        role="both",
        node="gpu-1",
        created_at=ago(hours=2),
        ready=True,
        ready_at=ago(hours=1),
        gone_at=None,
        gpus=1,
        facts={"v": 1, "events": [{"reason": "Pulled"}]},
    )
    return replace(row, **changes)  # type: ignore[arg-type]

"""Made-up starts for comparing: a plain one, changed where a test needs it."""

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from fleet.domain.compare.records import Compared

EPOCH = datetime(2026, 11, 2, tzinfo=UTC)
MODE = "cached-image"


def made(number: int = 1, **changes: Any) -> Compared:
    """Start `number`, that many hours after EPOCH, ready after 60 s."""
    plain = Compared(
        id=number,
        model="one/InferenceService/chat/llama",
        model_uid="llama",
        cluster="one",
        started_at=EPOCH + timedelta(hours=number),
        outcome="ready",
        trigger="scale-from-zero",
        start_mode=MODE,
        total_s=60.0,
        revision="llama-00001",
        revision_uid="rev-1",
        node="gpu-1",
    )
    return replace(plain, **changes)


def phased(number: int, phases_s: Mapping[str, float], **changes: Any) -> Compared:
    """A start whose length is the sum of its phases."""
    return made(number, phases_s=phases_s, total_s=sum(phases_s.values()), **changes)


def drawn(number: int, chance: random.Random, *, load_s: float = 60.0, **changes: Any) -> Compared:
    """As the starts of one model differ: log-normal phases."""

    def about(middle_s: float, sigma: float = 0.15) -> float:
        return middle_s * math.exp(chance.gauss(0.0, sigma))

    phases_s = {
        "decide": about(1.0),
        "schedule": about(0.5),
        "prepare": about(3.0),
        "fetch-model": about(25.0, 0.3),
        "load-engine": about(load_s, 0.08),
        "become-ready": chance.uniform(0.0, 10.0),
    }
    return phased(number, phases_s, **changes)

"""A small world whose calls are counted, and short ways to read what moved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.metering.meters import Meters
from simulator.metering.scraped import Scraped
from simulator.metering.series import Sample
from simulator.metering.truth import RequestTruth
from simulator.world.answers import Call
from simulator.world.calling import Affliction, Callers
from simulator.world.passages import Fate
from simulator.world.profiles import Profile
from simulator.world.trips import Reply
from tests.simulator.world.worlds import MODEL, Bench, bench

BODY = json.dumps({"model": "llama", "prompt": "x", "max_tokens": 4}).encode()
CALL = Call(method="POST", path="/v1/completions", body=BODY)
STREAM = replace(CALL, body=BODY[:-1] + b', "stream": true}')
HOST = "llama-predictor.chat.example.com"
STANDARD_HOST = "llama-chat.example.com"
REVISION = ("chat", "llama-predictor-00001")


@dataclass
class Metered:
    """replies: what callers got, finished once their time has come."""

    at: Bench
    host: str = HOST
    replies: list[Reply] = field(default_factory=list)
    windows: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.callers = Callers(self.at.world)
        self.scraped = Scraped(Meters(self.callers))
        self.truth = RequestTruth(self.callers, self.windows.append)

    def afflict(self, fate: Fate = Fate.ANSWERED, **more: Any) -> None:
        self.callers.afflictions[MODEL.key] = Affliction(fate=fate, **more)

    def call(self, request: Call = CALL, *, times: int = 1) -> None:
        """Alike, one after the other, each finished when its answer is over."""
        for _ in range(times):
            self.callers.call(self.host, request, self._replied)

    def _replied(self, reply: Reply) -> None:
        self.replies.append(reply)
        self.at.world.timeline.after_real(reply.answer.seconds, reply.finish)

    def samples(self, job: str) -> Iterator[Sample]:
        for target in self.scraped.targets():
            if target.job == job and target.read is not None:
                for page in target.read():
                    yield from page.samples()

    def moved(self, job: str, name: str, label: str) -> dict[str, float]:
        """Counts of a series by one label; error_type stands in for a status that is missing."""
        found: dict[str, float] = {}
        for sample, key, value in self.samples(job):
            pairs = dict(key)
            if sample == name and value:
                said = pairs.get(label) or pairs.get("error_type", "")
                found[said] = found.get(said, 0) + value
        return found

    def told(self) -> dict[str, Any]:
        """The truth so far, all windows together."""
        self.truth.flush(before=float("inf"))
        errors: dict[str, dict[str, int]] = {}
        for window in self.windows:
            for hop, codes in window["errors"].items():
                for code, count in codes.items():
                    into = errors.setdefault(hop, {})
                    into[code] = into.get(code, 0) + count
        gone = sum(window["client_gone"] for window in self.windows)
        requests = sum(window["requests"] for window in self.windows)
        return {"requests": requests, "errors": errors, "client_gone": gone}


def metered(
    model: Profile | None = None, *, knative: tuple[int, int] | None = (1, 21), **settings: Any
) -> Metered:
    """A world with one warm model."""
    wanted = model or replace(MODEL, min_replicas=1)
    at = bench(knative=knative, models=[wanted], **settings)
    found = Metered(at, HOST if knative else STANDARD_HOST)
    at.apply(wanted)
    at.wait_ready(wanted)
    at.run(20)
    return found

"""Callers of the demo's models: some all day, some in bursts, some hardly ever.

They come in process, so that an ordinary day costs next to nothing.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace

from simulator.world.answers import Call
from simulator.world.calling import Callers
from simulator.world.profiles import Profile, Rhythm, Runtime
from simulator.world.trips import Reply
from simulator.world.world import World

# The quietest hour has this share of the busiest one's callers.
NIGHT_SHARE = 0.35
BUSIEST_HOUR = 14.0
STEADY_EVERY_S = 9.0
# A busy model's callers, a call for so many of them.
BUSY_EVERY_S = 2.5
BUSY_TIMES = 25
# Between bursts, and inside one.
PAUSES_S = {Rhythm.BURSTS: 300.0, Rhythm.RARE: 1000.0}
BURST_S = {Rhythm.BURSTS: 75.0, Rhythm.RARE: 12.0}
BURST_EVERY_S = 4.0


def day_share(hour: float) -> float:
    """Callers at an hour of the day (UTC), as a share of the busiest hour."""
    height = (1 + math.cos((hour - BUSIEST_HOUR) / 24 * 2 * math.pi)) / 2
    return NIGHT_SHARE + (1 - NIGHT_SHARE) * height


class Traffic:
    """The callers of one cluster."""

    def __init__(self, callers: Callers) -> None:
        self.callers = callers
        self.world: World = callers.world
        self.served = 0
        self.failed = 0

    def begin(self) -> None:
        for profile in self.world.plan.models:
            if profile.rhythm is Rhythm.STEADY:
                self._steady(profile, STEADY_EVERY_S)
            elif profile.rhythm is Rhythm.BUSY:
                self._steady(profile, BUSY_EVERY_S)
            elif profile.rhythm in PAUSES_S:
                self._pause(profile)

    def burst(self, profile: Profile) -> None:
        """A burst of calls, now."""
        length = self.world.cluster.draws.around(f"burst/{profile.key}", BURST_S[profile.rhythm])
        self._burst(profile, length)

    def _steady(self, profile: Profile, every_s: float) -> None:
        gap = self._gap(profile, every_s)

        def come() -> None:
            self.call(profile)
            self._steady(profile, every_s)

        self.world.timeline.after_real(gap, come)

    def _pause(self, profile: Profile) -> None:
        gap = self._gap(profile, PAUSES_S[profile.rhythm])

        def come() -> None:
            self.burst(profile)
            self._pause(profile)

        self.world.timeline.after_real(gap, come)

    def _burst(self, profile: Profile, left_s: float) -> None:
        self.call(profile)
        gap = self._gap(profile, BURST_EVERY_S)
        if gap < left_s:
            self.world.timeline.after_real(gap, lambda: self._burst(profile, left_s - gap))

    def _gap(self, profile: Profile, mean_s: float) -> float:
        now = self.world.timeline.now()
        share = day_share(now.hour + now.minute / 60)
        return 0.2 + self.world.cluster.draws.exponential(f"gap/{profile.key}", mean_s / share)

    def call(
        self, profile: Profile, *, times: int | None = None, patience_s: float | None = None
    ) -> None:
        """One call, now, which stands for some; as a rule for as many as the model is called."""
        usual = BUSY_TIMES if profile.rhythm is Rhythm.BUSY else 1
        request = replace(_request(profile), times=times or usual, patience_s=patience_s)
        self.callers.call(self._host(profile), request, self._replied)

    def _host(self, profile: Profile) -> str:
        settings = self.world.plan.settings
        if settings.knative is not None:
            return f"{profile.name}-predictor.{profile.namespace}.{settings.domain}"
        return f"{profile.name}-{profile.namespace}.{settings.domain}"

    def _replied(self, reply: Reply) -> None:
        if reply.answer.status < 500:
            self.served += 1
        else:
            self.failed += 1
        self.world.timeline.after_real(reply.answer.seconds, reply.finish)


def _request(profile: Profile) -> Call:
    base = "/openai/v1" if profile.runtime is Runtime.HUGGINGFACESERVER else "/v1"
    if profile.runtime is Runtime.LLMISVC:
        base = f"/{profile.namespace}/{profile.name}/v1"
    body = {"model": profile.served_name, "prompt": "hello", "max_tokens": 128}
    headers = {"authorization": f"Bearer {profile.api_key}"} if profile.api_key else {}
    return Call(
        method="POST",
        path=f"{base}/completions",
        headers=headers,
        body=json.dumps(body).encode(),
    )

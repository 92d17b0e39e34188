"""Callers of ordinary weeks: many in working hours, few at night, fewer still at the weekend.

They call often enough to wake what sleeps; calls that would change nothing are left out.
"""

from __future__ import annotations

from datetime import datetime

from simulator.world.profiles import Profile, Rhythm
from simulator.world.traffic import Traffic

SATURDAY = 5
# Shares of the busiest hours' callers (UTC).
WORK, EVENING, NIGHT, WEEKEND = 1.0, 0.45, 0.12, 0.3
WORK_HOURS = range(7, 18)
EVENING_HOURS = range(18, 22)
# Mean pauses between bursts in the busiest hours, of one model of a few.
PAUSES_S = {Rhythm.BURSTS: 2400.0, Rhythm.RARE: 9000.0}
STEADY_S = 1800.0
# Long enough to keep what woke awake until it has answered.
BURST_S = {Rhythm.BURSTS: 110.0, Rhythm.RARE: 20.0}
BURST_EVERY_S = 18.0
# A fleet with more models that sleep and wake than this calls each of them less often.
WAKING_AT_MOST = 4
STEADY_AT_MOST = 10
# The pause is drawn again after this, so that a night's long one does not reach into the day.
LOOK_AGAIN_S = 3600.0


def week_share(moment: datetime) -> float:
    """Callers at a moment of the week, as a share of those in working hours."""
    hour = moment.hour
    share = WORK if hour in WORK_HOURS else EVENING if hour in EVENING_HOURS else NIGHT
    return share * (WEEKEND if moment.weekday() >= SATURDAY else 1.0)


class WeekOfCallers:
    """The callers of one cluster up to `until`. spared: models that nobody calls just now."""

    def __init__(self, traffic: Traffic, until: datetime) -> None:
        self.traffic = traffic
        self.world = traffic.world
        self.until = until
        self.spared: set[tuple[str, str]] = set()

    def begin(self) -> None:
        """Somebody comes for each model that is called at all."""
        models = self.world.plan.models
        waking = [each for each in models if each.rhythm in PAUSES_S]
        steady = [each for each in models if each.rhythm is Rhythm.STEADY]
        for profile in waking:
            thinned = max(1.0, len(waking) / WAKING_AT_MOST)
            self._pause(profile, PAUSES_S[profile.rhythm] * thinned)
        for profile in steady:
            self._pause(profile, STEADY_S * max(1.0, len(steady) / STEADY_AT_MOST))

    def _pause(self, profile: Profile, mean_s: float) -> None:
        timeline = self.world.timeline
        mean_s_now = mean_s / week_share(timeline.now())
        gap = self.world.cluster.draws.exponential(f"week/{profile.key}", mean_s_now)
        comes = gap <= LOOK_AGAIN_S

        def come() -> None:
            if timeline.now() >= self.until:
                return
            if comes and profile.key not in self.spared:
                self._call(profile)
            self._pause(profile, mean_s)

        timeline.after_real(min(gap, LOOK_AGAIN_S), come)

    def _call(self, profile: Profile) -> None:
        self.traffic.call(profile)
        if profile.rhythm in BURST_S:
            length = self.world.cluster.draws.around(
                f"calls/{profile.key}", BURST_S[profile.rhythm]
            )
            self._call_on(profile, length)

    def _call_on(self, profile: Profile, left_s: float) -> None:
        gap = self.world.cluster.draws.uniform(f"gaps/{profile.key}", 0.4, 1.6) * BURST_EVERY_S

        def come() -> None:
            self.traffic.call(profile)
            self._call_on(profile, left_s - gap)

        if gap < left_s:
            self.world.timeline.after_real(gap, come)

"""When faults are seeded, and who calls meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.world.faults import FAULTS, Faults
from simulator.world.profiles import Profile

# Models that are called before their fault too are healthy for this long; others sleep by then.
QUIET_S = 240.0
LASTS_S = 300.0
# From the end of a fault to the next one of the same model.
RECOVERS_S = 600.0
CALLS_EVERY_S = 3.0
# Who wakes a model comes this long after its fault began.
WOKEN_AFTER_S = 30.0
CALLS_TIMES = 2


class FaultSchedule:
    """models: by the fault that each is for. All begin at once: they share nothing."""

    def __init__(self, faults: Faults, models: Mapping[str, Profile]) -> None:
        self.faults, self.models = faults, models
        self.timeline = faults.world.timeline
        self._called: set[str] = set()

    def begin(self, *, quiet_s: float = QUIET_S) -> None:
        for how, profile in self.models.items():
            if not FAULTS[how].asleep:
                self._called.add(how)
            self._call(how, profile)
            self._later(quiet_s, how, profile)

    def _later(self, after_s: float, how: str, profile: Profile) -> None:
        self.timeline.after_real(after_s, lambda: self._seed(how, profile))

    def _seed(self, how: str, profile: Profile) -> None:
        self.faults.begin(how, profile)
        self.timeline.after_real(WOKEN_AFTER_S, lambda: self._wake(how))
        self.timeline.after_real(LASTS_S, lambda: self._take_back(how, profile))

    def _wake(self, how: str) -> None:
        self._called.add(how)

    def _take_back(self, how: str, profile: Profile) -> None:
        if FAULTS[how].asleep:
            self._called.discard(how)
        self.faults.end(profile)
        self._later(RECOVERS_S, how, profile)

    def _call(self, how: str, profile: Profile) -> None:
        """Callers come steadily while they are wanted, each for a few."""
        if how in self._called:
            self.faults.traffic.call(profile, times=CALLS_TIMES)
        self.timeline.after_real(CALLS_EVERY_S, lambda: self._call(how, profile))

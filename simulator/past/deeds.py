"""What people did in a past week: deploys, a newer vLLM that starts slower, a bad revision and its
way back, more nodes, jobs by the clock, maintenance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from simulator.past.rhythm import SATURDAY, WeekOfCallers
from simulator.store.json_values import JsonObject
from simulator.store.resources import INFERENCESERVICES
from simulator.world.happenings import KUBECTL, ON_SCHEDULE, Happenings
from simulator.world.nodes import NodePlan
from simulator.world.profiles import Profile, Rhythm, Runtime, Trouble

DAY = timedelta(days=1)
# Chance of a deploy of one model on a working day, and when: hours of the day (UTC).
DEPLOY_SHARE = 0.3
DEPLOY_HOURS = (8.0, 16.0)
# Jobs that scale a model up for their hours: at, and for how long (h).
JOB_HOURS = ((1.5, 2.0), (12.0, 1.0), (20.0, 1.5))
# How far into the past, as shares of it.
NEW_NODES_AT, NEWER_VLLM_AT, BAD_REVISION_AT = 0.45, 0.6, 0.3
BAD_FOR_S = 900.0
NEWER_VLLM = (0, 13, 0)
NEW_POOL = "h100-west"


class Deeds:
    """All of them are planned when the past begins; none comes after `until`."""

    def __init__(self, callers: WeekOfCallers) -> None:
        self.callers = callers
        self.world = callers.world
        self.happenings = Happenings(self.world, callers.traffic)
        self.draws = self.world.cluster.draws
        self.until = callers.until

    def begin(self) -> None:
        """Plan the days, and what happens once."""
        now = self.world.timeline.now()
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        while day < self.until:
            self._plan_day(day)
            day += DAY
        length = self.until - now
        self._at(now + length * NEW_NODES_AT, self._add_nodes)
        waking = [each for each in self.world.plan.models if _wakes(each)]
        for profile in waking[:1]:
            self._at(now + length * NEWER_VLLM_AT, partial(self._bump, profile))
        for profile in waking[1:2]:
            self._at(now + length * BAD_REVISION_AT, partial(self._go_bad, profile))

    def _plan_day(self, day: datetime) -> None:
        for profile in self.world.plan.models:
            if profile.name in ON_SCHEDULE:
                self._plan_jobs(profile, day)
            elif day.weekday() < SATURDAY and _is_deployed(profile):
                self._plan_deploys(profile, day)

    def _plan_jobs(self, profile: Profile, day: datetime) -> None:
        for at_h, for_h in JOB_HOURS:
            late_h = self.draws.uniform(f"job/{profile.key}", 0.0, 0.3)
            on = day + timedelta(hours=at_h + late_h)
            off = on + timedelta(hours=for_h)
            # Half a job would leave the model the wrong way round for all that follow.
            if self.world.timeline.now() <= on and off < self.until:
                for moment in (on, off):
                    self._at(moment, lambda: self.happenings.turn_on_or_off(profile))

    def _plan_deploys(self, profile: Profile, day: datetime) -> None:
        hour = self.draws.uniform(f"deploy/{profile.key}", *DEPLOY_HOURS)
        if self.draws.uniform(f"deploys/{profile.key}", 0.0, 1.0) < DEPLOY_SHARE:
            moment = day + timedelta(hours=hour)
            self._at(moment, lambda: self.happenings.change(profile))
        if self.world.plan.settings.knative is None and profile.rhythm is Rhythm.STEADY:
            moment = day + timedelta(hours=hour + 1.5)
            act = self.draws.choice(f"harm/{profile.key}", (self.happenings.crash, _nothing))
            self._at(moment, lambda: act(profile))

    def _add_nodes(self) -> None:
        """Two nodes of a new pool, which have no image yet."""
        for number in (1, 2):
            plan = NodePlan(name=f"{NEW_POOL}-{number}", gpus=4, pool=NEW_POOL)
            self.world.nodes.add(plan)

    def _bump(self, profile: Profile) -> None:
        """A newer vLLM, for which nothing was compiled ahead."""
        image = f"{profile.image.partition(':')[0]}:v{'.'.join(map(str, NEWER_VLLM))}"
        newer = replace(profile, image=image, vllm=NEWER_VLLM, compile_cached=False)
        self.world.behaviours.plan([newer])
        self._edit(profile, lambda holder: holder.update(image=image))

    def _go_bad(self, profile: Profile) -> None:
        """Arguments with which the server never starts, taken back a while later."""
        self.callers.spared.add(profile.key)
        self.world.behaviours.plan([replace(profile, trouble=Trouble.CRASH_LOOP)])
        before: list[str] = []

        def longer(holder: JsonObject) -> None:
            before.extend(holder.get("args", []))
            holder["args"] = [*before, "--max-model-len=131072"]

        def back() -> None:
            self.world.behaviours.plan([profile])
            self._edit(profile, lambda holder: holder.update(args=before))
            self.callers.spared.discard(profile.key)

        self._edit(profile, longer)
        self.world.timeline.after_real(BAD_FOR_S, back)

    def _edit(self, profile: Profile, edit: Callable[[JsonObject], None]) -> None:
        def edit_object(obj: JsonObject) -> None:
            predictor = obj["spec"]["predictor"]
            edit(predictor["model"] if "model" in predictor else predictor["containers"][0])

        self.world.cluster.change(INFERENCESERVICES, profile.key, edit_object, manager=KUBECTL)

    def _at(self, moment: datetime, act: Callable[[], None]) -> None:
        timeline = self.world.timeline
        if timeline.now() <= moment < self.until:
            timeline.after_real((moment - timeline.now()).total_seconds(), act)


def _wakes(profile: Profile) -> bool:
    return profile.rhythm is Rhythm.BURSTS and profile.trouble is Trouble.NONE


def _is_deployed(profile: Profile) -> bool:
    """Whose owners change it now and then; one without a spare GPU would stand in its own way."""
    is_plain = profile.trouble is Trouble.NONE and profile.runtime is not Runtime.LLMISVC
    return is_plain and profile.rhythm is not Rhythm.NEVER and bool(profile.gpus)


def _nothing(_profile: Profile) -> None:
    """A day on which nothing breaks."""

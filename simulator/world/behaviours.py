"""Which program each container of a pod runs, by the plan of its model."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.world.draws import Draws
from simulator.world.failing_logs import (
    OOM_MESSAGE,
    crawling,
    denied_message,
    fetched,
    hub_busy_message,
    out_of_memory,
    refused,
)
from simulator.world.kserve.llm_workloads import COMPONENT
from simulator.world.profiles import Profile, Runtime, Trouble
from simulator.world.programs import Program
from simulator.world.replicasets import model_of
from simulator.world.stages import EngineStages, engine_stages, fetch_seconds
from simulator.world.vllm_log import startup

REFUSALS = {Trouble.DOWNLOAD_DENIED: denied_message, Trouble.HUB_BUSY: hub_busy_message}
# A download that hardly moves, for as long as anybody looks.
CRAWL_S = 5400.0
# Names of the container that serves the model. Source: KServe's templates.
MODEL_CONTAINERS = ("kserve-container", "main")


@dataclass(slots=True)
class Behaviours:
    """profiles: by (namespace, model name). A model that nobody planned is a small one."""

    draws: Draws
    speed: float
    profiles: dict[tuple[str, str], Profile] = field(default_factory=dict)
    _tried: deque[str] = field(default_factory=lambda: deque(maxlen=200))

    def plan(self, profiles: Iterable[Profile]) -> None:
        self.profiles |= {profile.key: profile for profile in profiles}

    def profile_of(self, pod: Mapping[str, Any]) -> Profile | None:
        """None for a pod that serves no model."""
        name = model_of(pod)
        if name is None:
            return None
        namespace = pod["metadata"]["namespace"]
        return self.profiles.get((namespace, name)) or _unplanned(pod, name)

    def program(self, pod: Mapping[str, Any], container: str) -> Program:
        """What the next run of a container will do."""
        profile = self.profile_of(pod)
        labels = pod["metadata"].get("labels", {})
        if str(labels.get(COMPONENT, "")).endswith("-worker"):
            return self._beside(profile, container)
        if container == "modelcar-init":
            return Program(ends_after_s=self.draws.uniform("modelcar-init", 0.2, 0.5))
        if profile is None or container not in (*MODEL_CONTAINERS, "storage-initializer"):
            return Program(answers_after_s=1.0)
        if container == "storage-initializer":
            return self._fetch(profile)
        if not profile.runtime.is_vllm:
            return Program(answers_after_s=self.draws.around("sklearn", 3.0))
        return self._serve(pod, profile)

    def _beside(self, profile: Profile | None, container: str) -> Program:
        """A worker of a group: it fetches as its leader does, and waits to be told."""
        if profile is not None and container == "storage-initializer":
            return self._fetch(profile)
        return Program(answers_after_s=1.0)

    def _fetch(self, profile: Profile) -> Program:
        message = REFUSALS.get(profile.trouble)
        if message is not None:
            seconds = self.draws.around("denied", 2.4)
            return Program(
                ends_after_s=seconds,
                exit_code=1,
                message=message(profile),
                lines=refused(profile, message(profile), seconds, speed=self.speed),
            )
        if profile.trouble is Trouble.DOWNLOAD_SLOW:
            return Program(ends_after_s=CRAWL_S, lines=crawling(profile, CRAWL_S, speed=self.speed))
        seconds = fetch_seconds(profile, self.draws)
        log = fetched(profile, seconds, speed=self.speed)
        return Program(ends_after_s=seconds, lines=log)

    def _serve(self, pod: Mapping[str, Any], profile: Profile) -> Program:
        stages = engine_stages(profile, self.draws)
        if self._crashes(pod, profile):
            return self._crash(profile, stages)
        log = startup(profile, stages, speed=self.speed)
        return Program(answers_after_s=stages.total, lines=log)

    def _crashes(self, pod: Mapping[str, Any], profile: Profile) -> bool:
        if profile.trouble is Trouble.CRASH_ONCE:
            uid = pod["metadata"]["uid"]
            first = uid not in self._tried
            self._tried.append(uid)
            return first
        return profile.trouble is Trouble.CRASH_LOOP

    def _crash(self, profile: Profile, stages: EngineStages) -> Program:
        after = stages.boot + stages.config + stages.spawn + stages.read + 1.5
        return Program(
            ends_after_s=after,
            exit_code=1,
            message=OOM_MESSAGE,
            lines=out_of_memory(profile, stages, speed=self.speed),
        )


def _unplanned(pod: Mapping[str, Any], name: str) -> Profile:
    image = next(
        (each["image"] for each in pod["spec"]["containers"] if each["name"] in MODEL_CONTAINERS),
        "",
    )
    is_vllm = any(word in image for word in ("vllm", "huggingfaceserver", "llm-d"))
    return Profile(
        name=name,
        namespace=pod["metadata"]["namespace"],
        runtime=Runtime.CUSTOM if is_vllm else Runtime.SKLEARN,
        image=image,
        vllm=(0, 11, 0),
        weights_gb=2.0,
        storage="hf://models/small",
        eager=True,
    )

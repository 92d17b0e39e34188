"""What an update, a stop or a scale-down does."""

from fleet.domain.lint import patches
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.reading.settings_of import FROZEN, STOP
from fleet.domain.lint.records import Effect, Severity
from fleet.domain.lint.rules.rule import Found, retemplated
from fleet.domain.lint.settings import Settings
from fleet.domain.records.keys import Mode, ModelKind

DRAIN_S, GRACE_S = 15, 60
ONE_BY_ONE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def surge(settings: Settings, measured: Measured) -> Found | None:
    """An update waits for a GPU that may not be there. In Knative mode it always does: there is
    nothing to set."""
    rollout, least = settings.rollout, settings.scaling.min.value
    more, fewer = rollout.max_surge.value or 0, rollout.max_unavailable.value
    runs = settings.mode is not Mode.KNATIVE and (least or 0) >= 1
    if not runs or more < 1 or fewer != 0 or not rollout.gpus:
        return None
    needed, free = rollout.gpus * more, measured.free_gpus
    if free is not None and free >= needed:
        return None
    standard = settings.mode is Mode.STANDARD
    return Found(
        severity=Severity.ADVICE if free is None else Severity.WARNING,
        field="spec.predictor.deploymentStrategy" if standard else "strategy",
        params={"gpus": needed, "free": free, "replicas": least, "mode": settings.mode.value},
        measured={} if free is None else {"free_gpus": float(free)},
        patch=patches.predictor(settings, {"deploymentStrategy": ONE_BY_ONE}) if standard else "",
        effect=Effect.IN_PLACE if standard else Effect.NONE,
        extra_gpus=0 if standard else None,
    )


def stop_false(settings: Settings, _: Measured) -> Found | None:
    """Any value but true means that it runs; the annotation is in the pods, so that each stop and
    start by its value is an update."""
    stop = settings.stop
    copied = settings.ref.kind == ModelKind.INFERENCE_SERVICE.value
    if stop is None or stop.lower() == "true" or not copied:
        return None
    return retemplated(
        settings,
        Severity.WARNING,
        field=f"metadata.annotations[{STOP}]",
        params={"value": stop[:40]},
        patch=patches.annotations(settings, {STOP: None}),
    )


def frozen(settings: Settings, _: Measured) -> Found | None:
    """Changes of the object are accepted and do nothing, a higher floor among them."""
    if not settings.frozen:
        return None
    return retemplated(
        settings,
        Severity.ADVICE,
        field=f"metadata.annotations[{FROZEN}]",
        params={},
        patch=patches.annotations(settings, {FROZEN: None}),
    )


def floating_tag(settings: Settings, _: Measured) -> Found | None:
    """The next pod may run another vLLM than this one."""
    image = settings.server.image
    name = image.rpartition("/")[2]
    tag = name.partition(":")[2]
    if not image or "@" in image or tag not in ("", "latest"):
        return None
    return Found(
        severity=Severity.ADVICE,
        field="image",
        params={"image": image[:200], "mode": settings.mode.value},
        effect=patches.template_effect(settings),
    )


def no_drain(settings: Settings, _: Measured) -> Found | None:
    """A pod that goes away ends the answers it is giving."""
    standard = settings.mode is Mode.STANDARD
    if not standard or settings.server.pre_stop.value is not False or not settings.is_vllm:
        return None
    pause = {"preStop": {"exec": {"command": ["sleep", str(DRAIN_S)]}}}
    own = patches.container(settings, {"lifecycle": pause})
    grace = patches.predictor(settings, {"terminationGracePeriodSeconds": GRACE_S})
    return retemplated(
        settings,
        Severity.ADVICE,
        field="lifecycle.preStop",
        params={"drain_s": DRAIN_S, "grace_s": GRACE_S},
        patch=patches.several(own, grace),
    )

"""Floors, ceilings and targets."""

import math
from collections.abc import Mapping
from typing import Any

from fleet.domain.lint import patches
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.reading.knative import AUTOSCALING
from fleet.domain.lint.records import Effect, Severity
from fleet.domain.lint.rules.rule import Found, retemplated
from fleet.domain.lint.settings import Inert, Settings
from fleet.domain.records.keys import Mode

# vLLM serves far more at once than this on any GPU, unless it is told that it cannot.
FEW, SOME = 4, 8
# Source: knative/serving pkg/queue/breaker: ten waiting requests for each slot.
WAITING_FOR_EACH = 10


def inert_annotation(settings: Settings, _: Measured) -> Found | None:
    """A floor or ceiling that its author believes in, and nothing reads."""
    inert = settings.scaling.inert
    if not inert:
        return None
    worst = next((each for each in inert if _differs(settings, each)), inert[0])
    have = _have(settings, worst)
    return retemplated(
        settings,
        Severity.WARNING if _differs(settings, worst) else Severity.ADVICE,
        field=f"annotations[{worst.key}]",
        params={
            "keys": [each.key for each in inert],
            "key": worst.key,
            "instead": f"spec.predictor.{worst.field}",
            "wanted": worst.count,
            "have": have,
        },
        patch=patches.merge(settings, _without(inert)),
    )


def _have(settings: Settings, inert: Inert) -> int | None:
    scaling = settings.scaling
    return (scaling.asked if inert.field == "minReplicas" else scaling.max).value


def _differs(settings: Settings, inert: Inert) -> bool:
    return inert.count is not None and inert.count != _have(settings, inert)


def _without(inert: tuple[Inert, ...]) -> Mapping[str, Any]:
    """Takes the annotations away and writes what they say where it counts."""
    removed: dict[str, Any] = {each.key: None for each in inert if not each.of_predictor}
    of_predictor: dict[str, Any] = {each.key: None for each in inert if each.of_predictor}
    fields: dict[str, Any] = {each.field: each.count for each in inert if each.count is not None}
    if of_predictor:
        fields["annotations"] = of_predictor
    body: dict[str, Any] = {"metadata": {"annotations": removed}} if removed else {}
    return body | ({"spec": {"predictor": fields}} if fields else {})


def standard_zero(settings: Settings, _: Measured) -> Found | None:
    """KServe makes 1 of it, and says nothing."""
    scaling = settings.scaling
    by_hpa = settings.mode is Mode.STANDARD and scaling.class_.value == "hpa"
    if not by_hpa or scaling.min.value != 0:
        return None
    return Found(
        severity=Severity.WARNING,
        field="spec.predictor.minReplicas",
        params={"gpus": settings.rollout.gpus},
        patch=patches.predictor(settings, {"minReplicas": 1}),
        effect=Effect.IN_PLACE,
        extra_gpus=0,
    )


def pinned(settings: Settings, _: Measured) -> Found | None:
    """Scaling is asked for, and cannot happen: without a maximum, an HPA stays at its minimum."""
    scaling = settings.scaling
    by_hpa = settings.mode is Mode.STANDARD and scaling.class_.value == "hpa"
    if not by_hpa or not scaling.wants_scaling:
        return None
    least, most = max(scaling.min.value or 0, 1), scaling.max.value or 0
    if most > least:
        return None
    return Found(
        severity=Severity.WARNING,
        field="spec.predictor.maxReplicas",
        params={"min": least, "max": most},
        patch=patches.predictor(settings, {"maxReplicas": least + 1}),
        effect=Effect.IN_PLACE,
        extra_gpus=settings.rollout.gpus,
    )


def concurrency_low(settings: Settings, measured: Measured) -> Found | None:
    """The queue in front of the server is longer than the server's own batch, and 503 when full."""
    limit = settings.scaling.concurrency.value or 0
    if settings.mode is not Mode.KNATIVE or limit < 1 or not settings.server.engine:
        return None
    capacity = capacity_of(settings, measured)
    if limit >= (FEW if capacity is None else min(capacity, SOME)):
        return None
    target = settings.scaling.target.value
    return retemplated(
        settings,
        Severity.WARNING,
        field="spec.predictor.containerConcurrency",
        params={"limit": limit, "capacity": capacity, "waiting": WAITING_FOR_EACH * limit},
        measured=_sequences(measured),
        # Without a limit, replicas are added as before only if the target is named.
        patch=patches.predictor(
            settings,
            {"containerConcurrency": 0, "scaleTarget": math.ceil(min(target or limit, limit))},
        ),
    )


def target_high(settings: Settings, measured: Measured) -> Found | None:
    """Replicas are added when the server has long been full."""
    scaling, capacity = settings.scaling, capacity_of(settings, measured)
    grows = scaling.max.value != 1 and scaling.metric.value == "concurrency"
    if settings.mode is not Mode.KNATIVE or capacity is None or not grows:
        return None
    aimed = aimed_of(settings)
    if aimed is None or aimed <= capacity:
        return None
    certain = settings.server.max_seqs is not None
    return retemplated(
        settings,
        Severity.WARNING if certain else Severity.ADVICE,
        field="spec.predictor.scaleTarget",
        params={
            "aimed": round(aimed, 1),
            "target": scaling.target.value,
            "origin": scaling.target.origin.value,
            "capacity": capacity,
            "by": "max-num-seqs" if certain else "kv-cache",
        },
        measured=_sequences(measured),
        patch=patches.predictor(settings, {"scaleTarget": max(capacity, 1)}),
    )


def aimed_of(settings: Settings) -> float | None:
    """Requests in flight for each replica at which another is added.
    Source: knative/serving pkg/reconciler/autoscaling/resources/target.go."""
    scaling = settings.scaling
    if scaling.target.value is None or scaling.utilisation.value is None:
        return None
    limit = scaling.concurrency.value or 0
    whole = min(scaling.target.value, limit) if limit else scaling.target.value
    return whole * scaling.utilisation.value


def capacity_of(settings: Settings, measured: Measured) -> int | None:
    """Requests that the server works on at once: as it is told, else of full length by its log."""
    if settings.server.max_seqs:
        return settings.server.max_seqs
    return None if measured.sequences is None else max(math.floor(measured.sequences), 1)


def _sequences(measured: Measured) -> dict[str, float]:
    return {} if measured.sequences is None else {"sequences": round(measured.sequences, 1)}


def raise_refused(settings: Settings, _: Measured) -> Found | None:
    """What stands is refused already, or the next raise of the floor will be."""
    if settings.mode is not Mode.KNATIVE:
        return None
    return _refused(settings) or _next_refused(settings)


def _refused(settings: Settings) -> Found | None:
    """Source: knative/serving pkg/apis/autoscaling/annotation_validation.go."""
    scaling = settings.scaling
    least, most = scaling.min.value or 0, scaling.max.value or 0
    activation, limit = scaling.activation.value, scaling.limit.value or 0
    wrong: list[tuple[str, int]] = []
    if activation is not None:
        above = bool(most) and activation > most
        wrong += [("activation-scale", activation)] if activation < max(2, least) or above else []
    wrong += [("max-scale-limit", limit)] if limit and not 1 <= most <= limit else []
    if not wrong:
        return None
    by, value = wrong[0]
    return _blocked(settings, Severity.ERROR, by=by, value=value, to=least)


def _next_refused(settings: Settings) -> Found | None:
    scaling = settings.scaling
    to = (scaling.min.value or 0) + 1
    bounds = {
        "max-scale": scaling.max.value,
        "activation-scale": scaling.activation.value,
        "max-scale-limit": scaling.limit.value,
    }
    low = {by: value for by, value in bounds.items() if value and value < to}
    if not low:
        return None
    by, value = next(iter(low.items()))
    return _blocked(settings, Severity.ADVICE, by=by, value=value, to=to)


def _blocked(settings: Settings, severity: Severity, *, by: str, value: int, to: int) -> Found:
    most = settings.scaling.max.value or 0
    patch = ""
    if by == "max-scale":
        patch = patches.predictor(settings, {"maxReplicas": to})
    elif by == "activation-scale":
        wanted = max(2, to)
        fits = not most or wanted <= most
        key = f"{AUTOSCALING}activation-scale"
        patch = patches.annotations(settings, {key: str(wanted) if fits else None})
    return retemplated(
        settings,
        severity,
        field=by if by == "max-scale-limit" else f"autoscaling.knative.dev/{by}",
        params={"by": by, "value": value, "to": to, "max": most},
        patch=patch,
    )

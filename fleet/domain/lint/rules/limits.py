"""Time limits against how long this model's starts take, and what is measured of its requests."""

import math
from collections.abc import Mapping
from types import MappingProxyType

from fleet.domain.lint import patches
from fleet.domain.lint.given import Given
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.reading.knative import DEADLINE, DEFAULTS, OBSERVABILITY
from fleet.domain.lint.records import Effect, Severity
from fleet.domain.lint.rules.rule import (
    Found,
    figures,
    is_asleep_at_times,
    minutes_up,
    retemplated,
    unless_raised,
)
from fleet.domain.lint.settings import Settings
from fleet.domain.records.keys import Mode

TEN_MINUTES_S = 600.0
# A start that takes half of a limit passes it on a slow day.
HALF = 0.5
ROUTE_DEFAULT_S = 60.0
LONG_ANSWER_S = 600
KEEP_ALIVE_NAME = "VLLM_HTTP_TIMEOUT_KEEP_ALIVE"
# Longer than Go's pool keeps an idle connection (90 s). Source: golang net/http DefaultTransport.
KEEP_ALIVE_S = 120


def progress_deadline(settings: Settings, measured: Measured) -> Found | None:
    """A first rollout is given up before the model can be ready."""
    limit, total = settings.limits.deadline_s, measured.total
    if total is None or not limit.value or total.reach_s <= limit.value:
        return None
    knative = settings.mode is Mode.KNATIVE
    severity = unless_raised(limit) if knative else Severity.WARNING
    return _longer_deadline(settings, severity, start_s=total.reach_s, measured=figures(total))


def ten_minutes(settings: Settings, measured: Measured) -> Found | None:
    """A deadline that nobody chose: near what starts take, or shorter than what a probe allows."""
    limit_s, total = settings.limits.deadline_s.value, measured.total
    startup = settings.probes.startup.value
    if not limit_s:
        return None
    if total is not None:
        if limit_s != TEN_MINUTES_S or not HALF * limit_s <= total.reach_s <= limit_s:
            return None
        figures_ = figures(total)
        return _longer_deadline(
            settings, Severity.WARNING, start_s=total.reach_s, measured=figures_
        )
    if startup is None or startup.budget_s <= limit_s:
        return None
    return _longer_deadline(
        settings, Severity.ADVICE, start_s=startup.budget_s / 2, budget_s=startup.budget_s
    )


def _longer_deadline(
    settings: Settings,
    severity: Severity,
    *,
    start_s: float,
    measured: Mapping[str, float] = MappingProxyType({}),
    budget_s: float | None = None,
) -> Found:
    """In Standard mode and for an LLMInferenceService it cannot be set."""
    limit, wanted_min = settings.limits.deadline_s, minutes_up(2 * start_s)
    params = {
        "limit_s": limit.value,
        "origin": limit.origin.value,
        "mode": settings.mode.value,
        "start_s": round(start_s, 1) if measured else None,
        "wanted_min": wanted_min,
        "budget_s": budget_s,
    }
    if settings.mode is not Mode.KNATIVE:
        field = "progressDeadlineSeconds"
        return Found(severity=severity, field=field, params=params, measured=measured)
    return retemplated(
        settings,
        severity,
        field=f"metadata.annotations[{DEADLINE}]",
        params=params,
        measured=measured,
        patch=patches.annotations(settings, {DEADLINE: f"{wanted_min}m"}),
    )


def timeout(settings: Settings, measured: Measured) -> Found | None:
    """Callers of a sleeping model are held by the activator and cut off before it is up. The layer
    that cuts first is named."""
    total, layers = measured.total, layers_of(settings)
    if total is None or not layers or not is_asleep_at_times(settings):
        return None
    name, limit = min(layers.items(), key=lambda each: each[1].value or math.inf)
    if limit.value is None or limit.value >= total.reach_s:
        return None
    wanted_s = 60 * minutes_up(1.5 * total.reach_s)
    return retemplated(
        settings,
        unless_raised(limit),
        field="spec.predictor.timeout" if name != "ingress" else name,
        params={
            "layer": name,
            "limit_s": limit.value,
            "origin": limit.origin.value,
            "start_s": round(total.reach_s, 1),
            "layers": {key: each.value for key, each in layers.items()},
            "wanted_s": wanted_s,
        },
        measured=figures(total),
        patch="" if name == "ingress" else _longer_timeout(settings, wanted_s),
    )


def layers_of(settings: Settings) -> dict[str, Given[float]]:
    """Limits on the way of a held request, in the order in which equal ones are named."""
    limits = settings.limits
    named = {
        "response-start": limits.response_start_s,
        "request": limits.timeout_s,
        "ingress": limits.ingress_s,
    }
    return {name: each for name, each in named.items() if each.value}


def _longer_timeout(settings: Settings, wanted_s: int) -> str:
    """KServe writes it into both limits; above the cluster's own, Knative refuses it."""
    own = patches.predictor(settings, {"timeout": wanted_s})
    most = settings.limits.most_s.value
    if most is None or wanted_s <= most:
        return own
    return patches.several(_raised_most(wanted_s), own)


def _raised_most(wanted_s: int) -> str:
    return patches.config_map(DEFAULTS, {"max-revision-timeout-seconds": str(wanted_s)})


def above_most(settings: Settings, _: Measured) -> Found | None:
    """Knative refuses the Service, so that no new revision is made."""
    limits = settings.limits
    asked, most = limits.asked_s.value, limits.most_s
    if settings.mode is not Mode.KNATIVE or not asked or not most.value or asked <= most.value:
        return None
    if limits.timeout_s.value == asked and limits.timeout_s.at == "timeoutSeconds":
        return None
    return Found(
        severity=unless_raised(most),
        field="spec.predictor.timeout",
        params={"asked_s": asked, "most_s": most.value, "origin": most.origin.value},
        patch=_raised_most(math.ceil(asked)),
        effect=Effect.IN_PLACE,
        extra_gpus=0,
    )


def route_cuts(settings: Settings, _: Measured) -> Found | None:
    """Nobody chose the minute after which the gateway ends an answer."""
    route, own = settings.limits.route_s, settings.limits.timeout_s
    chosen = own.value is not None
    if settings.mode is not Mode.STANDARD or chosen or route.value != ROUTE_DEFAULT_S:
        return None
    return Found(
        severity=Severity.WARNING,
        field="spec.predictor.timeout",
        params={"limit_s": route.value, "wanted_s": LONG_ANSWER_S},
        patch=patches.predictor(settings, {"timeout": LONG_ANSWER_S}),
        effect=Effect.IN_PLACE,
        extra_gpus=0,
    )


def keep_alive(settings: Settings, measured: Measured) -> Found | None:
    """Answers broken at queue-proxy, where the server closes idle connections first."""
    server = settings.server
    broken = measured.broken_answers or 0
    if settings.mode is not Mode.KNATIVE or not server.plain or not server.complete or not broken:
        return None
    if KEEP_ALIVE_NAME in server.env:
        return None
    variable = {"name": KEEP_ALIVE_NAME, "value": str(KEEP_ALIVE_S)}
    return retemplated(
        settings,
        Severity.WARNING,
        field=f"env[{KEEP_ALIVE_NAME}]",
        params={"broken": broken, "wanted_s": KEEP_ALIVE_S},
        measured={"broken_answers": float(broken)},
        patch=patches.operations(settings, patches.appended(settings, {"env": variable})),
    )


def metrics_off(settings: Settings, _: Measured) -> Found | None:
    """Without them nobody can tell which hop answered a 5xx."""
    telemetry = settings.telemetry
    keys = {
        "request-metrics-protocol": telemetry.request_metrics.value,
        "metrics-protocol": telemetry.control_metrics.value,
    }
    off = [key for key, protocol in keys.items() if protocol == "none"]
    if settings.mode is not Mode.KNATIVE or not off:
        return None
    rolls = "request-metrics-protocol" in off
    return Found(
        severity=Severity.WARNING,
        object_ref=telemetry.at,
        field=", ".join(off),
        params={"keys": off, "rolls": rolls},
        patch=patches.config_map(
            OBSERVABILITY,
            dict.fromkeys(off, "prometheus"),
            namespace=telemetry.at.split("/")[1] if telemetry.at.count("/") == 2 else "",
        ),
        effect=Effect.ROLLS_ALL_MODELS if rolls else Effect.NONE,
    )

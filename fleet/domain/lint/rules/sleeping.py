"""Models that sleep: who wakes them, and when."""

import math
from collections.abc import Sequence
from typing import Any

from fleet.domain.lint import patches
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.reading.knative import AUTOSCALING
from fleet.domain.lint.records import Effect, Severity
from fleet.domain.lint.rules.rule import Found, is_asleep_at_times, minutes_up, retemplated
from fleet.domain.lint.settings import Settings
from fleet.domain.records.keys import Mode

HOURS, WORKDAYS = 24, 5
# An hour of the day is busy that sees requests on most workdays.
BUSY_DAYS = 3
LEAST_HOURS, MOST_HOURS = 4, 14
LEAST_SHARE = 0.7
# The finest step of a schedule.
MINUTE_S = 60.0
# Source: knative/serving annotation_validation.go.
LONGEST_RETENTION_S = 3600.0
RETENTION = f"{AUTOSCALING}scale-to-zero-pod-retention-period"
CURL = "docker.io/curlimages/curl:8.10.1"


def without_activator(settings: Settings, _: Measured) -> Found | None:
    """At zero there is nobody to hold a request: it fails at once, and wakes nothing."""
    scaling = settings.scaling
    by_keda = settings.mode is Mode.STANDARD and scaling.class_.value == "keda"
    if not by_keda or scaling.min.value != 0:
        return None
    return Found(
        severity=Severity.WARNING,
        field="spec.predictor.minReplicas",
        params={"gpus": settings.rollout.gpus},
        patch=patches.predictor(settings, {"minReplicas": 1}),
        effect=Effect.IN_PLACE,
        extra_gpus=settings.rollout.gpus,
    )


def warm_up_rare(settings: Settings, _: Measured) -> Found | None:
    """Between two warm-ups the model falls asleep, so that each one pays for a whole start."""
    every_s, until_s = settings.warm_ups.every_s.value, settings.scaling.until_sleep_s
    if every_s is None or until_s is None or not is_asleep_at_times(settings):
        return None
    if every_s < until_s:
        return None
    window_s = settings.scaling.window_s.value or 0.0
    needed_s = every_s - window_s + MINUTE_S
    keeps = needed_s <= LONGEST_RETENTION_S
    retention_min = minutes_up(needed_s)
    return retemplated(
        settings,
        Severity.WARNING,
        field=settings.warm_ups.every_s.at,
        params={
            "every_s": every_s,
            "until_s": until_s,
            "job": settings.warm_ups.name,
            "retention_min": retention_min if keeps else None,
        },
        patch=patches.annotations(settings, {RETENTION: f"{retention_min}m"}) if keeps else "",
    )


def business_hours(settings: Settings, measured: Measured) -> Found | None:
    """It sleeps in hours in which it is asked every workday."""
    until_s = settings.scaling.until_sleep_s
    if measured.by_hour is None or not is_asleep_at_times(settings) or not measured.from_zero:
        return None
    window = warm_window(measured.by_hour)
    if window is None:
        return None
    first, end, share = window
    can_keep = until_s is not None and until_s > MINUTE_S
    return Found(
        severity=Severity.ADVICE,
        field="spec.predictor.minReplicas",
        params={
            "from_hour": first,
            "to_hour": end,
            "share_percent": round(100 * share),
            "starts": measured.from_zero,
            "until_s": until_s,
        },
        measured={"share": round(share, 2), "from_zero": float(measured.from_zero)},
        patch=_warm_job(settings, first, end) if can_keep else "",
        effect=Effect.IN_PLACE,
        extra_gpus=settings.rollout.gpus,
    )


def warm_window(by_hour: Sequence[float]) -> tuple[int, int, float] | None:
    """First hour, end hour (UTC, of workdays) and the share of all requests between them; None
    where workdays have no such window. by_hour: 168, Monday 0 h first."""
    total = sum(by_hour)
    if len(by_hour) != 7 * HOURS or total <= 0 or not math.isfinite(total):
        return None
    days = [by_hour[HOURS * day : HOURS * (day + 1)] for day in range(WORKDAYS)]
    busy = [sum(day[hour] > 0 for day in days) >= BUSY_DAYS for hour in range(HOURS)]
    first, end = _longest(busy)
    share = sum(sum(day[first:end]) for day in days) / total
    fits = LEAST_HOURS <= end - first <= MOST_HOURS
    return (first, end, share) if fits and share >= LEAST_SHARE else None


def _longest(busy: Sequence[bool]) -> tuple[int, int]:
    """The longest run of busy hours, the first of several."""
    best = (0, 0)
    start = 0
    for hour, each in enumerate(busy):
        start = start if each else hour + 1
        if hour + 1 - start > best[1] - best[0]:
            best = (start, hour + 1)
    return best


def _warm_job(settings: Settings, first: int, end: int) -> str:
    """Asks each minute, which is more often than it takes to fall asleep."""
    ref, plain = settings.ref, settings.server.engine != "huggingfaceserver"
    path = "/v1/models" if plain else "/openai/v1/models"
    url = f"http://{ref.name}-predictor.{ref.namespace}.svc.cluster.local{path}"
    ask = {"name": "ask", "image": CURL, "args": ["-sS", "-o", "/dev/null", "-m", "900", url]}
    pod: dict[str, Any] = {"restartPolicy": "Never", "containers": [ask]}
    spec = {
        "schedule": f"* {first}-{end - 1} * * 1-5",
        "timeZone": "Etc/UTC",
        "concurrencyPolicy": "Forbid",
        "jobTemplate": {"spec": {"backoffLimit": 0, "template": {"spec": pod}}},
    }
    return patches.manifest(
        settings,
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": f"{ref.name}-warm"[:52], "namespace": ref.namespace},
            "spec": spec,
        },
    )

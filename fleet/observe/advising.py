"""What settings of one model could be better, judged by its own starts and requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from fleet.domain.lint.measured import HOURS_OF_WEEK, Measured, measured_from
from fleet.domain.lint.profiles import judge, profile_of
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.settings import Settings
from fleet.domain.lint.table import lint
from fleet.domain.records.keys import ModelKey
from fleet.domain.requests.records import Hop
from fleet.history.compared import of_model
from fleet.history.insight_shapes import lint_json, verdict_json
from fleet.models import RequestHour

STARTS_BACK = timedelta(days=30)
STARTS_AT_MOST = 200
REQUESTS_BACK = timedelta(days=28)
# Fewer days say nothing of a week.
DAYS_ENOUGH = 7
BROKEN_BACK = timedelta(hours=24)
BROKEN = f"{Hop.QUEUE_PROXY.value}/502"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """In the kept form. profile: {} where the model's team named none."""

    lint: Sequence[dict[str, Any]] = ()
    profile: Mapping[str, Any] = field(default_factory=dict)


def advise(
    bundle: Mapping[str, Any], key: ModelKey, *, profile_label: str, now: datetime
) -> Advice:
    """What stands against the model's settings, worst first, and how they fit its team's profile.

    profile_label: the label of the model, or of its namespace, that names the profile.
    """
    settings = _settings(bundle, key, profile_label=profile_label)
    if settings is None:
        return Advice()
    measured = measured_of(key, now=now)
    return Advice(
        lint=[lint_json(each) for each in lint(settings, measured)],
        profile=_profile(settings, measured),
    )


def _settings(bundle: Mapping[str, Any], key: ModelKey, *, profile_label: str) -> Settings | None:
    found = settings_from_objects([bundle], profile_label=profile_label)
    return next((each for each in found if each.ref.name == key.name), None)


def _profile(settings: Settings, measured: Measured) -> dict[str, Any]:
    profile = profile_of(settings.profile)
    if profile is None:
        return {}
    return {
        "profile": profile.value,
        "verdicts": [verdict_json(each) for each in judge(profile, settings, measured)],
    }


def measured_of(key: ModelKey, *, now: datetime) -> Measured:
    """What the model's own starts of a month and its requests tell. Three queries."""
    starts = of_model(key, since=now - STARTS_BACK, at_most=STARTS_AT_MOST).starts
    return measured_from(
        starts, by_hour=_by_hour(key, now=now), broken_answers=_broken(key, now=now)
    )


def _by_hour(key: ModelKey, *, now: datetime) -> list[float] | None:
    """Requests in each hour of a week, on average; None where less than a week was counted."""
    rows = RequestHour.objects.of(key).filter(hour__gte=now - REQUESTS_BACK, requests__gt=0)
    counted = list(rows.values_list("hour", "requests"))
    if not counted:
        return None
    first = min(hour for hour, _ in counted)
    days = (now - first).total_seconds() / 86_400
    if days < DAYS_ENOUGH:
        return None
    found = [0.0] * HOURS_OF_WEEK
    for hour, requests in counted:
        found[24 * hour.weekday() + hour.hour] += requests or 0
    return [round(count / (days / 7), 2) for count in found]


def _broken(key: ModelKey, *, now: datetime) -> int | None:
    """502 that queue-proxy made of a connection the server had closed; None = not counted."""
    rows = RequestHour.objects.of(key).filter(hour__gte=now - BROKEN_BACK)
    errors = [
        each for told, each in rows.values_list("told", "errors") if Hop.QUEUE_PROXY.value in told
    ]
    return sum(int(each.get(BROKEN, 0)) for each in errors) if errors else None

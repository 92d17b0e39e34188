"""What a cluster's objects do not tell of a model, put into its bundle: what was counted of its
requests, limits that are set for all models, how long its starts take. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from fleet.domain.records.durations import duration_s
from fleet.domain.requests.records import WINDOW_S, RequestWindow

LOOK_BACK = timedelta(minutes=30)
WINDOW = timedelta(seconds=WINDOW_S)
FAILED, ANSWERED = "pilotlight_requests_failed", "pilotlight_requests_answered"
QUEUED, ACTIVE = "pilotlight_request_queued", "pilotlight_request_active"
CLIENT_GONE, SLOWEST = "pilotlight_requests_client_gone", "pilotlight_request_p95_seconds"
# Of Knative's ConfigMaps: what a bundle's `config` calls it. Source: knative/serving
# config/core/configmaps.
LIMITS: tuple[tuple[str, str, str], ...] = (
    ("config-defaults", "revision-timeout-seconds", "revision_timeout_s"),
    ("config-defaults", "revision-response-start-timeout-seconds", "response_start_timeout_s"),
    ("config-defaults", "revision-idle-timeout-seconds", "revision_idle_timeout_s"),
    ("config-deployment", "progress-deadline", "progress_deadline_s"),
)

Sample = dict[str, Any]


def whole_bundle(
    collected: Mapping[str, Any],
    *,
    windows: Iterable[RequestWindow],
    start_p95_s: float | None,
) -> dict[str, Any]:
    """The bundle with `metrics` and `config` filled. start_p95_s: None = not known."""
    facts = dict(_limits(collected.get("configmaps")))
    if start_p95_s is not None:
        facts["observed_pod_start_s"] = round(start_p95_s, 1)
    return {
        **collected,
        "config": {**facts, **(collected.get("config") or {})},
        "metrics": samples(windows),
    }


def samples(windows: Iterable[RequestWindow]) -> list[Sample]:
    """Windows as samples: what is counted grows from 0, as a counter does."""
    found: list[Sample] = []
    totals: Counter[tuple[tuple[str, str], ...]] = Counter()
    for window in sorted(windows, key=lambda each: each.at):
        for name, labels, count in _counts(window):
            key = (("__name__", name), *sorted(labels.items()))
            if key not in totals:
                found.append(_sample(name, labels, 0, window.at))
            totals[key] += count
            found.append(_sample(name, labels, totals[key], window.at + WINDOW))
        found += _levels(window)
    return found


def _counts(window: RequestWindow) -> Iterator[tuple[str, dict[str, str], int]]:
    tally, of = window.tally, {"revision": window.revision} if window.revision else {}
    for (hop, code), count in sorted(tally.errors.items()):
        yield FAILED, {**of, "hop": hop.value, "code": str(code)}, count
    if tally.requests is not None and tally.requests > tally.lost:
        yield ANSWERED, {**of, "code": "2xx"}, tally.requests - tally.lost
    if tally.client_gone:
        yield CLIENT_GONE, of, tally.client_gone


def _levels(window: RequestWindow) -> Iterator[Sample]:
    tally, of = window.tally, {"revision": window.revision} if window.revision else {}
    levels = ((QUEUED, tally.queued), (ACTIVE, tally.in_flight), (SLOWEST, tally.p95_s))
    for name, value in levels:
        if value is not None:
            yield _sample(name, of, value, window.at + WINDOW)


def _sample(name: str, labels: Mapping[str, str], value: float, at: datetime) -> Sample:
    return {"name": name, "labels": dict(labels), "value": value, "t": at.isoformat()}


def _limits(configmaps: object) -> Iterator[tuple[str, float]]:
    """Those that a cluster's own settings say; what is not said is Knative's default, and no
    fact."""
    maps = configmaps if isinstance(configmaps, list) else []
    said = {each["metadata"]["name"]: each.get("data") or {} for each in maps}
    for name, key, fact in LIMITS:
        seconds = seconds_of(said.get(name, {}).get(key))
        if seconds is not None:
            yield fact, seconds


def seconds_of(text: object) -> float | None:
    """Seconds of "300", "600s" or "1h30m"; None for anything else."""
    if not isinstance(text, str):
        return None
    return float(text) if text.isdecimal() else duration_s(text)

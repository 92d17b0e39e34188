"""What a team wants of a model, against its settings and starts: popular advice, with what it
really does under KServe and Knative. The sentences are dashboard/profile_words.py."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from fleet.domain.lint.measured import NOTHING, Measured
from fleet.domain.lint.rules.limits import layers_of
from fleet.domain.lint.rules.rule import is_asleep_at_times
from fleet.domain.lint.rules.scaling import aimed_of, capacity_of
from fleet.domain.lint.settings import Settings
from fleet.domain.records.keys import Mode


class Profile(StrEnum):
    """As its label says it."""

    STABILITY_FIRST = "stability-first"
    COST_FIRST = "cost-first"
    SPIKY = "spiky"


class Expectation(StrEnum):
    """What a profile asks for."""

    MIN_ONE = "min-one"
    GENEROUS_STARTUP = "generous-startup"
    DEADLINE_COVERS_STARTUP = "deadline-covers-startup"
    MIN_ZERO = "min-zero"
    WARM_UPS = "warm-ups"
    TIMEOUT_COVERS_START = "timeout-covers-start"
    PREFETCH = "prefetch"
    HIGH_MAX = "high-max"
    LOW_TARGET = "low-target"
    LOCAL_CACHE = "local-cache"


class Met(StrEnum):
    MET = "met"
    NOT_MET = "not-met"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """params: what the sentence needs; `because` tells variants of one answer apart."""

    expectation: Expectation
    met: Met
    params: Mapping[str, object] = field(default_factory=dict)


Judged = tuple[Met, Mapping[str, object]]
Judge = Callable[[Settings, Measured], Judged]

# A probe that waits twice as long as starts take outlives a slow day.
GENEROUS = 2.0
# Room for a spike: three times what runs anyway.
HIGH = 3
# Half of what a server holds leaves the other half for what comes while a replica starts.
LOW = 0.5
FETCHED = frozenset({"storage-initializer", "app-download", "download"})
NEAR = frozenset({"local-cache", "modelcar", "oci-native", "baked"})


def profile_of(label: str) -> Profile | None:
    """None for a label that names none."""
    return next((each for each in Profile if each.value == label.strip().lower()), None)


def judge(
    profile: Profile, settings: Settings, measured: Measured = NOTHING
) -> tuple[Verdict, ...]:
    """Each of the profile's expectations, in the order in which they are told."""
    return tuple(
        Verdict(expectation=each, met=met, params=params)
        for each in PROFILES[profile]
        for met, params in [JUDGES[each](settings, measured)]
    )


def _said(holds: bool | None, **params: object) -> Judged:
    if holds is None:
        return Met.UNKNOWN, params
    return (Met.MET if holds else Met.NOT_MET), params


def _min_one(settings: Settings, _: Measured) -> Judged:
    least = _effective_min(settings)
    return _said(None if least is None else least >= 1, min=least, mode=settings.mode.value)


def _effective_min(settings: Settings) -> int | None:
    """An HPA has one replica at the least."""
    least = settings.scaling.min.value
    by_hpa = settings.mode is Mode.STANDARD and settings.scaling.class_.value == "hpa"
    return max(least, 1) if by_hpa and least is not None else least


def _generous(settings: Settings, measured: Measured) -> Judged:
    """Without a startup probe nothing waits; that nothing kills either is no generosity."""
    startup, load = settings.probes.startup, measured.load
    if startup.absent:
        return _said(False, because="absent")
    if startup.value is None:
        return _said(None, because="unread")
    budget_s = startup.value.budget_s
    if load is None:
        return _said(None, budget_s=budget_s)
    return _said(
        budget_s >= GENEROUS * load.reach_s, budget_s=budget_s, start_s=round(load.reach_s, 1)
    )


def _deadline(settings: Settings, _: Measured) -> Judged:
    startup, limit_s = settings.probes.startup, settings.limits.deadline_s.value
    if startup.absent:
        return _said(None, because="absent")
    if startup.value is None or limit_s is None:
        return _said(None, limit_s=limit_s)
    budget_s = startup.value.budget_s
    return _said(limit_s >= budget_s, limit_s=limit_s, budget_s=budget_s, mode=settings.mode.value)


def _min_zero(settings: Settings, _: Measured) -> Judged:
    """Asked for is not enough: an HPA makes 1 of it."""
    least = settings.scaling.min.value
    if least is None:
        return _said(None)
    if least == 0 and _effective_min(settings) != 0:
        return _said(False, because="hpa", min=1)
    held = is_asleep_at_times(settings)
    return _said(least == 0, because="held" if held else "not-held", min=least)


def _warm_ups(settings: Settings, _: Measured) -> Judged:
    every_s, until_s = settings.warm_ups.every_s.value, settings.scaling.until_sleep_s
    if every_s is None or until_s is None:
        return _said(None, until_s=until_s)
    return _said(every_s < until_s, every_s=every_s, until_s=until_s)


def _timeout(settings: Settings, measured: Measured) -> Judged:
    """The limits inside the cluster come before the load balancer's: a longer one out there alone
    helps nobody."""
    layers, total = layers_of(settings), measured.total
    if total is None or not layers:
        return _said(None)
    name, limit = min(layers.items(), key=lambda each: each[1].value or 0.0)
    params = {"layer": name, "limit_s": limit.value, "start_s": round(total.reach_s, 1)}
    if (limit.value or 0.0) <= total.reach_s:
        return _said(False, **params)
    return _said(True if "ingress" in layers else None, because="ingress-unknown", **params)


def _prefetch(settings: Settings, measured: Measured) -> Judged:
    source = measured.weights_from or settings.storage.weights_from
    share = measured.fetch_share
    params = {"source": source, "share_percent": None if share is None else round(100 * share)}
    return _said(source not in FETCHED if source else None, **params)


def _local_cache(settings: Settings, measured: Measured) -> Judged:
    """A claim may lie on the node or across the network."""
    source = measured.weights_from or settings.storage.weights_from
    holds = True if source in NEAR else False if source in FETCHED else None
    return _said(holds, source=source)


def _high_max(settings: Settings, measured: Measured) -> Judged:
    least, most = _effective_min(settings), settings.scaling.max.value
    start_s = measured.total.p50_s if measured.total else None
    params = {"max": most, "min": least, "start_s": start_s, "free": measured.free_gpus}
    if least is None or most is None:
        return _said(None, **params)
    unlimited = most == 0 and settings.mode is Mode.KNATIVE
    return _said(unlimited or most >= HIGH * max(least, 1), **params)


def _low_target(settings: Settings, measured: Measured) -> Judged:
    """What an HPA looks at by default, the CPU, says nothing of a server whose work is on a GPU."""
    if settings.mode is Mode.STANDARD and not settings.scaling.wants_scaling:
        return _said(False, because="cpu")
    aimed, capacity = aimed_of(settings), capacity_of(settings, measured)
    if aimed is None or capacity is None:
        return _said(None, aimed=aimed)
    return _said(aimed <= LOW * capacity, aimed=round(aimed, 1), capacity=capacity)


PROFILES: Mapping[Profile, tuple[Expectation, ...]] = {
    Profile.STABILITY_FIRST: (
        Expectation.MIN_ONE,
        Expectation.GENEROUS_STARTUP,
        Expectation.DEADLINE_COVERS_STARTUP,
    ),
    Profile.COST_FIRST: (
        Expectation.MIN_ZERO,
        Expectation.WARM_UPS,
        Expectation.TIMEOUT_COVERS_START,
        Expectation.PREFETCH,
    ),
    Profile.SPIKY: (
        Expectation.HIGH_MAX,
        Expectation.LOW_TARGET,
        Expectation.LOCAL_CACHE,
    ),
}
JUDGES: Mapping[Expectation, Judge] = {
    Expectation.MIN_ONE: _min_one,
    Expectation.GENEROUS_STARTUP: _generous,
    Expectation.DEADLINE_COVERS_STARTUP: _deadline,
    Expectation.MIN_ZERO: _min_zero,
    Expectation.WARM_UPS: _warm_ups,
    Expectation.TIMEOUT_COVERS_START: _timeout,
    Expectation.PREFETCH: _prefetch,
    Expectation.HIGH_MAX: _high_max,
    Expectation.LOW_TARGET: _low_target,
    Expectation.LOCAL_CACHE: _local_cache,
}

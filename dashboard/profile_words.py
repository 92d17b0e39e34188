"""What a team's profile asks of a model, in sentences, with what the advice really does; codes:
`fleet.domain.lint.profiles`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from dashboard.lint_words import values_of
from dashboard.words import Words
from fleet.domain.lint.profiles import Expectation, Met, Profile, Verdict

PROFILE_LABELS: Mapping[Profile, Words] = {
    Profile.STABILITY_FIRST: _("stability first"),
    Profile.COST_FIRST: _("cost first"),
    Profile.SPIKY: _("spiky"),
}
MET_LABELS: Mapping[Met, Words] = {
    Met.MET: _("met"),
    Met.NOT_MET: _("not met"),
    Met.UNKNOWN: _("not known"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """asks: the advice. truth: what it does, and does not, under KServe and Knative."""

    asks: Words
    truth: Words


@dataclass(frozen=True, slots=True)
class VerdictWords:
    """found: what stands here."""

    asks: str
    met: str
    found: str
    truth: str


ASKED: Mapping[Expectation, Asked] = {
    Expectation.MIN_ONE: Asked(
        _("At least one replica at all times"),
        _(
            "It avoids starts from zero, not those after a crash, a lost node or an update. In "
            "Knative mode a minimum raised in place is lost with the next revision."
        ),
    ),
    Expectation.GENEROUS_STARTUP: Asked(
        _("A startup probe that waits twice as long as loading takes"),
        _(
            "It keeps the kubelet from killing a server that loads. It does not lengthen the "
            "progress deadline, nor the time that a caller waits."
        ),
    ),
    Expectation.DEADLINE_COVERS_STARTUP: Asked(
        _("A progress deadline no shorter than the startup probe"),
        _(
            "Knative does not fit the one to the other: past the deadline a first rollout is given "
            "up, whatever the probe still allows. In Standard mode it is fixed at 10 minutes."
        ),
    ),
    Expectation.MIN_ZERO: Asked(
        _("No replica while nobody asks"),
        _(
            "In Knative mode the first request is held while the model starts. In Standard mode an "
            "HPA makes 1 of 0, and with KEDA a request at zero fails at once."
        ),
    ),
    Expectation.WARM_UPS: Asked(
        _("Warm-ups at fixed times"),
        _(
            "They help only if they come more often than the model falls asleep, which is after "
            "window and grace period; then it costs in these hours what a minimum of 1 costs."
        ),
    ),
    Expectation.TIMEOUT_COVERS_START: Asked(
        _("Time limits longer than a start"),
        _(
            "A longer limit at the load balancer alone does not help: Knative ends a request that "
            "has no first byte after 300 s by default. All limits on the way must be longer."
        ),
    ),
    Expectation.PREFETCH: Asked(
        _("Weights there before the start"),
        _(
            "It saves fetching, and nothing else: reading, compiling and capturing graphs remain. "
            "The first start on each volume or node still pays."
        ),
    ),
    Expectation.HIGH_MAX: Asked(
        _("A maximum of three times the minimum, or none"),
        _(
            "A further replica needs a free GPU and takes a whole start: a spike that is shorter "
            "is over before it helps."
        ),
    ),
    Expectation.LOW_TARGET: Asked(
        _("A target of half of what the server can hold"),
        _(
            "Replicas are added sooner, and more of them stand idle. The autoscaler averages over "
            "its window, or over a tenth of it while it panics."
        ),
    ),
    Expectation.LOCAL_CACHE: Asked(
        _("Weights on the node's own disk"),
        _(
            "Many replicas that start at once read from many disks instead of one store. It ties "
            "them to the nodes that have a copy."
        ),
    ),
}

FOUND: Mapping[tuple[Expectation, Met, str], Words] = {
    (Expectation.MIN_ONE, Met.MET, ""): _("The minimum is %(min)s."),
    (Expectation.MIN_ONE, Met.NOT_MET, ""): _("The minimum is %(min)s."),
    (Expectation.GENEROUS_STARTUP, Met.MET, ""): _(
        "It waits %(budget_s)s; loading may take %(start_s)s."
    ),
    (Expectation.GENEROUS_STARTUP, Met.NOT_MET, ""): _(
        "It waits %(budget_s)s; loading may take %(start_s)s."
    ),
    (Expectation.GENEROUS_STARTUP, Met.NOT_MET, "absent"): _("There is no startup probe."),
    (Expectation.GENEROUS_STARTUP, Met.UNKNOWN, ""): _(
        "It waits %(budget_s)s; how long loading takes is not measured."
    ),
    (Expectation.DEADLINE_COVERS_STARTUP, Met.MET, ""): _(
        "The deadline is %(limit_s)s, the probe waits %(budget_s)s."
    ),
    (Expectation.DEADLINE_COVERS_STARTUP, Met.NOT_MET, ""): _(
        "The deadline is %(limit_s)s, the probe waits %(budget_s)s."
    ),
    (Expectation.DEADLINE_COVERS_STARTUP, Met.UNKNOWN, "absent"): _("There is no startup probe."),
    (Expectation.MIN_ZERO, Met.MET, "held"): _("It sleeps, and its first caller is held."),
    (Expectation.MIN_ZERO, Met.MET, "not-held"): _("It sleeps, and nobody holds its first caller."),
    (Expectation.MIN_ZERO, Met.NOT_MET, "hpa"): _("0 is asked for, and an HPA makes 1 of it."),
    (Expectation.MIN_ZERO, Met.NOT_MET, "not-held"): _("The minimum is %(min)s."),
    (Expectation.WARM_UPS, Met.MET, ""): _(
        "Asked every %(every_s)s; it falls asleep after %(until_s)s."
    ),
    (Expectation.WARM_UPS, Met.NOT_MET, ""): _(
        "Asked every %(every_s)s, but it falls asleep after %(until_s)s: each warm-up pays for a "
        "whole start."
    ),
    (Expectation.WARM_UPS, Met.UNKNOWN, ""): _("No schedule that asks it was seen."),
    (Expectation.TIMEOUT_COVERS_START, Met.MET, "ingress-unknown"): _(
        "The first to give up is %(layer)s, after %(limit_s)s; a start may take %(start_s)s."
    ),
    (Expectation.TIMEOUT_COVERS_START, Met.NOT_MET, ""): _(
        "The first to give up is %(layer)s, after %(limit_s)s; a start may take %(start_s)s."
    ),
    (Expectation.TIMEOUT_COVERS_START, Met.UNKNOWN, "ingress-unknown"): _(
        "Inside the cluster the first to give up is %(layer)s, after %(limit_s)s, and a start may "
        "take %(start_s)s; the limit of a load balancer in front is not known."
    ),
    (Expectation.PREFETCH, Met.MET, ""): _("Weights come from: %(source)s."),
    (Expectation.PREFETCH, Met.NOT_MET, ""): _(
        "Weights are fetched at each start (%(source)s); share of a start in percent: "
        "%(share_percent)s."
    ),
    (Expectation.HIGH_MAX, Met.MET, ""): _(
        "Maximum %(max)s (0: no limit), minimum %(min)s; a start takes %(start_s)s in the middle."
    ),
    (Expectation.HIGH_MAX, Met.NOT_MET, ""): _("Maximum %(max)s, minimum %(min)s."),
    (Expectation.LOW_TARGET, Met.MET, ""): _(
        "Another replica comes at %(aimed)s requests in flight; the server holds %(capacity)s."
    ),
    (Expectation.LOW_TARGET, Met.NOT_MET, ""): _(
        "Another replica comes at %(aimed)s requests in flight; the server holds %(capacity)s."
    ),
    (Expectation.LOW_TARGET, Met.NOT_MET, "cpu"): _(
        "Replicas are added by CPU load, which says nothing of a server that works on a GPU."
    ),
    (Expectation.LOCAL_CACHE, Met.MET, ""): _("Weights come from: %(source)s."),
    (Expectation.LOCAL_CACHE, Met.NOT_MET, ""): _(
        "Weights are fetched at each start (%(source)s)."
    ),
}
NOT_KNOWN = _("What was read does not tell.")


def verdict_words(verdict: Verdict) -> VerdictWords:
    """The sentences of one verdict."""
    asked = ASKED[verdict.expectation]
    because = str(verdict.params.get("because") or "")
    found = FOUND.get((verdict.expectation, verdict.met, because), NOT_KNOWN)
    return VerdictWords(
        asks=str(asked.asks),
        met=str(MET_LABELS[verdict.met]),
        found=str(found) % values_of(verdict.params),
        truth=str(asked.truth),
    )

"""The rules, and lint: what they say of one model."""

from collections.abc import Sequence

from fleet.domain.lint.measured import NOTHING, Measured
from fleet.domain.lint.records import LintFinding, Severity
from fleet.domain.lint.rules import limits, probes, rollouts, scaling, sleeping, storage
from fleet.domain.lint.rules.rule import Found, Rule
from fleet.domain.lint.settings import Settings

WORST_FIRST = tuple(Severity)

# A code is never used again for something else. Each has its page, docs/rules/CODE.md.
RULES: Sequence[Rule] = (
    Rule("PL001", "progress-deadline-short", limits.progress_deadline),
    Rule("PL002", "startup-budget-short", probes.startup_budget),
    Rule("PL003", "timeout-shorter-than-start", limits.timeout),
    Rule("PL004", "liveness-without-startup-probe", probes.liveness_alone),
    Rule("PL005", "port-as-readiness", probes.port_as_readiness),
    Rule("PL006", "models-probe-with-api-key", probes.models_with_key),
    Rule("PL007", "ten-minute-default", limits.ten_minutes),
    Rule("PL008", "scale-annotation-inert", scaling.inert_annotation),
    Rule("PL009", "standard-min-zero", scaling.standard_zero),
    Rule("PL010", "zero-without-activator", sleeping.without_activator),
    Rule("PL011", "concurrency-limit-low", scaling.concurrency_low),
    Rule("PL012", "target-above-capacity", scaling.target_high),
    Rule("PL013", "no-model-cache", storage.no_model_cache),
    Rule("PL014", "compile-cache-lost", storage.compile_cache),
    Rule("PL015", "app-downloads-at-start", storage.app_downloads),
    Rule("PL016", "surge-needs-gpu", rollouts.surge),
    Rule("PL017", "zero-in-business-hours", sleeping.business_hours),
    Rule("PL018", "warm-up-too-rare", sleeping.warm_up_rare),
    Rule("PL019", "raise-refused", scaling.raise_refused),
    Rule("PL020", "stop-not-removed", rollouts.stop_false),
    Rule("PL021", "request-metrics-off", limits.metrics_off),
    Rule("PL022", "asked-too-rarely", probes.slow_look),
    Rule("PL023", "keep-alive-short", limits.keep_alive),
    Rule("PL024", "shared-memory-small", storage.shared_memory),
    Rule("PL025", "floating-image-tag", rollouts.floating_tag),
    Rule("PL026", "impatient-probe", probes.impatient),
    Rule("PL027", "timeout-above-cluster-limit", limits.above_most),
    Rule("PL028", "route-cuts-answers", limits.route_cuts),
    Rule("PL029", "pinned-by-missing-max", scaling.pinned),
    Rule("PL030", "changes-frozen", rollouts.frozen),
    Rule("PL031", "no-drain", rollouts.no_drain),
)


def lint(settings: Settings, measured: Measured = NOTHING) -> tuple[LintFinding, ...]:
    """What stands against these settings, worst first, then by code."""
    found = [
        _finding(rule, each, settings)
        for rule in RULES
        if (each := rule.check(settings, measured)) is not None
    ]
    return tuple(sorted(found, key=lambda each: (WORST_FIRST.index(each.severity), each.code)))


def _finding(rule: Rule, found: Found, settings: Settings) -> LintFinding:
    return LintFinding(
        code=rule.code,
        slug=rule.slug,
        severity=found.severity,
        object_ref=found.object_ref or str(settings.ref),
        field=found.field,
        params=found.params,
        measured=found.measured,
        patch=found.patch,
        effect=found.effect,
        extra_gpus=found.extra_gpus,
    )

"""Probes against how long this model's server takes to load."""

import math
from typing import Any

from fleet.domain.lint import patches
from fleet.domain.lint.given import Given, Probe
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.records import Severity
from fleet.domain.lint.rules.rule import Found, figures, retemplated
from fleet.domain.lint.settings import Settings

# Source: vllm docs k8s.md; measured starts and stalls of others (docs/rules/PL002.md, PL026.md).
PERIOD_S = 10
LEAST_FAILURES = 60
READINESS = {"periodSeconds": 5, "timeoutSeconds": 5, "failureThreshold": 3}
PATIENT_S = 5
NEAR = 0.8
# A look this rare costs seconds of each start.
RARE_S = 15.0
LATE_FIRST_LOOK_S = 20.0
OFTEN_S = 5
WORTH_S = 5.0
# Fewer missed answers than these end a server that only stalls.
FEW_FAILURES = 5


def startup_budget(settings: Settings, measured: Measured) -> Found | None:
    """The kubelet kills the server while it loads."""
    startup, load = settings.probes.startup.value, measured.load
    if startup is None or load is None or load.reach_s <= NEAR * startup.budget_s:
        return None
    failures = math.ceil(2 * load.reach_s / startup.period_s)
    return retemplated(
        settings,
        Severity.ERROR if load.reach_s > startup.budget_s else Severity.WARNING,
        field="startupProbe.failureThreshold",
        params={
            "budget_s": startup.budget_s,
            "start_s": round(load.reach_s, 1),
            "failures": failures,
        },
        measured=figures(load),
        patch=patches.container(settings, {"startupProbe": {"failureThreshold": failures}}),
    )


def liveness_alone(settings: Settings, measured: Measured) -> Found | None:
    """Nothing keeps the liveness probe from a server that still loads."""
    liveness, load = settings.probes.liveness.value, measured.load
    if liveness is None or not settings.probes.startup.absent:
        return None
    reach_s = load.reach_s if load else None
    seconds = max(2 * (reach_s or 0.0), float(PERIOD_S * LEAST_FAILURES))
    startup = {
        **_action(settings, liveness),
        "periodSeconds": PERIOD_S,
        "failureThreshold": math.ceil(seconds / PERIOD_S),
        "timeoutSeconds": PATIENT_S,
    }
    known = liveness.how in ("http", "tcp")
    return retemplated(
        settings,
        _of_liveness(liveness.budget_s, reach_s),
        field="startupProbe",
        params={"budget_s": liveness.budget_s, "start_s": reach_s and round(reach_s, 1)},
        measured=figures(load) if load else {},
        patch=patches.container(settings, {"startupProbe": startup}) if known else "",
    )


def _of_liveness(budget_s: float, reach_s: float | None) -> Severity:
    if reach_s is None:
        return Severity.WARNING
    if reach_s > budget_s:
        return Severity.ERROR
    return Severity.WARNING if 2 * reach_s > budget_s else Severity.ADVICE


def port_as_readiness(settings: Settings, _: Measured) -> Found | None:
    """An open port says nothing of the engine behind it."""
    readiness = settings.probes.readiness
    by_port = readiness.absent or (readiness.value is not None and readiness.value.how == "tcp")
    if not by_port or not settings.server.engine:
        return None
    written = "readinessProbe" in settings.server.place.has
    health = _health(settings)
    probe = {"httpGet": health, **READINESS}
    if written:
        probe = {"tcpSocket": None, **probe}
    return retemplated(
        settings,
        Severity.WARNING,
        field="readinessProbe",
        params={"declared": readiness.value is not None, "path": health["path"]},
        # What a runtime declares stays beside what the model adds.
        patch=patches.container(settings, {"readinessProbe": probe})
        if written or readiness.absent
        else "",
    )


def _health(settings: Settings) -> dict[str, Any]:
    """KServe's own server has no /health; its path of one model asks the engine."""
    path = "/health" if settings.server.plain else f"/v1/models/{settings.server.served}"
    return {"path": path, "port": patches.port_of(settings)}


def models_with_key(settings: Settings, _: Measured) -> Found | None:
    """The kubelet has no key, so that vLLM answers it 401. /health asks for none."""
    if not (settings.server.plain and settings.server.api_key):
        return None
    refused = {
        name: probe
        for name, given in _named(settings).items()
        if (probe := given.value) is not None and _needs_key(probe)
    }
    if not refused:
        return None
    action = {"httpGet": {"path": "/health", "port": patches.port_of(settings)}}
    return retemplated(
        settings,
        Severity.ERROR,
        field=", ".join(refused),
        params={"probes": list(refused), "path": next(iter(refused.values())).path},
        patch=patches.container(settings, dict.fromkeys(refused, action)),
    )


def _named(settings: Settings) -> dict[str, Given[Probe]]:
    probes = settings.probes
    return {
        "startupProbe": probes.startup,
        "readinessProbe": probes.readiness,
        "livenessProbe": probes.liveness,
    }


def _needs_key(probe: Probe) -> bool:
    """Source: vllm serve/middleware/authenticate.py: /v1 in all versions."""
    guarded = probe.path == "/v1" or probe.path.startswith("/v1/")
    return probe.how == "http" and guarded and not probe.authorised


def slow_look(settings: Settings, measured: Measured) -> Found | None:
    """The server is up, and nobody has looked yet."""
    startup, lag = settings.probes.startup.value, measured.lag
    if startup is None or lag is None or lag.p50_s is None or lag.p50_s < WORTH_S:
        return None
    if startup.period_s < RARE_S and startup.initial_delay_s < LATE_FIRST_LOOK_S:
        return None
    failures = math.ceil(startup.budget_s / OFTEN_S)
    # A delay of 0 would not be written over a runtime's own.
    wanted = {"initialDelaySeconds": 1, "periodSeconds": OFTEN_S, "failureThreshold": failures}
    return retemplated(
        settings,
        Severity.ADVICE,
        field="startupProbe.periodSeconds",
        params={
            "period_s": startup.period_s,
            "delay_s": startup.initial_delay_s,
            "wanted_s": OFTEN_S,
            "lag_s": round(lag.p50_s, 1),
        },
        measured={"p50_s": round(lag.p50_s, 1), "n": lag.n},
        patch=patches.container(settings, {"startupProbe": wanted}),
    )


def impatient(settings: Settings, _: Measured) -> Found | None:
    """One long step of the engine looks like death to a probe that waits a second."""
    liveness, readiness = settings.probes.liveness.value, settings.probes.readiness.value
    if liveness and liveness.timeout_s <= 1 and liveness.failures <= FEW_FAILURES:
        return _more_patience(settings, "livenessProbe", liveness, Severity.WARNING)
    quick = readiness and readiness.timeout_s <= 1 and readiness.period_s * readiness.failures <= 5
    if readiness and quick:
        return _more_patience(settings, "readinessProbe", readiness, Severity.ADVICE)
    return None


def _more_patience(settings: Settings, name: str, probe: Probe, severity: Severity) -> Found:
    kills = name == "livenessProbe"
    wanted = (
        {"periodSeconds": 15, "timeoutSeconds": 10, "failureThreshold": 8} if kills else READINESS
    )
    return retemplated(
        settings,
        severity,
        field=f"{name}.timeoutSeconds",
        params={
            "probe": name,
            "timeout_s": probe.timeout_s,
            "within_s": probe.period_s * probe.failures,
            "wanted_s": wanted["timeoutSeconds"],
        },
        patch=patches.container(settings, {name: wanted}),
    )


def _action(settings: Settings, probe: Probe) -> dict[str, Any]:
    """What the probe asks; of vLLM's own server the path that needs no key."""
    if settings.server.plain and probe.how == "http":
        return {"httpGet": _health(settings)}
    port = int(probe.port) if probe.port.isdecimal() else probe.port or patches.port_of(settings)
    if probe.how == "tcp":
        return {"tcpSocket": {"port": port}}
    return {"httpGet": {"path": probe.path, "port": port}} if probe.how == "http" else {}

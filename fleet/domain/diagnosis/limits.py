"""Limits of time in the path of a request: who has which, and who cut a request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fleet.domain.diagnosis.evidence import Evidence
from fleet.domain.diagnosis.reading.plain import number, within
from fleet.domain.records.durations import duration_s

# A request that a limit ends is as long as the limit, give or take what clocks and hops add.
_SLACK = 0.03
_SLACK_S = 1.5
_LONGEST_S = 24 * 3600.0
# Nobody's limit on a request.
_NO_REQUEST = (
    "progress",
    "startup",
    "probe",
    "drain",
    "shutdown",
    "grace",
    "keepalive",
    "cooldown",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """layer: client, ingress, gateway, revision, …, as the key says. ref: where it stands."""

    layer: str
    seconds: float
    ref: str

    @property
    def is_revisions(self) -> bool:
        """Whether Knative holds it: timeoutSeconds, responseStartTimeoutSeconds, …"""
        return self.layer.startswith(("revision", "response_start", "predictor", "queue_proxy"))

    def ends(self, seconds: float) -> bool:
        """Whether a request of this length was ended by it."""
        return abs(seconds - self.seconds) <= max(_SLACK_S, _SLACK * self.seconds)


def limits_of(evidence: Evidence) -> tuple[Limit, ...]:
    """All that are known, the shortest first."""
    found = [*_of_config(evidence.config), *_of_revision(evidence)]
    unique = {(each.layer, each.seconds): each for each in found}
    return tuple(sorted(unique.values(), key=lambda each: each.seconds))


def _of_config(config: Mapping[str, Any]) -> Iterator[Limit]:
    for key, value in config.items():
        low = key.lower()
        if "timeout" not in low or any(word in low for word in _NO_REQUEST):
            continue
        seconds = seconds_of(value)
        if seconds is not None and low.endswith("_ms"):
            seconds /= 1000
        if seconds is not None and 0 < seconds <= _LONGEST_S:
            yield Limit(layer=low.split("_timeout")[0], seconds=seconds, ref=f"config/{key}")


def _of_revision(evidence: Evidence) -> Iterator[Limit]:
    spec, ref = evidence.revision.spec, evidence.revision.ref
    for key, layer in (
        ("timeoutSeconds", "revision"),
        ("responseStartTimeoutSeconds", "response_start"),
        ("idleTimeoutSeconds", "revision_idle"),
    ):
        seconds = number(spec.get(key))
        if seconds is not None and 0 < seconds <= _LONGEST_S:
            yield Limit(layer=layer, seconds=seconds, ref=ref)
    own = number(within(evidence.model.spec, "predictor").get("timeout"))
    if own is not None and 0 < own <= _LONGEST_S:
        yield Limit(layer="predictor", seconds=own, ref=evidence.model.ref)


def seconds_of(value: Any) -> float | None:
    """Seconds of a number or of a text such as 60, "60s", "1h30m", "500ms"; None if it is none."""
    plain = number(value)
    if plain is not None:
        return plain
    return duration_s(value.replace(" ", "")) if isinstance(value, str) else None

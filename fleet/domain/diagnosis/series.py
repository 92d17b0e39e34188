"""Samples by meaning: names differ by product and era, what they count does not."""

import re
from collections.abc import Iterable, Mapping

from fleet.domain.diagnosis.evidence import Sample

_STATUS_LABELS = (
    "response_code",
    "http_response_status_code",
    "envoy_response_code",
    "status_code",
    "status",
    "code",
    "response_code_class",
    "envoy_response_code_class",
    "error_code",
)
_FAILED = re.compile(r"^(?:5(?:\d\d|xx)?|0|408|460|499)$")
_OF_OBJECTS = ("kube_", "container_", "node_", "DCGM_", "up", "process_")
_NAMED_ERRORS = re.compile(
    r"(?:HTTPCode_(?:ELB|Target)_5|_request_error_total|_5xx|rq_5xx|rejections_total"
    r"|upstream_rq_timeout|upstream_cx_none_healthy|pending_overflow|rq_pending_failure_eject)"
)


def status_of(sample: Sample) -> str:
    """The status that a sample counts, "" if it counts none; codes or classes."""
    return next((sample.labels[key] for key in _STATUS_LABELS if sample.labels.get(key)), "")


def counts_requests(sample: Sample) -> bool:
    """Whether it is about requests rather than about objects or machines."""
    return not sample.name.startswith(_OF_OBJECTS)


def counts_failures(sample: Sample) -> bool:
    """Whether it counts requests that failed, and there were some."""
    if sample.value <= 0 or not counts_requests(sample):
        return False
    status = status_of(sample).lower()
    return bool(_FAILED.match(status)) or bool(_NAMED_ERRORS.search(sample.name))


def failing(samples: Iterable[Sample]) -> tuple[Sample, ...]:
    """Those that count failures; callers that left count where nobody was answered."""
    kept = [each for each in samples if counts_failures(each)]
    if any(counts_successes(each) for each in samples):
        kept = [each for each in kept if each.labels.get("response_flags") != "DC"]
    return tuple(kept)


def counts_successes(sample: Sample) -> bool:
    """Whether it counts requests that were answered well, and there were some."""
    status = status_of(sample).lower()
    return sample.value > 0 and counts_requests(sample) and status.startswith("2")


class Series:
    """The samples of a bundle, by name."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._by_name: dict[str, list[Sample]] = {}
        for each in samples:
            self._by_name.setdefault(each.name.lower().replace("vllm_", "vllm:"), []).append(each)

    def all(self, *names: str) -> list[Sample]:
        """Samples of series whose names hold one of these, in time's order."""
        found = [
            each
            for name, samples in self._by_name.items()
            if any(part in name for part in names)
            for each in samples
        ]
        return sorted(found, key=_when)

    def latest(self, *names: str) -> list[Sample]:
        """Of each series its last sample."""
        last: dict[tuple[str, tuple[tuple[str, str], ...]], Sample] = {}
        for each in self.all(*names):
            last[(each.name, _key(each.labels))] = each
        return list(last.values())

    def most(self, *names: str) -> Sample | None:
        """The highest of the last samples, None if there are none."""
        return max(self.latest(*names), key=lambda each: each.value, default=None)

    def total(self, *names: str) -> float | None:
        """The sum of the last samples, None if there are none."""
        found = self.latest(*names)
        return sum(each.value for each in found) if found else None

    def changes(self, *names: str) -> list[tuple[Sample, Sample]]:
        """Of each series with two moments or more, its first and its last sample."""
        by_series: dict[tuple[str, tuple[tuple[str, str], ...]], list[Sample]] = {}
        for each in self.all(*names):
            by_series.setdefault((each.name, _key(each.labels)), []).append(each)
        return [
            (found[0], found[-1])
            for found in by_series.values()
            if len(found) > 1 and found[0].at != found[-1].at
        ]


def seconds_between(pair: tuple[Sample, Sample]) -> float:
    """Between two samples, 0 if a time is not told."""
    first, last = pair
    if first.at is None or last.at is None:
        return 0.0
    return max((last.at - first.at).total_seconds(), 0.0)


def rate(pair: tuple[Sample, Sample]) -> float | None:
    """Per second between two samples, None without a span of time."""
    seconds = seconds_between(pair)
    return (pair[1].value - pair[0].value) / seconds if seconds > 0 else None


def _key(labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(labels.items()))


def _when(sample: Sample) -> float:
    return sample.at.timestamp() if sample.at is not None else 0.0

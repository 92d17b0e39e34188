"""One bundle, as `diagnose` reads it and as a live model is put together, to `Evidence`.

`evidence_from_bundle` takes any mapping: keys may be missing or of the wrong type, objects may be
what `kubectl get -o json` prints (one object, or a List), events may be ten thousand. What cannot
be read is left out. Sizes are bounded: 200 pods, 2,000 events (the latest, after the same was
joined), 600 lines a log, 5,000 samples, 4,000 characters a text.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from fleet.domain.diagnosis.evidence import (
    NO_TIME,
    EventSeen,
    Evidence,
    LogLine,
    ModelKind,
    Pod,
    Sample,
    Thing,
)
from fleet.domain.diagnosis.reading.events import event, merged
from fleet.domain.diagnosis.reading.logs import log_lines
from fleet.domain.diagnosis.reading.objects import thing
from fleet.domain.diagnosis.reading.plain import entries, mapping, moment, name, number, pairs
from fleet.domain.diagnosis.reading.pods import pod

PODS_AT_MOST = 200
EVENTS_READ_AT_MOST = 20_000
EVENTS_AT_MOST = 2_000
SAMPLES_AT_MOST = 5_000
CONFIG_AT_MOST = 200
_A_DAY = timedelta(days=1)


def evidence_from_bundle(bundle: Mapping[str, Any]) -> Evidence:
    """The evidence of a bundle; of an object that holds one under `evidence`, of that one."""
    seen = mapping(bundle)
    if isinstance(seen.get("evidence"), Mapping):
        seen = seen["evidence"]
    model = thing(
        mapping(seen.get("inferenceservice")) or seen.get("llminferenceservice"),
        kind=_kind_of(seen),
    )
    pods = tuple(pod(each) for each in entries(seen.get("pods"), at_most=PODS_AT_MOST))
    events = _events(seen.get("events"))
    samples = tuple(_samples(seen.get("metrics")))
    config = _config(seen.get("config"))
    things = [thing(seen.get(each.lower()), kind=each) for each in _OTHERS]
    told = moment(config.get("observed_at"))
    at = told or _newest((model, *things), pods, events, samples)
    lines = tuple(log_lines(seen.get("logs"), near=at))
    return Evidence(
        kind=_model_kind(model),
        model=model,
        revision=things[0],
        autoscaler=things[1],
        deployment=things[2],
        pods=pods,
        events=events,
        lines=lines,
        samples=samples,
        config=config,
        observed_at=told or _later(at, _last_line(lines)) or NO_TIME,
        moment_told=told is not None,
    )


_OTHERS = ("Revision", "PodAutoscaler", "Deployment")


def _kind_of(seen: Mapping[str, Any]) -> str:
    alone = not mapping(seen.get("inferenceservice"))
    return str(ModelKind.LLM if alone else ModelKind.ISVC)


def _model_kind(model: Thing) -> ModelKind:
    known = {ModelKind.ISVC.value: ModelKind.ISVC, ModelKind.LLM.value: ModelKind.LLM}
    return known.get(model.kind, ModelKind.ISVC if model.name else ModelKind.PLAIN)


def _events(raw: Any) -> tuple[EventSeen, ...]:
    """Joined, in the order given; of too many the latest."""
    found = merged(event(each) for each in entries(raw, at_most=EVENTS_READ_AT_MOST))
    if len(found) <= EVENTS_AT_MOST:
        return found
    return tuple(sorted(found, key=lambda each: each.last_at or NO_TIME)[-EVENTS_AT_MOST:])


def _samples(raw: Any) -> Iterator[Sample]:
    for each in entries(raw, at_most=SAMPLES_AT_MOST):
        value = number(each.get("value"))
        called = name(each.get("name"))
        if value is not None and called:
            yield Sample(
                name=called, value=value, labels=pairs(each.get("labels")), at=moment(each.get("t"))
            )


def _config(raw: Any) -> dict[str, Any]:
    seen = mapping(raw)
    return {name(key): seen[key] for key in list(seen)[:CONFIG_AT_MOST]}


def _newest(
    things: tuple[Thing, ...],
    pods: tuple[Pod, ...],
    events: tuple[EventSeen, ...],
    samples: tuple[Sample, ...],
) -> datetime | None:
    """The newest time that anything tells."""
    times: list[datetime | None] = [each.last_at for each in events]
    times += [each.at for each in samples]
    for seen in things:
        times += [seen.created_at, *(each.at for each in seen.conditions)]
    for one in pods:
        times += [one.created_at, *(each.at for each in one.conditions)]
    for each in (container for one in pods for container in one.containers):
        ending = each.latest_ending
        times += [each.running_since, ending.finished_at if ending else None]
    return max((each for each in times if each is not None), default=None)


def _later(at: datetime | None, line: datetime | None) -> datetime | None:
    """The later one; a line of another day tells rather of another clock."""
    if at is None or line is None:
        return at or line
    return line if timedelta(0) < line - at < _A_DAY else at


def _last_line(lines: tuple[LogLine, ...]) -> datetime | None:
    return max((each.at for each in lines if each.at is not None), default=None)

"""Everything that is said in words: events, conditions, states, log lines; each with its place."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from fleet.domain.diagnosis.evidence import (
    Condition,
    Container,
    Ending,
    Evidence,
    LogLine,
    Pod,
    Thing,
)
from fleet.domain.diagnosis.places import Where, place_of
from fleet.domain.diagnosis.podview import SIDECARS, init_containers, model_container
from fleet.domain.diagnosis.reading.objects import conditions
from fleet.domain.diagnosis.reading.plain import text as text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Something said. low: in lower case. pod, container: whom it is about, "" if not told.

    reason: of the event, the condition or the state. init: it is about a container that runs
    before the model's. count: how often. number: of the line.
    """

    text: str
    low: str
    where: Where
    kind: str
    ref: str
    at: datetime | None = None
    first_at: datetime | None = None
    pod: str = ""
    about: str = ""
    container: str = ""
    reason: str = ""
    init: bool = False
    previous: bool = False
    count: int = 1
    number: int = 0


# Shorter ones are names and times.
_A_SENTENCE = 24
# Conditions whose True is the trouble. Source: kubernetes Deployment, KEDA, kstatus.
_BAD_IF_TRUE = frozenset({"ReplicaFailure", "Fallback", "Stalled", "Degraded"})


def texts_of(evidence: Evidence, pods: tuple[Pod, ...]) -> Iterator[Text]:
    """All of them, objects first. pods: the model's own; others are still quoted."""
    yield from _of_events(evidence)
    for thing in (evidence.model, evidence.revision, evidence.autoscaler, evidence.deployment):
        yield from _of_thing(thing)
    yield from _of_model_status(evidence.model)
    yield from _of_config(evidence)
    for pod in evidence.pods:
        yield from _of_pod(pod)
    engines = frozenset(each.name for pod in pods if (each := model_container(pod)) is not None)
    inits = frozenset(each.name for pod in pods for each in init_containers(pod))
    places: dict[str, Where] = {}
    for line in evidence.lines:
        if line.container not in places:
            places[line.container] = place_of(line.container, engines=engines, inits=inits)
        yield _of_line(line, places[line.container])


def _of_events(evidence: Evidence) -> Iterator[Text]:
    inits = {each.name for pod in evidence.pods for each in init_containers(pod)}
    for each in evidence.events:
        yield Text(
            text=each.message,
            low=f"{each.reason}: {each.message}".lower(),
            where=Where.EVENT,
            kind="event",
            ref=each.ref,
            at=each.last_at,
            first_at=each.first_at,
            pod=each.name if each.kind == "Pod" else "",
            about=f"{each.kind}/{each.name}",
            container=each.container,
            reason=each.reason,
            init=each.container in inits or "initializer" in each.container,
            count=each.count,
        )


def _of_thing(thing: Thing) -> Iterator[Text]:
    """Conditions that are not as they should be; one that is fine says nothing."""
    for each in thing.conditions:
        well = "False" if each.type in _BAD_IF_TRUE else "True"
        if each.status != well and (each.reason or each.message):
            yield _of_condition(each, ref=thing.ref, pod="")


def _of_config(evidence: Evidence) -> Iterator[Text]:
    """Words among the collected facts, and conditions of objects that a bundle has no place for."""
    for key, value in evidence.config.items():
        ref = f"config/{key}"
        for each in conditions({"conditions": value}) if isinstance(value, list) else ():
            if each.type and each.status != "True" and (each.reason or each.message):
                yield _of_condition(each, ref=ref, pod="")
        if isinstance(value, str) and len(value) > _A_SENTENCE:
            yield _of_condition(
                Condition(type=key, status="", message=text_of(value)), ref=ref, pod=""
            )


def _of_condition(condition: Condition, *, ref: str, pod: str) -> Text:
    return Text(
        text=condition.message or condition.reason,
        low=f"{condition.reason}: {condition.message}".lower(),
        where=Where.CONDITION,
        kind="object",
        ref=ref,
        at=condition.at,
        pod=pod,
        about=condition.type,
        reason=condition.reason,
    )


def _of_model_status(model: Thing) -> Iterator[Text]:
    """What KServe copied of a failed load; it is never cleared, so a loaded model says nothing."""
    status = model.status.get("modelStatus")
    if not isinstance(status, dict) or status.get("transitionStatus") == "UpToDate":
        return
    failure = status.get("lastFailureInfo")
    if not isinstance(failure, dict):
        return
    message = str(failure.get("message") or "")[:4000]
    reason = str(failure.get("reason") or "")[:100]
    yield Text(
        text=message or reason,
        low=f"{reason}: {message}".lower(),
        where=Where.STATE,
        kind="object",
        ref=model.ref,
        about="modelStatus",
        reason=reason,
    )


def _of_pod(pod: Pod) -> Iterator[Text]:
    for each in pod.conditions:
        told = each.status != "True" or each.type == "DisruptionTarget"
        if told and each.message:
            yield _of_condition(each, ref=pod.ref, pod=pod.name)
    if pod.message or pod.reason:
        yield _state(pod, None, pod.reason, pod.message or pod.reason, None)
    for container in pod.containers:
        if container.waiting:
            yield _state(
                pod, container, container.waiting, container.waiting_says or container.waiting, None
            )
        for ending in (container.ended, container.last):
            if ending is not None:
                yield _ending(pod, container, ending)


def _ending(pod: Pod, container: Container, ending: Ending) -> Text:
    says = f"exit code {ending.exit_code}, {ending.reason}: {ending.message}".strip(": ")
    return _state(pod, container, ending.reason, says, ending.finished_at)


def _state(
    pod: Pod, container: Container | None, reason: str, says: str, at: datetime | None
) -> Text:
    name = container.name if container is not None else ""
    return Text(
        text=says,
        low=says.lower(),
        where=Where.STATE,
        kind="object",
        ref=f"{pod.ref}/{name}" if name else pod.ref,
        at=at,
        pod=pod.name,
        about="Pod",
        container=name,
        reason=reason,
        init=container is not None and container.init and name not in SIDECARS,
    )


def _of_line(line: LogLine, where: Where) -> Text:
    return Text(
        text=line.text,
        low=line.text.lower(),
        where=where,
        kind="log",
        ref=line.ref,
        at=line.at,
        container=line.container,
        init=where is Where.INIT,
        previous=line.previous,
        number=line.number,
    )

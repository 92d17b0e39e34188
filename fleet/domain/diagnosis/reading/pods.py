"""Pods: spec and status of each container joined by name."""

from collections.abc import Mapping
from typing import Any

from fleet.domain.diagnosis.evidence import Container, Ending, Pod, Probe
from fleet.domain.diagnosis.podview import SIDECARS
from fleet.domain.diagnosis.reading.objects import conditions
from fleet.domain.diagnosis.reading.plain import (
    entries,
    mapping,
    moment,
    name,
    number,
    pairs,
    text,
    texts,
    whole,
    within,
)

CONTAINERS_AT_MOST = 30
_PROBE_KINDS = ("httpGet", "tcpSocket", "grpc", "exec")


def pod(raw: Mapping[str, Any]) -> Pod:
    """One pod as the API returns it, cut down or not."""
    meta, spec, status = within(raw, "metadata"), within(raw, "spec"), within(raw, "status")
    owners = meta.get("ownerReferences")
    return Pod(
        name=name(meta.get("name")),
        namespace=name(meta.get("namespace")),
        labels=pairs(meta.get("labels")),
        annotations=pairs(meta.get("annotations")),
        owner=name(next(entries(owners, at_most=1), {}).get("name")),
        created_at=moment(meta.get("creationTimestamp")),
        deleted_at=moment(meta.get("deletionTimestamp")),
        node=name(spec.get("nodeName")),
        ip=name(status.get("podIP")),
        phase=name(status.get("phase")),
        reason=name(status.get("reason")),
        message=text(status.get("message")),
        grace_s=number(spec.get("terminationGracePeriodSeconds")),
        selector=pairs(spec.get("nodeSelector")),
        claims=_claims(spec),
        conditions=conditions(status),
        containers=(*_containers(spec, status, init=True), *_containers(spec, status, init=False)),
    )


def _claims(spec: Mapping[str, Any]) -> tuple[str, ...]:
    volumes = entries(spec.get("volumes"))
    claims = (within(each, "persistentVolumeClaim").get("claimName") for each in volumes)
    return tuple(name(each) for each in claims if each)


def _containers(
    spec: Mapping[str, Any], status: Mapping[str, Any], *, init: bool
) -> list[Container]:
    """In the order of the spec; what only the status knows comes after."""
    specs = _by_name(spec.get("initContainers" if init else "containers"))
    states = _by_name(status.get("initContainerStatuses" if init else "containerStatuses"))
    specs = _joined(specs, states)
    names = list(dict.fromkeys((*specs, *states)))[:CONTAINERS_AT_MOST]
    return [_container(each, specs.get(each), states.get(each), init=init) for each in names]


def _joined(
    specs: dict[str, Mapping[str, Any]], states: dict[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """The one container without a status and the one status without a container are the same:
    somebody renamed one of them."""
    alone = [each for each in specs if each not in states]
    nameless = [each for each in states if each not in specs]
    if len(alone) != 1 or len(nameless) != 1 or alone[0] in SIDECARS or nameless[0] in SIDECARS:
        return specs
    return {nameless[0] if each == alone[0] else each: specs[each] for each in specs}


def _by_name(raw: Any) -> dict[str, Mapping[str, Any]]:
    if not isinstance(raw, list):
        return {}
    return {name(each.get("name")): each for each in entries(raw, at_most=CONTAINERS_AT_MOST)}


def _container(
    called: str,
    spec: Mapping[str, Any] | None,
    status: Mapping[str, Any] | None,
    *,
    init: bool,
) -> Container:
    seen, state = mapping(spec), mapping(status)
    waiting = within(state, "state", "waiting")
    return Container(
        name=called,
        init=init,
        sidecar=init and seen.get("restartPolicy") == "Always",
        image=name(seen.get("image")) or name(state.get("image")),
        args=(*texts(seen.get("command")), *texts(seen.get("args"))),
        env=_env(seen.get("env")),
        ports=tuple(whole(each.get("containerPort")) for each in entries(seen.get("ports"))),
        limits=pairs(within(seen, "resources", "limits")),
        requests=pairs(within(seen, "resources", "requests")),
        startup=_probe(seen.get("startupProbe")),
        readiness=_probe(seen.get("readinessProbe")),
        liveness=_probe(seen.get("livenessProbe")),
        has_spec=bool(seen),
        has_status=bool(state),
        prestop=bool(within(seen, "lifecycle", "preStop")),
        ready=state.get("ready") is True,
        restarts=max(whole(state.get("restartCount")), 0),
        waiting=name(waiting.get("reason")),
        waiting_says=text(waiting.get("message")),
        running_since=moment(within(state, "state", "running").get("startedAt")),
        ended=_ending(within(state, "state", "terminated")),
        last=_ending(within(state, "lastState", "terminated")),
    )


def _env(raw: Any) -> dict[str, str]:
    return {name(each.get("name")): text(each.get("value"), at_most=400) for each in entries(raw)}


def _probe(raw: Any) -> Probe | None:
    seen = mapping(raw)
    kind = next((each for each in _PROBE_KINDS if each in seen), "")
    if not kind:
        return None
    asks = within(seen, kind)
    return Probe(
        kind=kind,
        path=name(asks.get("path")) or " ".join(texts(asks.get("command"), at_most=20)),
        port=name(asks.get("port")),
        scheme=name(asks.get("scheme")) or "HTTP",
        delay_s=_at_least(seen, "initialDelaySeconds", 0.0),
        period_s=_at_least(seen, "periodSeconds", 10.0),
        timeout_s=_at_least(seen, "timeoutSeconds", 1.0),
        failures=max(whole(seen.get("failureThreshold"), default=3), 1),
    )


def _at_least(raw: Mapping[str, Any], key: str, default: float) -> float:
    found = number(raw.get(key))
    return default if found is None or found < 0 else found


def _ending(raw: Mapping[str, Any]) -> Ending | None:
    if not raw:
        return None
    code = number(raw.get("exitCode"))
    return Ending(
        exit_code=None if code is None else int(code),
        reason=name(raw.get("reason")),
        message=text(raw.get("message")),
        started_at=moment(raw.get("startedAt")),
        finished_at=moment(raw.get("finishedAt")),
    )

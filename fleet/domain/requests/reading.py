"""From one series to what moved and whose it is: labels to Subject and Move."""

from collections.abc import Mapping

from fleet.domain.requests import subjects
from fleet.domain.requests.eras import (
    ENGINE_CLASS_CODES,
    ENVOY_GATEWAY,
    KOURIER,
    NGINX,
    PICKER_CODES,
    PROXIED_PORTS,
    REVISION_LABELS,
    Counted,
    Program,
)
from fleet.domain.requests.moves import Move, Role, Way
from fleet.domain.requests.records import Era, MetricsFacts, Subject

Labels = Mapping[str, str]


def subject_of(program: Program, labels: Labels, facts: MetricsFacts) -> Subject | None:
    """None where the series does not say whose it is."""
    if program is Program.INGRESS:
        return _of_ingress(labels, facts.ingress)
    revision = _of_revision(labels, facts.era)
    if revision is not None and program is not Program.VLLM:
        return revision
    namespace, pod = labels.get("namespace", ""), labels.get("pod", "")
    return subjects.of_pod(namespace, pod) if namespace and pod else None


def _of_revision(labels: Labels, era: Era) -> Subject | None:
    if era not in REVISION_LABELS:
        return None
    namespace, revision = (labels.get(label, "") for label in REVISION_LABELS[era])
    return subjects.of_revision(namespace, revision) if namespace and revision else None


def _of_ingress(labels: Labels, ingress: str) -> Subject | None:
    if ingress in (KOURIER, ENVOY_GATEWAY):
        return subjects.of_envoy_cluster(labels.get("envoy_cluster_name", ""))
    if ingress == NGINX:
        namespace = labels.get("exported_namespace") or labels.get("namespace", "")
        service = labels.get("exported_service") or labels.get("service", "")
    else:
        namespace = labels.get("destination_service_namespace", "")
        service = labels.get("destination_service_name", "")
    return subjects.of_service(namespace, service) if namespace and service else None


def move_of(counted: Counted, labels: Labels) -> Move | None:
    """None for what is no request's end, such as an error of a picker that is no 5xx."""
    if counted.role is Role.PICKER:
        code = PICKER_CODES.get(labels.get(counted.code, ""), 0)
        return Move(Role.PICKER, code) if code else None
    if counted.role is Role.ENGINE:
        return Move(Role.ENGINE, ENGINE_CLASS_CODES.get(labels.get(counted.code, ""), 0))
    return Move(
        counted.role,
        counted.fixed_code or _code(labels.get(counted.code, "")),
        labels.get(counted.error, ""),
        _way(counted, labels),
    )


def fits(counted: Counted, labels: Labels) -> bool:
    """Whether a series on a page is meant; every pattern of ours is "some value"."""
    return all(
        _is_meant(value, labels.get(label, "")) for label, value in (counted.only or {}).items()
    )


def _is_meant(wanted: str, have: str) -> bool:
    if wanted.startswith("~"):
        return bool(have)
    return have != wanted[1:] if wanted.startswith("!") else have == wanted


def _way(counted: Counted, labels: Labels) -> Way:
    if counted.role is not Role.QUEUE_PROXY or not counted.port:
        return Way.UNTOLD
    return Way.PROXIED if labels.get(counted.port) in PROXIED_PORTS else Way.PAST


def _code(text: str) -> int:
    return int(text) if text.isdigit() and len(text) <= 3 else 0

"""Pods are ready, and the gateway sends elsewhere or speaks another protocol.

Source: Envoy's flags; Gateway API conditions; gateway-api-inference-extension; vLLM's 404 body.
"""

import re
from collections.abc import Mapping
from typing import Any

from fleet.domain.diagnosis.case import Case, configured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, WEAK, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import model_container
from fleet.domain.diagnosis.reading.plain import entries, mapping, text
from fleet.domain.diagnosis.records import Piece
from fleet.domain.diagnosis.rules.probing import listens_on
from fleet.domain.diagnosis.rules.timeouts import hits
from fleet.domain.diagnosis.series import counts_successes

TLS = clue(
    "first record does not look like a tls handshake",
    "server gave http response to https client",
    "wrong version number",
    "wrong_version_number",
    "client sent an http request to an https server",
    "http request was sent to https port",
    "malformed http response",
    "unexpected http response",
    "packet length too long",
    places=(Where.EDGE, Where.PICKER),
)
ROUTE = clue(
    "route_not_found",
    "route not found",
    "no route matched",
    "no matching route",
    "cluster_not_found",
    "cluster not found",
    "no_cluster",
    "backendnotfound",
    "backend not found",
    "refnotpermitted",
    "unsupportedprotocol",
    "upstream protocol error",
    "upstream_protocol_error",
    "protocol error",
    "protocol_error",
    "default backend - 404",
    "404 page not found",
    "no endpoints available for service",
    "no endpoints found for",
    "no endpoints resolved for",
    "no backendrefs",
    "no healthy targets",
    "failed to find candidate endpoints",
    "no candidate endpoints",
    "inferencepool not found",
    "no inferencepool",
    "unknown host",
    "invalid backend",
    "ext_proc",
    "ext-proc",
    "find target pod",
    "no pods available in datastore",
    "no ready pods in the datastore",
    "failed to get endpoints",
    "service not found",
    "targetport",
    places=(Where.EDGE, Where.PICKER, Where.CONTROL, Where.CONDITION, Where.EVENT),
)
_FLAGS = ("NR", "NC", "UPE", "DPE", "NFCF")
_CONDITIONS = (
    "HTTPRoutesReady",
    "GatewaysReady",
    "RouterReady",
    "InferencePoolReady",
    "IngressReady",
    "SchedulerWorkloadReady",
    "RoutesReady",
)
_LONG_S = 600.0
_PEER = re.compile(r"\b(\d{1,3}(?:\.\d{1,3}){3}):(\d{2,5})\b")


def misrouted(case: Case) -> Seen | None:
    """Endpoints are ready, the error is made before them."""
    if case.pods and not case.ready:
        return None
    return (
        _by_protocol(case)
        or _by_ports(case)
        or _by_words(case)
        or _by_stale_peer(case)
        or _by_endpoints(case)
        or _by_condition(case)
    )


def _by_protocol(case: Case) -> Seen | None:
    texts = case.find(TLS)
    if not texts:
        return None
    return Seen(
        confidence=DECISIVE,
        pieces=(*quoted(texts), *_service_pieces(case)),
        params={"what": "protocol"},
    )


def _service_pieces(case: Case) -> tuple[Piece, ...]:
    signs = ("service", "port", "route", "backend", "pool", "protocol", "endpoint")
    return tuple(
        configured(key, value)
        for key, value in case.evidence.config.items()
        if any(sign in key.lower() for sign in signs)
    )[:3]


def _by_ports(case: Case) -> Seen | None:
    """The Service's or the pool's target port is none on which the server listens."""
    listens = _listening(case)
    wanted = [(key, port) for key, port in _target_ports(case.evidence.config)]
    wrong = [(key, port) for key, port in wanted if listens and port not in listens]
    if not wrong or not case.users_suffer or len(wrong) < len(wanted):
        return None
    return Seen(
        confidence=STRONG,
        pieces=(
            *(configured(key, port) for key, port in wrong[:2]),
            piece("object", case.ready[0].ref if case.ready else "", f"listens on {listens}"),
            *quoted([each.text for each in case.failed_calls], at_most=1),
        ),
        params={"what": "port"},
    )


def _listening(case: Case) -> list[str]:
    ports, _, _ = listens_on(case)
    if ports:
        return sorted(ports)
    found = {
        str(port)
        for pod in case.ready
        if (container := model_container(pod)) is not None
        for port in container.ports
    }
    return sorted(found)


def _target_ports(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = []
    for key, value in config.items():
        if "targetport" in key.lower().replace("_", "") and not isinstance(value, list | dict):
            found.append((key, text(value)))
        for each in entries(value) if "port" in key.lower() else ():
            for inner in ("targetPort", "target_port", "targetPortNumber", "number"):
                port = text(mapping(each).get(inner))
                if port.isdigit():
                    found.append((key, port))
    return found


def _by_words(case: Case) -> Seen | None:
    texts = [
        each for each in case.find(ROUTE) if each.where is not Where.EVENT or case.users_suffer
    ]
    texts = [each for each in texts if each.where is not Where.CONDITION or case.users_suffer]
    cut = {hit.call.text for hit in hits(case)}
    texts = [each for each in texts if each not in cut]
    flagged = [each for each in case.failed_calls if each.flag in _FLAGS]
    if not texts and not flagged:
        return None
    return Seen(
        confidence=STRONG if flagged or case.ready else WEAK,
        pieces=(*quoted(texts or [each.text for each in flagged]), *_service_pieces(case)),
        params={"what": "route"},
    )


def _by_stale_peer(case: Case) -> Seen | None:
    """The gateway still sends to an address that no pod has any more."""
    own = {each.ip for each in case.evidence.pods if each.ip}
    if not own or not case.ready or any(not each.ip for each in case.ready):
        return None
    for call in case.failed_calls:
        if call.text.where not in (Where.EDGE, Where.PICKER):
            continue
        peers = [found[0] for found in _PEER.findall(call.text.low[:600])]
        if peers and not own.intersection(peers):
            return Seen(
                confidence=LIKELY,
                pieces=(
                    *quoted((call.text,)),
                    piece("object", case.ready[0].ref, f"podIP {case.ready[0].ip}"),
                ),
                params={"what": "stale"},
            )
    return None


def _by_endpoints(case: Case) -> Seen | None:
    """The gateway knows no endpoint, pods are ready: a selector, or a slice that says so."""
    told = [each for each in case.failed_calls if each.flag == "UH"]
    empty = [
        (key, value)
        for key, value in case.evidence.config.items()
        if ("endpoint" in key.lower() and value in (False, 0)) or "selector" in key.lower()
    ]
    if not told or not case.ready or not empty:
        return None
    return Seen(
        confidence=TWO_SIGNS,
        pieces=(
            *quoted([each.text for each in told], at_most=1),
            *(configured(key, value) for key, value in empty[:2]),
        ),
        params={"what": "endpoints"},
    )


def _by_condition(case: Case) -> Seen | None:
    """A condition of the route is not met, and requests fail before the pods."""
    answered = any(counts_successes(each) for each in case.evidence.samples)
    fine = answered or case.calls or _accepted(case.evidence.config)
    if not case.ready or (not case.users_suffer and fine):
        return None
    for type_ in _CONDITIONS:
        found = case.evidence.model.condition(type_)
        if found is None or found.status != "False":
            continue
        if case.users_suffer or (case.age_s(found.at) or 0.0) >= _LONG_S:
            says = f"{type_}=False {found.reason}: {found.message}"
            return Seen(
                confidence=LIKELY if case.users_suffer else TWO_SIGNS,
                pieces=(
                    piece("object", case.evidence.model.ref, says, found.at),
                    *quoted([each.text for each in case.failed_calls], at_most=1),
                ),
                params={"what": "condition"},
            )
    return None


def _accepted(config: Mapping[str, Any]) -> bool:
    """Whether a route or a pool is known to be accepted, whatever the condition says."""
    return any(
        each.get("type") == "Accepted" and each.get("status") == "True"
        for value in config.values()
        if isinstance(value, list)
        for each in entries(value)
    )

"""Nobody gets through: a policy, a mesh, a name, or the control plane that cannot talk.

Source: Envoy and Istio error texts; knative pkg/activator, pkg/network; CNI messages of kubelet.
"""

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Pod
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import MESH_SIDECARS, is_models_own, is_ready
from fleet.domain.diagnosis.records import FaultPhase, Remedy
from fleet.domain.diagnosis.texts import Text

_ANYBODY = (Where.EDGE, Where.PROXY, Where.ACTIVATOR, Where.PICKER, Where.CONTROL, Where.ENGINE)
POLICY = clue(
    "rbac: access denied",
    "rbac_access_denied",
    "peer authentication",
    "permission denied by policy",
    "networkpolicy",
    "policy denied",
    "denied by network policy",
    "ext_authz",
    "uaex",
    places=_ANYBODY,
)
HANDSHAKE = clue(
    "wrong_version_number",
    "wrong version number",
    "268435703",
    "268435581",
    "certificate_verify_failed",
    "tls error",
    "tls_error",
    "peer certificate",
    "x509: certificate",
    "bad certificate",
    "unknown ca",
    "tlsv1 alert",
    "mtls",
    places=(Where.EDGE, Where.PROXY, Where.ACTIVATOR, Where.PICKER, Where.CONTROL),
)
CONTROL = clue(
    "websocket connection could not be established",
    "connection has not yet been established",
    "autoscaler connection lost",
    "broke down, reconnecting",
    "failed to probe",
    "failed probing",
    "error roundtripping",
    "failed to push",
    "error connecting to autoscaler",
    "dial tcp",
    places=(Where.ACTIVATOR, Where.CONTROL),
)
_NO_WAY = (
    "i/o timeout",
    "no route to host",
    "network is unreachable",
    "connection timed out",
    "connection refused",
    "connection has not yet been established",
    "context deadline exceeded",
    "connection lost",
    "connection reset by peer",
    "eof",
    "tls:",
)
SANDBOX = clue(
    "failed to create pod sandbox",
    "failed to setup network for sandbox",
    "failedcreatepodsandbox",
    "networkplugin cni failed",
    "failed to assign an ip address",
    "plugin type=",
    "no available ip addresses",
    places=(Where.EVENT,),
)
TIMES_OUT = clue(
    "connection_timeout",
    "connection timeout",
    "no route to host",
    "network is unreachable",
    "could not resolve",
    "no such host",
    "name resolution",
    "dns resolution",
    "dns_resolution",
    "i/o timeout",
    places=(Where.EDGE, Where.PROXY, Where.PICKER),
)
REFUSED = clue(
    "connection refused",
    "connection_refused",
    "connection failure",
    "connection_failure",
    "delayed connect error: 111",
    "reset before headers",
    places=(Where.EDGE, Where.PROXY, Where.ACTIVATOR, Where.PICKER),
)


def cut_off(case: Case) -> Seen | None:
    """A policy refuses, a handshake fails, the control plane is cut in two, a name is unknown."""
    return (
        _by_policy(case)
        or _control_plane(case)
        or _handshake(case)
        or _sandbox(case)
        or _unreachable(case)
        or _only_with_sidecar(case)
    )


def _by_policy(case: Case) -> Seen | None:
    texts = case.find_all(POLICY)
    flagged = [each for each in case.failed_calls if each.flag == "UAEX"]
    if not texts and not flagged:
        return None
    return Seen(
        confidence=DECISIVE,
        pieces=quoted(texts or [each.text for each in flagged]),
        remedies=(Remedy.FIX_MESH_OR_NETWORK_POLICY,),
        params={"what": "policy"},
    )


def _control_plane(case: Case) -> Seen | None:
    """Activator and autoscaler do not reach each other, or the activator not the pods."""
    texts = [each for each in case.find(CONTROL) if any(sign in each.low for sign in _NO_WAY)]
    texts = [each for each in texts if not _is_normal_probe(case, each)]
    down = [pod for pod in case.evidence.pods if _is_controls(pod) and not is_ready(pod)]
    if not texts or not (case.users_suffer or down or case.ready):
        return None
    return Seen(
        confidence=STRONG if down or case.users_suffer else LIKELY,
        pieces=(
            *quoted(texts),
            *(piece("object", each.ref, "not ready") for each in down[:2]),
            *measured(case.failing_samples, at_most=1),
        ),
        remedies=(Remedy.FIX_MESH_OR_NETWORK_POLICY,),
        params={"what": "control-plane"},
    )


def _is_controls(pod: Pod) -> bool:
    return not is_models_own(pod)


def _is_normal_probe(case: Case, text: Text) -> bool:
    """The activator asks pods long before they are ready; refused is what it hears until then."""
    asks = any(sign in text.low for sign in ("failed to probe", "failed probing", "8012"))
    return asks and not case.ready and "autoscaler" not in text.low


def _handshake(case: Case) -> Seen | None:
    """TLS fails where a mesh speaks it; between a gateway and a plain server it is the route."""
    texts = [each for each in case.find_all(HANDSHAKE) if "webhook" not in each.low]
    if not texts or not (_has_mesh(case) or _speaks_of_mesh(texts)):
        return None
    if not case.users_suffer and case.ready:
        return None
    return Seen(
        confidence=STRONG,
        pieces=quoted(texts),
        remedies=(Remedy.FIX_MESH_OR_NETWORK_POLICY,),
        params={"what": "handshake"},
    )


def _has_mesh(case: Case) -> bool:
    inside = any(each.name in MESH_SIDECARS for pod in case.pods for each in pod.containers)
    keys = " ".join(case.evidence.config).lower()
    return inside or any(sign in keys for sign in ("mtls", "mesh", "istio", "peerauthentication"))


def _speaks_of_mesh(texts: list[Text]) -> bool:
    return any(sign in each.low for each in texts for sign in ("mtls", "istio", "spiffe", "peer c"))


def _sandbox(case: Case) -> Seen | None:
    texts = case.find(SANDBOX)
    if not texts or not case.starting:
        return None
    return Seen(
        confidence=STRONG if max(each.count for each in texts) > 2 else TWO_SIGNS,
        pieces=quoted(texts),
        phase=FaultPhase.SCHEDULE,
        remedies=(Remedy.FIX_MESH_OR_NETWORK_POLICY,),
        params={"what": "sandbox"},
    )


def _unreachable(case: Case) -> Seen | None:
    """Ready pods that a gateway or a client cannot reach, or whose name nobody knows."""
    texts = case.find(TIMES_OUT)
    if not texts or not (case.ready or not case.pods):
        return None
    named = any(sign in each.low for each in texts for sign in ("resol", "no such host"))
    return Seen(
        confidence=STRONG if named else LIKELY,
        pieces=quoted(texts),
        remedies=((Remedy.FIX_DNS_OR_EGRESS,) if named else (Remedy.FIX_MESH_OR_NETWORK_POLICY,)),
        params={"what": "name" if named else "route"},
    )


def _only_with_sidecar(case: Case) -> Seen | None:
    """Refused although ready, with a mesh's proxy in the pod."""
    texts = case.find(REFUSED) or case.find(TIMES_OUT)
    sidecar = [
        (pod, each) for pod in case.pods for each in pod.containers if each.name in MESH_SIDECARS
    ]
    if not texts or not sidecar:
        return None
    broken = [each for _, each in sidecar if each.has_status and not each.ready]
    if not broken and not case.ready:
        return None
    pod, container = sidecar[0]
    return Seen(
        confidence=LIKELY if broken else TWO_SIGNS,
        pieces=(*quoted(texts), piece("object", f"{pod.ref}/{container.name}", "mesh sidecar")),
        remedies=(Remedy.FIX_MESH_OR_NETWORK_POLICY,),
        params={"what": "sidecar"},
    )

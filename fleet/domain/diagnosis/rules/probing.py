"""Probes that ask in the wrong place, are too strict, or kill what still loads."""

import re
from datetime import timedelta

from fleet.domain.diagnosis.case import Case, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, ONE_SIGN, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Container, Pod, Probe
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.records import Piece, Remedy
from fleet.domain.diagnosis.rules.counted import LOST, TIMED_OUT, Rise, rises
from fleet.domain.diagnosis.rules.load import is_busy, load_pieces
from fleet.domain.diagnosis.rules.network import POLICY
from fleet.domain.diagnosis.rules.probes_seen import ProbeFailure, container_of, failures, kills
from fleet.domain.diagnosis.rules.runs import had_served
from fleet.domain.diagnosis.texts import Text

# What a server answers that is asked for something it does not have, or not so.
_WRONG = frozenset({301, 302, 307, 308, 400, 401, 403, 404, 405, 426, 501})
_LISTENS = re.compile(
    r"(?:running on|server on|listening (?:on|at)|serving on|starting vllm.{0,40} on)"
    r" \S{0,12}?(?://)?([\w.\[\]:-]{0,60}?):(\d{2,5})\b"
)
_PORT_ARG = re.compile(r"--(?:port|http_port|http-port|engine-port)[= ](\d{2,5})\b")
_USER_PORT = "USER_PORT"
_QUEUE_PORTS = ("8012", "8112", "8022", "9091")
_INNER = re.compile(r"dial tcp (?:127\.0\.0\.1|localhost|\[::1\]):(\d{2,5})")
_AGGRESSIVE = clue("probe error", places=(Where.PROXY,))
# Asked in plain HTTP, a server of TLS says so, or only that it speaks TLS.
_SPEAKS_TLS = clue(
    "invalid http request received",
    "running on https://",
    "server on https://",
    "tls handshake error",
    places=(Where.ENGINE,),
)
# Between a failure and the window of requests that it is counted in.
_NEAR = timedelta(seconds=60)
_NO_PORT = clue("couldn't find port", "invalid port", places=(Where.EVENT,))


def asks_wrong_place(case: Case) -> Seen | None:
    """A port nobody listens on, a path that is not there, a scheme that is not spoken."""
    return _wrong_answer(case) or _wrong_port(case) or _no_server(case) or _wrong_in_log(case)


def _wrong_answer(case: Case) -> Seen | None:
    refused = bool(case.find_all(POLICY))
    plain = bool(case.find(_SPEAKS_TLS))
    wrong = [
        each
        for each in failures(case)
        if (_is_wrong(each) and not (refused and each.status == 403))
        or (plain and "eof" in each.text.low)
    ]
    missing = case.find(_NO_PORT)
    if not wrong and not missing:
        return None
    needs_key = any(each.status in (401, 403) for each in wrong)
    return Seen(
        confidence=DECISIVE,
        pieces=(*quoted([each.text for each in wrong] or missing), *_probe_pieces(case, wrong)),
        params={"needs_key": needs_key},
    )


def _is_wrong(each: ProbeFailure) -> bool:
    return each.how in ("tls", "command") or each.status in _WRONG


def _probe_pieces(case: Case, found: list[ProbeFailure]) -> tuple[Piece, ...]:
    for each in found[:1]:
        whose = container_of(case, each.text)
        probe = probe_of(whose[1], each.kind) if whose is not None else None
        if whose is not None and probe is not None:
            return (_as_piece(whose[0], whose[1], each.kind, probe),)
    return ()


def _as_piece(pod: Pod, container: Container, kind: str, probe: Probe) -> Piece:
    says = (
        f"{kind}: {probe.kind} {probe.scheme} {probe.port}{probe.path}, delay {probe.delay_s:g} s,"
        f" every {probe.period_s:g} s, {probe.failures} times, timeout {probe.timeout_s:g} s"
    )
    return piece("object", f"{pod.ref}/{container.name}", says)


def probe_of(container: Container, kind: str) -> Probe | None:
    """The probe of a kind, None if there is none or nobody looked."""
    probes = {
        "startup": container.startup,
        "readiness": container.readiness,
        "liveness": container.liveness,
    }
    return probes.get(kind)


def listens_on(case: Case, container: str = "") -> tuple[set[str], list[Text], bool]:
    """Ports that a server says it listens on, who says so, and whether only to itself."""
    ports: set[str] = set()
    texts: list[Text] = []
    alone = False
    for each in case.all_texts:
        if each.where is not Where.ENGINE or each.previous:
            continue
        found = _LISTENS.search(each.low[:600])
        if found is not None and container in ("", each.container):
            ports.add(found[2])
            texts.append(each)
            alone = alone or found[1] in ("127.0.0.1", "localhost")
    return ports, texts, alone


def _wrong_port(case: Case) -> Seen | None:
    """The probe is refused, while the server says that it listens elsewhere."""
    asked = _asked_ports(case)
    ports, texts, alone = listens_on(case)
    if not ports:
        ports = _ports_by_args(case)
    if not asked or not ports or (case.pods and not case.starting):
        return None
    refused = {port: who for port, who in asked.items() if port not in ports}
    if not refused and not (alone and asked):
        return None
    who = next(iter((refused or asked).values()))
    return Seen(
        confidence=DECISIVE if texts else TWO_SIGNS,
        pieces=(*quoted((who,)), *quoted(texts, at_most=1), *_containers_ports(case)),
        params={"asked": next(iter(refused or asked)), "listens": sorted(ports)[0]},
    )


def _asked_ports(case: Case) -> dict[str, Text]:
    """Ports at which a probe was refused; behind a queue-proxy the one that it asks itself."""
    asked = {
        each.port: each.text
        for each in failures(case)
        if each.how == "refused" and each.port and each.port not in _QUEUE_PORTS
    }
    for text in case.find(_AGGRESSIVE):
        found = _INNER.search(text.low[:600])
        if found is not None:
            asked.setdefault(found[1], text)
    return asked


def _ports_by_args(case: Case) -> set[str]:
    """Of servers that have run for so long that they would listen."""
    ports = set()
    for pod, each in case.models:
        found = _PORT_ARG.search(" ".join(each.args)[:4_000])
        if found is not None and pod in case.starting and _complete(case):
            ports.add(found[1])
    return ports


def _complete(case: Case) -> bool:
    return any(
        "application startup complete" in each.low
        for each in case.texts
        if each.where is Where.ENGINE and not each.previous
    )


def _containers_ports(case: Case) -> tuple[Piece, ...]:
    for pod in case.starting:
        for each in pod.containers:
            if each.env.get(_USER_PORT):
                says = f"{_USER_PORT}={each.env[_USER_PORT]}"
                return (piece("object", f"{pod.ref}/{each.name}", says),)
    return ()


_HEADLESS = clue("headless", places=(Where.ENGINE,))


def _no_server(case: Case) -> Seen | None:
    """A headless engine has no HTTP at all. Source: vllm/entrypoints/cli/serve.py."""
    refused = [each.text for each in failures(case) if each.how == "refused"]
    for pod, container in case.models:
        headless = "--headless" in " ".join(container.args)
        if pod in case.starting and refused and (headless or case.find(_HEADLESS)):
            says = piece("object", f"{pod.ref}/{container.name}", "runs headless: no HTTP server")
            return Seen(confidence=STRONG, pieces=(*quoted(refused, at_most=1), says))
    return None


_PROBED = re.compile(r"\"(?:get|head) (/\S{0,200}) http/[\d.]{1,4}\"? (\d{3})")


def _wrong_in_log(case: Case) -> Seen | None:
    """The server's own access log: the path of its probe answers 404 or 401, the pod waits."""
    paths = {
        probe.path: (pod, each, kind, probe)
        for pod, each in case.models
        if pod in case.starting
        for kind in ("startup", "readiness", "liveness")
        if (probe := probe_of(each, kind)) is not None and probe.path
    }
    for text in case.texts:
        found = _PROBED.search(text.low[:600]) if text.where is Where.ENGINE else None
        if found is not None and int(found[2]) in _WRONG and found[1] in paths:
            pod, container, kind, probe = paths[found[1]]
            return Seen(
                confidence=LIKELY,
                pieces=(*quoted((text,)), _as_piece(pod, container, kind, probe)),
                params={"needs_key": found[2] == "401"},
            )
    return None


def startup_budget_short(case: Case) -> Seen | None:
    """The kubelet says that it killed the container for its startup probe."""
    killed = kills(case, "startup") or _all_kills(case, "startup")
    if not killed:
        return _killed_on_time(case, "startup")
    whose = container_of(case, killed[-1])
    return Seen(
        confidence=DECISIVE,
        pieces=(*quoted(killed), *_own_probe(whose, "startup")),
        remedies=(Remedy.ADD_OR_EXTEND_STARTUP_PROBE,),
        params={"times": killed[-1].count},
    )


def _all_kills(case: Case, kind: str) -> list[Text]:
    """Kills from before a restart that got through count while users feel it."""
    if not case.users_suffer:
        return []
    signs = (f"failed {kind} probe",)
    return [each for each in case.all_texts if each.where is Where.EVENT and signs[0] in each.low]


def _own_probe(whose: tuple[Pod, Container] | None, kind: str) -> tuple[Piece, ...]:
    if whose is None:
        return ()
    probe = probe_of(whose[1], kind)
    return () if probe is None else (_as_piece(whose[0], whose[1], kind, probe),)


def _killed_on_time(case: Case, kind: str) -> Seen | None:
    """Nobody says who killed it, but it ran as long as its probe allows, and the probe failed."""
    for pod, container in case.models:
        ending, probe = container.latest_ending, probe_of(container, kind)
        if pod not in case.starting or ending is None or probe is None or ending.ran_s is None:
            continue
        told = [each for each in failures(case) if each.kind == kind and each.how != "status"]
        late = ending.ran_s - probe.budget_s
        if ending.exit_code in (0, 130, 137, 143) and told and -probe.period_s <= late <= 60:
            says = f"{container.name} ran {ending.ran_s:.0f} s, exit {ending.exit_code}"
            return Seen(
                confidence=TWO_SIGNS + 0.05,
                pieces=(
                    piece("object", f"{pod.ref}/{container.name}", says, ending.finished_at),
                    *quoted([each.text for each in told], at_most=1),
                    _as_piece(pod, container, kind, probe),
                ),
                params={"times": container.restarts},
            )
    return None


def liveness_kills_loading(case: Case) -> Seen | None:
    """Killed for its liveness probe before it ever served."""
    killed = kills(case, "liveness")
    if not killed:
        return None if had_served(case) else _killed_on_time(case, "liveness")
    whose = container_of(case, killed[-1])
    if had_served(case) or (whose is not None and whose[1].startup is not None):
        return None
    return Seen(
        confidence=DECISIVE,
        pieces=(*quoted(killed), *_own_probe(whose, "liveness"), *_last_words(case)),
        params={"times": killed[-1].count},
    )


def _last_words(case: Case) -> tuple[Piece, ...]:
    lines = [each for each in case.all_texts if each.where is Where.ENGINE and each.previous]
    return quoted(lines[-1:])


def liveness_kills_serving(case: Case) -> Seen | None:
    """Killed for its liveness probe while it served; unless the engine was dead, too strict."""
    killed = kills(case, "liveness") or _all_kills(case, "liveness")
    if not killed:
        return None
    whose = container_of(case, killed[-1])
    late = whose is not None and whose[1].startup is not None
    if not (had_served(case) or late):
        return None
    busy = is_busy(case)
    return Seen(
        confidence=STRONG if busy else TWO_SIGNS,
        pieces=(*quoted(killed), *_own_probe(whose, "liveness"), *load_pieces(case)),
        remedies=(Remedy.RELAX_LIVENESS_PROBE,),
        params={"times": killed[-1].count},
    )


def readiness_flaps(case: Case) -> Seen | None:
    """A server that works is asked too impatiently: its probes time out under load."""
    slow = [each for each in failures(case, outlived=case.users_suffer) if each.how == "slow"]
    serving = _beside_errors(case, [each for each in slow if _had_started(case, each)])
    if not serving:
        return None
    busy = is_busy(case)
    often = sum(each.text.count for each in serving)
    if not busy and (often < 3 or not (case.starting or case.users_suffer)):
        return None
    whose = container_of(case, serving[-1].text)
    return Seen(
        confidence=STRONG
        if busy
        else TWO_SIGNS
        if _is_tight(whose, serving[-1])
        else ONE_SIGN + 0.1,
        pieces=(
            *quoted([each.text for each in serving]),
            *_own_probe(whose, serving[-1].kind),
            *load_pieces(case),
        ),
        remedies=(Remedy.RELAX_READINESS_PROBE, Remedy.RELAX_LIVENESS_PROBE),
        params={"times": often},
    )


def _beside_errors(case: Case, seen: list[ProbeFailure]) -> list[ProbeFailure]:
    """Where counters tell when requests failed: those that failed about then."""
    found = rises(case, LOST | TIMED_OUT)
    return [each for each in seen if not found or any(_meets(each.text, rise) for rise in found)]


def _meets(text: Text, rise: Rise) -> bool:
    if text.at is None:
        return True
    return text.at >= rise.since - _NEAR and (text.first_at or text.at) <= rise.until + _NEAR


def _had_started(case: Case, failure: ProbeFailure) -> bool:
    """Whether what it asked had been up already: asked for the first time it may well be late."""
    whose = container_of(case, failure.text)
    if whose is None:
        return bool(case.ready)
    pod, container = whose
    if failure.kind == "startup":
        return _complete(case)
    model = next((each for own, each in case.models if own is pod), container)
    return model.ready or (model.has_status and _started(case, pod, model)) or pod in case.ready


def _started(case: Case, pod: Pod, container: Container) -> bool:
    if container.running_since is None:
        return False
    return _complete(case) or is_busy(case, pod)


def _is_tight(whose: tuple[Pod, Container] | None, failure: ProbeFailure) -> bool:
    probe = probe_of(whose[1], failure.kind) if whose is not None else None
    return probe is None or probe.timeout_s <= 5

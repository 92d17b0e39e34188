"""Traffic before it can be served: a canary that is not ready, a pod that is Ready too early."""

import re
from datetime import datetime, timedelta

from fleet.domain.diagnosis.calls import Call
from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Container, Pod
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import MESH_SIDECARS, ready_at
from fleet.domain.diagnosis.reading.plain import number
from fleet.domain.diagnosis.records import Piece
from fleet.domain.diagnosis.rules.backends import Backend, backends, leaving, newest_generation
from fleet.domain.diagnosis.texts import Text

_MINUTES = timedelta(minutes=10)
_CLOCKS = timedelta(seconds=3)
_SCALED_DOWN = clue("scaled down replica set", places=(Where.EVENT,))


def canary_early(case: Case) -> Seen | None:
    """A share of the traffic goes to a backend that is not ready, or too small yet."""
    found = backends(case)
    unready = [each for each in found if _is_unready(case, each)]
    others = [each for each in found if each.ready > 0 or each not in unready]
    if unready and (others or _canary_condition(case)) and len(found) > 1:
        named = _confined(case, unready[0])
        if not named and not case.users_suffer:
            return None
        return Seen(
            confidence=STRONG if named else LIKELY,
            pieces=(
                *_backend_pieces(unready[:1]),
                *measured(case.failing_samples, at_most=2),
                *quoted([each.text for each in case.failed_calls], at_most=2),
            ),
            params={"backend": unready[0].name, "share": unready[0].share},
        )
    return _stable_gone(case) or _too_few_yet(case)


def _is_unready(case: Case, backend: Backend) -> bool:
    if backend.pods:
        return backend.ready == 0
    scaler = case.evidence.autoscaler
    if scaler.name == backend.name:
        return number(scaler.status.get("actualScale")) == 0
    counted = any(
        backend.name in each.labels.values() and "UH" in each.labels.values()
        for each in case.failing_samples
    )
    told = any(
        call.flag == "UH" and backend.name.lower() in call.text.low for call in case.failed_calls
    )
    return counted or told


def _canary_condition(case: Case) -> bool:
    found = case.evidence.model.condition("CanaryPredictorReady")
    return found is not None and found.status == "False"


def _confined(case: Case, backend: Backend) -> bool:
    """Whether failures name it."""
    labels = any(backend.name in each.labels.values() for each in case.failing_samples)
    return labels or any(backend.name.lower() in each.text.low for each in case.failed_calls)


def _backend_pieces(found: list[Backend]) -> tuple[Piece, ...]:
    return tuple(
        piece(
            "config" if each.ref.startswith("config/") else "object",
            each.ref,
            f"{each.name}: share {each.share:g}, {each.ready} of {len(each.pods)} pods ready",
        )
        for each in found
    )


_FROM = re.compile(r"from (\d{1,5}) to \d{1,5}")
_YOUNG_S = 1800.0


def _too_few_yet(case: Case) -> Seen | None:
    """More old pods went than new ones are ready, a short while after these were made."""
    young = [each for each in case.live if (case.age_s(each.created_at) or 0.0) <= _YOUNG_S]
    if not case.users_suffer or not case.starting or len(young) != len(case.live):
        return None
    for text in case.all_texts:
        found = _FROM.search(text.low) if _SCALED_DOWN.fits(text) else None
        if found is None or text.at is None or _same_set(text, young):
            continue
        if int(found[1]) > len(case.ready) and _after(text.at, young):
            return Seen(
                confidence=LIKELY,
                pieces=(
                    *quoted((text,)),
                    piece("object", young[0].ref, f"{len(case.ready)} of {len(young)} ready"),
                    *measured(case.failing_samples, at_most=1),
                ),
                params={"backend": young[0].name, "share": 100.0},
            )
    return None


def _stable_gone(case: Case) -> Seen | None:
    """The old pods went before the new ones were ready."""
    new, down = newest_generation(case), case.find(_SCALED_DOWN)
    young = new or [each for each in case.live if each in case.starting]
    if not young or not down or not case.users_suffer or any(ready_at(each) for each in young):
        return None
    gone = [each for each in down if each.at is not None and _after(each.at, young)]
    kept = [each for each in case.ready if each not in young]
    if not gone or (kept and not leaving(case)) or _same_set(gone[0], young):
        return None
    return Seen(
        confidence=LIKELY,
        pieces=(
            *quoted(gone, at_most=1),
            piece("object", young[0].ref, "not ready"),
            *quoted([each.text for each in case.failed_calls], at_most=1),
        ),
        params={"backend": young[0].name, "share": 100.0},
    )


def _same_set(text: Text, pods: list[Pod]) -> bool:
    return any(each.name.rpartition("-")[0] in text.text for each in pods)


def _after(at: datetime, pods: list[Pod]) -> bool:
    return all(each.created_at is None or at >= each.created_at - _CLOCKS for each in pods)


STILL_LOADS = clue(
    "% completed",
    "checkpoint shards",
    "starting to load model",
    "compiling",
    "num_tokens:",
    "capturing",
    "dynamo bytecode",
    "initializing a v",
    "loading weights",
    "downloading",
    "fetching",
    "warming up",
    "warmup",
    "loading model",
    "precompil",
    places=(Where.ENGINE,),
)
_JIT = clue("latency spike", "jit during", "compiling during inference", places=(Where.ENGINE,))
_NOT_READY_BODY = clue(
    "is not ready",
    "model not ready",
    "modelnotready",
    "servernotready",
    "model is loading",
    "still loading",
    "not loaded yet",
    "is loading",
    pattern=r"model.{0,120}(?:not ready|loading|not loaded)|notready|server is not ready",
    places=(Where.EDGE, Where.PROXY, Where.ENGINE, Where.PICKER),
)
_SHARE = re.compile(r"(\d{1,3})% completed")
_REFUSED = ("refused", "connection failure", "connection_failure", "503", "502", "not ready")


def ready_too_early(case: Case) -> Seen | None:
    """Ready by its probe, while its log shows it loading; or it fails in its first minutes only."""
    return (
        _loads_while_ready(case) or _not_ready_body(case) or _first_minutes(case) or _listed(case)
    )


def _loads_while_ready(case: Case) -> Seen | None:
    for pod, container in case.models:
        at = ready_at(pod)
        if at is None or not _is_young(case, at, container) or _is_another(case, container):
            continue
        late = [each for each in case.find_all(STILL_LOADS) if _came_after(each, at, container)]
        timed = any(each.at is not None for each in late)
        if late and ((case.users_suffer and timed) or not _done(case, late)):
            return Seen(
                confidence=STRONG,
                pieces=(
                    piece("object", pod.ref, "Ready=True", at),
                    *_probe_piece(pod, container),
                    *quoted(reversed(late), at_most=2),
                    *quoted([each.text for each in case.failed_calls], at_most=1),
                ),
                params={"pod": pod.name},
            )
    return None


def _is_another(case: Case, container: Container) -> bool:
    """Logs are by container: those of a pod that loads beside it are not its own."""
    return any(
        each.name == container.name and each.running_since is not None
        for pod in case.starting
        for each in pod.containers
    )


def _is_young(case: Case, at: datetime, container: Container) -> bool:
    """A launcher may have been ready for long before its engine was made."""
    return not container.restarts or case.now - at <= _MINUTES


def _came_after(text: Text, at: datetime, container: Container) -> bool:
    if text.previous:
        return False
    if text.at is not None:
        return text.at > at + _CLOCKS
    share = _SHARE.search(text.low)
    return share is not None and int(share[1]) < 100 and container.ready


def _done(case: Case, late: list[Text]) -> bool:
    """Whether the server said, after these lines, that it is up."""
    last = max(each.number for each in late)
    return any(
        "startup complete" in each.low and each.number > last
        for each in case.all_texts
        if each.where is Where.ENGINE
    )


def _probe_piece(pod: Pod, container: Container) -> tuple[Piece, ...]:
    if not container.has_spec:
        return ()
    probe = container.readiness
    says = f"readiness {probe.kind} {probe.port}{probe.path}" if probe else "no readiness probe"
    return (piece("object", f"{pod.ref}/{container.name}", says),)


def _not_ready_body(case: Case) -> Seen | None:
    """The server itself answers that the model is not ready, from a pod that is."""
    texts = [each for each in case.find(_NOT_READY_BODY) if _is_an_answer(each)]
    if not texts or not (case.ready or not case.pods):
        return None
    return Seen(
        confidence=LIKELY if case.ready else TWO_SIGNS,
        pieces=(*quoted(texts), *_ready_pieces(case)),
        params={"pod": case.ready[0].name if case.ready else ""},
    )


def _is_an_answer(text: Text) -> bool:
    return text.where is not Where.ENGINE or "503" in text.low


def _ready_pieces(case: Case) -> tuple[Piece, ...]:
    return tuple(piece("object", each.ref, "Ready=True", ready_at(each)) for each in case.ready[:1])


def _first_minutes(case: Case) -> Seen | None:
    """A fresh pod refuses, and its readiness asks nothing of the model."""
    for pod, container in case.models:
        at = ready_at(pod)
        if at is None or any(each.name in MESH_SIDECARS for each in pod.containers):
            continue
        early = [each for each in case.failed_calls if _fell_early(case, each, at)]
        if not early:
            continue
        blind = container.has_spec and (
            container.readiness is None or container.readiness.kind == "tcpSocket"
        )
        jit = case.find_all(_JIT)
        if blind or jit:
            return Seen(
                confidence=LIKELY if blind and len(early) > 1 else TWO_SIGNS,
                pieces=(
                    *quoted([each.text for each in early], at_most=2),
                    *_ready_pieces(case),
                    *_probe_piece(pod, container),
                    *quoted(jit, at_most=1),
                ),
                params={"pod": pod.name},
            )
    return None


def _fell_early(case: Case, call: Call, at: datetime) -> bool:
    when = call.at or case.now
    refused = any(sign in call.text.low for sign in _REFUSED) or call.flag in ("UF", "UC", "UH")
    return refused and at - _CLOCKS <= when <= at + _MINUTES


_ADDRESS = re.compile(r"(?://|dial tcp )(\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}")


def _addresses(case: Case) -> dict[str, Pod]:
    """Of pods that are not ready: by their status, or by what the kubelet asked."""
    found = {each.ip: each for each in case.starting if each.ip}
    names = {each.name: each for each in case.starting}
    for text in case.texts:
        asked = _ADDRESS.search(text.text[:600]) if text.where is Where.EVENT else None
        if asked is not None and text.pod in names:
            found.setdefault(asked[1], names[text.pod])
    return found


def _listed(case: Case) -> Seen | None:
    """A router sends to a pod that is not ready, beside others that are: it does not look."""
    addresses = _addresses(case)
    for call in case.failed_calls:
        if call.text.where not in (Where.EDGE, Where.PICKER):
            continue
        for ip, pod in addresses.items():
            if ip in call.text.text:
                return Seen(
                    confidence=STRONG,
                    pieces=(*quoted((call.text,)), piece("object", pod.ref, f"not ready, {ip}")),
                    params={"pod": pod.name},
                )
    return None

"""A fetch that goes on for long, or stands still, without an error.

Source: KServe storage-initializer's log; tqdm bars of huggingface_hub; vLLM's loader.
"""

import re

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Container, Pod, Sample
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import init_containers, is_ready, ready_at
from fleet.domain.diagnosis.records import Piece, Remedy
from fleet.domain.diagnosis.rules.fetching import trouble
from fleet.domain.diagnosis.series import rate, seconds_between
from fleet.domain.diagnosis.texts import Text

_LONG_S = 300.0
# With users waiting a fetch is a matter earlier.
_LONG_WITH_USERS_S = 120.0
_VERY_LONG_S = 900.0
_FRESH_S = 1200.0
RECEIVED = ("network_receive_bytes", "fs_writes_bytes", "rx_bytes", "downloaded_bytes")
_IN_ENGINE = clue(
    "fetching",
    "downloading",
    "download complete",
    "time spent downloading weights",
    ".safetensors: ",
    ".gguf: ",
    places=(Where.ENGINE,),
)
_SPENT = re.compile(r"time spent downloading weights for .{1,300}?: (\d{1,7}(?:\.\d{1,9})?) sec")
_LOAD_START = clue("starting to load model", places=(Where.ENGINE,))
_AFTER_FETCH = clue(
    "checkpoint shards", "loading weights took", "model loading took", places=(Where.ENGINE,)
)
_HUB_NAME = re.compile(r"starting to load model (?!/)[\w.-]{1,96}/[\w.-]{1,96}")
_COPYING = clue(
    "copying contents of",
    "downloaded object",
    "fetching",
    "downloading",
    "initializing, args",
    "snapshot_download",
    places=(Where.INIT,),
)


def slow(case: Case) -> Seen | None:
    """In an init container, or by the server itself; still going on, or just over."""
    if trouble(case)[0] is not None:
        return None
    return _init_runs(case) or _init_ran(case) or _server_fetches(case) or _by_lines(case)


_BAR = re.compile(r"\[(?:(\d{1,3}):)?(\d{1,3}):(\d\d)<")
_REMAINS = re.compile(r"<(?:(\d{1,3}):)?(\d{1,3}):(\d\d),")
# What a bar still counts on is no ordinary download from here on, whatever the limits are.
_FAR_OFF_S = 1800.0


def _by_lines(case: Case) -> Seen | None:
    """Without the pod, or without a clock: the downloader's own bars and times tell of minutes."""
    lines = [*case.find(_COPYING), *(each for each in case.find(_IN_ENGINE) if "%" in each.text)]
    if not case.only_lines_tell or not lines:
        return None
    times = [each.at for each in lines if each.at is not None]
    spans = [(case.age_s(min(times)) or 0.0) if times else 0.0]
    for each in lines:
        found = _BAR.search(each.low[:600])
        if found is not None:
            spans.append(int(found[1] or 0) * 3600.0 + int(found[2]) * 60 + int(found[3]))
    if max(spans) < _LONG_S:
        return None
    return Seen(
        confidence=LIKELY,
        pieces=quoted(lines[-2:]),
        params={"seconds": max(spans), "rate": None, "stalled": False},
    )


def _init_runs(case: Case) -> Seen | None:
    for pod in case.begun:
        for container in init_containers(pod):
            seconds = case.age_s(container.running_since)
            if seconds is None or not _fetches(case, container):
                continue
            far_off = remains_s(case) >= _FAR_OFF_S
            if seconds < (_LONG_WITH_USERS_S if case.users_suffer else _LONG_S) and not far_off:
                continue
            return _seen(case, pod, container, seconds)
    return None


def remains_s(case: Case) -> float:
    """What the downloader's newest bar says that it still needs; 0 without one."""
    for each in reversed(case.find(_COPYING)):
        found = _REMAINS.search(each.low[:600])
        if found is not None:
            return int(found[1] or 0) * 3600.0 + int(found[2]) * 60 + int(found[3])
    return 0.0


def _fetches(case: Case, container: Container) -> bool:
    """Whether it is one that downloads: by its name, or by what it says."""
    name = container.name.lower()
    named = any(sign in name for sign in ("initializer", "download", "fetch", "model", "pull"))
    return named or any(each.container == container.name for each in case.find(_COPYING))


def _seen(case: Case, pod: Pod, container: Container, seconds: float) -> Seen:
    counters = byte_counters(case, pod)
    rates = [found for pair in counters if (found := rate(pair)) is not None]
    told = bool(rates) or bool(case.find(_COPYING)) or seconds >= _VERY_LONG_S
    stalled = bool(rates) and max(rates) < 1_000
    return Seen(
        confidence=STRONG if rates else LIKELY if told else TWO_SIGNS,
        pieces=(
            _runs(pod, container, seconds),
            *quoted(reversed(case.find(_COPYING)), at_most=2),
            *measured([sample for pair in counters for sample in pair], at_most=2),
        ),
        remedies=(Remedy.DOWNLOAD_TIMEOUT_AND_RETRY,) if stalled else (),
        params={"seconds": seconds, "rate": max(rates, default=None), "stalled": stalled}
        | ({"far_off": True} if remains_s(case) >= _FAR_OFF_S else {}),
    )


def byte_counters(case: Case, pod: Pod) -> list[tuple[Sample, Sample]]:
    """Counters of received bytes of a pod or of its node, first and last."""
    return [
        pair
        for pair in case.series.changes(*RECEIVED)
        if pair[0].labels.get("pod", pod.name) == pod.name
        and pair[0].labels.get("node", pod.node) == pod.node
        and seconds_between(pair) >= 30
    ]


def _runs(pod: Pod, container: Container, seconds: float) -> Piece:
    says = f"{container.name} running for {seconds:.0f} s"
    return piece("object", f"{pod.ref}/{container.name}", says, container.running_since)


def _init_ran(case: Case) -> Seen | None:
    """It is over, took minutes, and was most of a start that is fresh."""
    for pod in case.live:
        if is_ready(pod) and (case.age_s(ready_at(pod)) or 0.0) > _FRESH_S:
            continue
        for container in init_containers(pod):
            seconds = container.ended.ran_s if container.ended is not None else None
            if seconds is None or seconds < _LONG_S or not _fetches(case, container):
                continue
            if seconds >= 0.4 * _start_s(case, pod):
                says = f"{container.name} took {seconds:.0f} s"
                return Seen(
                    confidence=LIKELY,
                    pieces=(piece("object", f"{pod.ref}/{container.name}", says),),
                    params={"seconds": seconds, "rate": None, "stalled": False},
                )
    return None


def _start_s(case: Case, pod: Pod) -> float:
    end = ready_at(pod) or case.now
    return max((end - pod.created_at).total_seconds(), 1.0) if pod.created_at else 1.0


def _server_fetches(case: Case) -> Seen | None:
    """vLLM downloads by itself: it says how long it took, shows bars, or is silent meanwhile."""
    spent = spent_lines(case)
    if spent:
        return Seen(
            confidence=LIKELY,
            pieces=quoted(spent),
            params={"seconds": spent_s(spent[0]), "rate": None, "stalled": False},
        )
    running = [
        (pod, container, seconds)
        for pod, container in case.models
        if pod in case.starting
        and (seconds := case.age_s(container.running_since)) is not None
        and seconds >= (_LONG_WITH_USERS_S if case.users_suffer else _LONG_S)
    ]
    if not running or case.find(_AFTER_FETCH):
        return None
    pod, container, seconds = running[0]
    return _bars(case, pod, container, seconds) or _silence(case, pod, container, seconds)


def spent_lines(case: Case) -> list[Text]:
    """What vLLM says that it spent, minutes of it, in a start that goes on or has just ended."""
    fresh = any(
        not is_ready(pod) or (case.age_s(ready_at(pod)) or 0.0) <= _FRESH_S for pod in case.live
    )
    lines = (each for each in case.all_texts if each.where is Where.ENGINE)
    return [each for each in lines if spent_s(each)] if fresh else []


def spent_s(text: Text) -> float | None:
    """Seconds of a download of minutes, None for any other line."""
    found = _SPENT.search(text.low[:600])
    return float(found[1]) if found is not None and float(found[1]) >= _LONG_WITH_USERS_S else None


def _bars(case: Case, pod: Pod, container: Container, seconds: float) -> Seen | None:
    lines = [each for each in case.find(_IN_ENGINE) if "%" in each.text or "download" in each.low]
    if not lines:
        return None
    counters = byte_counters(case, pod)
    return Seen(
        confidence=STRONG if counters else LIKELY,
        pieces=(
            _runs(pod, container, seconds),
            *quoted(reversed(lines), at_most=2),
            *measured([sample for pair in counters for sample in pair], at_most=2),
        ),
        params={"seconds": seconds, "rate": None, "stalled": False},
    )


def _silence(case: Case, pod: Pod, container: Container, seconds: float) -> Seen | None:
    """Nothing after "Starting to load model" a name of the hub: the hub's client says nothing."""
    started = [each for each in case.find(_LOAD_START) if _HUB_NAME.search(each.low[:600])]
    counters = byte_counters(case, pod)
    if not started or (not counters and seconds < _VERY_LONG_S):
        return None
    rates = [found for pair in counters if (found := rate(pair)) is not None]
    stalled = bool(rates) and max(rates) < 1_000
    return Seen(
        confidence=LIKELY if counters else TWO_SIGNS,
        pieces=(
            _runs(pod, container, seconds),
            *quoted(started[-1:]),
            *measured([sample for pair in counters for sample in pair], at_most=2),
        ),
        remedies=(Remedy.DOWNLOAD_TIMEOUT_AND_RETRY,) if stalled else (),
        params={"seconds": seconds, "rate": max(rates, default=None), "stalled": stalled},
    )

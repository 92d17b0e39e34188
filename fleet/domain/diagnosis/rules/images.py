"""The image: not to be had, on its way for long, or refused for too many requests.

Source: kubelet pkg/kubelet/images, containerd's messages; knative pkg/reconciler/revision.
"""

import re
from datetime import datetime

from fleet.domain.diagnosis.case import Case, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Container, Pod
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import is_ready, ready_at
from fleet.domain.diagnosis.records import Remedy
from fleet.domain.diagnosis.rules.sizes import go_seconds
from fleet.domain.diagnosis.texts import Text

_SAID_BY = (Where.EVENT, Where.STATE, Where.CONDITION)
_WAITING = (
    "errimagepull",
    "imagepullbackoff",
    "invalidimagename",
    "errimageneverpull",
    "imageinspecterror",
    "registryunavailable",
    "signaturevalidationfailed",
)
FAILED = clue(
    "failed to pull image",
    "back-off pulling image",
    "failed to resolve image to digest",
    "failed to resolve image",
    "unable to fetch image",
    "failed to pull and unpack",
    "manifest unknown",
    "couldn't parse image",
    "invalidimagename",
    "errimage",
    "imagepullbackoff",
    "no match for platform",
    "containermissing",
    places=_SAID_BY,
)
_RESOLVING = clue("to digest", "unable to fetch image", "containermissing", places=_SAID_BY)
TOO_MANY = clue("toomanyrequests", "too many requests", "pull rate limit", "429", places=_SAID_BY)
NO_SPACE = ("no space left", "disk quota exceeded")
_NO_ROUTE = (
    "i/o timeout",
    "no such host",
    "no route to host",
    "network is unreachable",
    "connection refused",
    "connection reset",
    "deadline exceeded",
    "tls handshake timeout",
    "x509",
    "proxyconnect",
    "server misbehaving",
)
_SLOW_S = 180.0
_SLOW_PART_S = 120.0
_FRESH_S = 1200.0
_PULLED = re.compile(r" in ((?:\d+h)?(?:\d+m)?[\d.]+m?s)(?: \(((?:\d+h)?(?:\d+m)?[\d.]+m?s) incl)?")


def pull_failed(case: Case) -> Seen | None:
    """The kubelet cannot have it, or Knative's controller cannot resolve its tag."""
    texts = _troubles(case)
    if not texts or _another_reason(texts):
        return None
    resolving = case.find(_RESOLVING)
    told = [each for each in texts if "back-off" not in each.low and len(each.low) > 40] or texts
    return Seen(
        confidence=DECISIVE,
        pieces=quoted(told),
        remedies=_remedies(texts, resolving=bool(resolving)),
        params={"image": _image(texts)},
    )


def _troubles(case: Case) -> tuple[Text, ...]:
    waiting = tuple(
        each for each in case.texts if each.where is Where.STATE and each.reason.lower() in _WAITING
    )
    return (*case.find(FAILED), *waiting)


def _another_reason(texts: tuple[Text, ...]) -> bool:
    """It is had, or would be: the disk is full, or the registry counts requests."""
    spaces = any(sign in each.low for each in texts for sign in NO_SPACE)
    return spaces or any(TOO_MANY.fits(each) for each in texts)


def _remedies(texts: tuple[Text, ...], *, resolving: bool) -> tuple[Remedy, ...]:
    unreachable = any(sign in each.low for each in texts for sign in _NO_ROUTE)
    if resolving:
        return (
            Remedy.FIX_REGISTRY_ACCESS,
            Remedy.SKIP_TAG_RESOLUTION,
            Remedy.USE_REGISTRY_MIRROR,
            Remedy.FIX_IMAGE_REFERENCE_OR_PULL_SECRET,
        )
    if unreachable:
        return (Remedy.FIX_REGISTRY_ACCESS, Remedy.USE_REGISTRY_MIRROR)
    return (Remedy.FIX_IMAGE_REFERENCE_OR_PULL_SECRET,)


_IMAGE = re.compile(r"image \\?\"([^\"\\]{1,200})\\?\"")


def _image(texts: tuple[Text, ...]) -> str:
    return next((found[1] for each in texts if (found := _IMAGE.search(each.text))), "")


def registry_counts(case: Case) -> Seen | None:
    """The registry answers 429."""
    texts = [each for each in _troubles(case) if TOO_MANY.fits(each)]
    if not texts:
        return None
    return Seen(
        confidence=DECISIVE,
        pieces=quoted(texts),
        remedies=(
            Remedy.USE_REGISTRY_MIRROR,
            Remedy.PREPULL_IMAGE,
            Remedy.FIX_IMAGE_REFERENCE_OR_PULL_SECRET,
        ),
        params={"what": "registry"},
    )


def pull_slow(case: Case) -> Seen | None:
    """Being pulled for long without an error, or it took most of a fresh start."""
    return _pulling(case) or _pulled_slowly(case) or _by_events(case)


def _by_events(case: Case) -> Seen | None:
    """Without the pod: a "Pulling" long ago that nothing of that pod followed, or a long pull."""
    if case.pods:
        return None
    events = [each for each in case.all_texts if each.where is Where.EVENT]
    done = {
        each.pod for each in events if each.reason in ("Pulled", "Failed", "BackOff", "Started")
    }
    for each in events:
        seconds = pulled_s(each)
        if each.reason == "Pulling" and each.pod not in done:
            seconds = case.age_s(each.first_at)
        if seconds is not None and seconds >= _SLOW_S:
            return Seen(
                confidence=LIKELY,
                pieces=quoted((each,)),
                params={"seconds": seconds, "image": _image((each,))},
            )
    return None


def _pulling(case: Case) -> Seen | None:
    for pod in case.starting:
        for container in pod.containers:
            pull = _open_pull(case, pod, container)
            seconds = case.age_s(pull.first_at) if pull is not None else None
            if pull is not None and seconds is not None and seconds >= _SLOW_S:
                return Seen(
                    confidence=STRONG,
                    pieces=quoted((pull,)),
                    params={"seconds": seconds, "image": _image((pull,))},
                )
    return None


def _open_pull(case: Case, pod: Pod, container: Container) -> Text | None:
    """Its last "Pulling" that neither "Pulled" nor a failure followed."""
    if container.running_since is not None or container.ended is not None:
        return None
    about = [
        each
        for each in case.all_texts
        if each.where is Where.EVENT
        and each.pod == pod.name
        and each.container in ("", container.name)
    ]
    pulling = [each for each in about if each.reason == "Pulling"]
    after = [each for each in about if each.reason in ("Pulled", "Failed", "BackOff")]
    if not pulling or any(_not_before(each.at, pulling[-1].first_at) for each in after):
        return None
    return pulling[-1]


def _not_before(at: datetime | None, than: datetime | None) -> bool:
    return at is None or than is None or at >= than


def _pulled_slowly(case: Case) -> Seen | None:
    """A pull that took minutes, of a start that goes on or has just ended, as its largest part."""
    for text in case.all_texts:
        seconds = pulled_s(text)
        pod = next((each for each in case.live if each.name == text.pod), None)
        if seconds is None or seconds < _SLOW_PART_S or pod is None or not _matters(case, pod):
            continue
        total = _start_s(case, pod)
        if total is None or seconds >= total * 0.4:
            return Seen(
                confidence=LIKELY if seconds >= _SLOW_S else TWO_SIGNS,
                pieces=quoted((text,)),
                params={"seconds": seconds, "image": _image((text,))},
            )
    return None


def pulled_s(text: Text) -> float | None:
    """What a "Pulled" event says the start paid: with the wait for others, if it tells both."""
    if text.where is not Where.EVENT or text.reason != "Pulled":
        return None
    found = _PULLED.search(text.text)
    return go_seconds(found[2] or found[1]) if found is not None else None


def _matters(case: Case, pod: Pod) -> bool:
    if not is_ready(pod):
        return True
    age = case.age_s(ready_at(pod))
    return age is not None and age <= _FRESH_S


def _start_s(case: Case, pod: Pod) -> float | None:
    end = ready_at(pod) or case.now
    return max((end - pod.created_at).total_seconds(), 0.0) if pod.created_at else None

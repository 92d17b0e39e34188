"""What kubelets say of probes, taken apart.

Source: kubernetes pkg/kubelet/prober and pkg/kubelet/kuberuntime.
"""

import re
from dataclasses import dataclass

from fleet.domain.diagnosis.case import Case
from fleet.domain.diagnosis.evidence import Container, Pod
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import is_ready
from fleet.domain.diagnosis.texts import Text

_FAILED = re.compile(r"\b(readiness|liveness|startup) probe (?:failed|errored)")
_KILLED = re.compile(
    r"failed (liveness|startup) probe|(liveness|startup) probe.{0,80}will be killed"
)
_STATUS = re.compile(r"statuscode: ?(\d{3})|status code:? ?(\d{3})|http status:? ?(\d{3})")
_PORT = re.compile(r"(?:https?://|dial tcp )\[?[\w.\-:%]{1,80}?\]?:(\d{2,5})(?:/|: |\b)")
_TLS = (
    "server gave http response to https client",
    "malformed http response",
    "first record does not look like a tls handshake",
    "http request to an https server",
    "tls: ",
    "certificate",
)
_NO_COMMAND = (
    "executable file not found",
    "no such file or directory",
    "command not found",
    "not found in $path",
    "exit code 127",
)
_SLOW = (
    "context deadline exceeded",
    "client.timeout exceeded",
    "i/o timeout",
    "timed out",
    "timeout",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFailure:
    """kind: readiness, liveness, startup. how: refused, slow, status, tls, command, other.

    status: of HTTP, None if there was no answer. port: that was asked, "" if not told.
    """

    text: Text
    kind: str
    how: str
    status: int | None
    port: str


def failures(case: Case, *, outlived: bool = False) -> list[ProbeFailure]:
    """Failures of probes, by events. outlived: also those from before everybody was ready."""
    texts = case.all_texts if outlived else case.texts
    found = (_failure(each) for each in texts if each.where is Where.EVENT)
    return [each for each in found if each is not None]


def _failure(text: Text) -> ProbeFailure | None:
    found = _FAILED.search(text.low[:600])
    if found is None:
        return None
    low = text.low[:1_500]
    code = _STATUS.search(low)
    port = _PORT.search(low)
    return ProbeFailure(
        text=text,
        kind=found[1],
        how=_how(low, answered=code is not None),
        status=int(next(each for each in code.groups() if each)) if code else None,
        port=port[1] if port is not None else "",
    )


def _how(low: str, *, answered: bool) -> str:
    for how, signs in (("tls", _TLS), ("command", _NO_COMMAND)):
        if any(sign in low for sign in signs):
            return how
    if answered:
        return "status"
    if "refused" in low:
        return "refused"
    return "slow" if any(sign in low for sign in _SLOW) else "other"


def kills(case: Case, kind: str) -> list[Text]:
    """Events of containers that were killed for this probe; of ready pods none."""
    found = []
    for each in case.texts:
        if each.where is not Where.EVENT:
            continue
        match = _KILLED.search(each.low[:600])
        if match is not None and kind in match.groups():
            found.append(each)
    return found


def container_of(case: Case, text: Text) -> tuple[Pod, Container] | None:
    """Whom an event is about."""
    for pod in case.pods:
        if pod.name == text.pod:
            for container in pod.containers:
                if container.name == text.container or container.name in text.text:
                    return pod, container
    return next(((pod, each) for pod, each in case.models if not is_ready(pod)), None)

"""Why a model is in its state, and why a service is not taken: codes of the domain as sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from dashboard.words import DOING_NOW, TRIGGER_LABELS, Words, word
from fleet.domain.coldstart.start import Trigger
from fleet.domain.ledger.codes import NotTakenRule, StateCode

# Parameters: see the codes. `started`, `because` and `failed` are made of them by `_made`.
STATE_REASONS: Mapping[StateCode, Words] = {
    StateCode.STOPPED: gettext_lazy("Stopped on purpose"),
    StateCode.START_FAILED: gettext_lazy("Cannot start: %(failed)s"),
    StateCode.REPLICA_REFUSED: gettext_lazy("No pod could be made: %(because)s"),
    StateCode.PAST_DEADLINE: gettext_lazy("Past its deadline and given up: %(because)s"),
    StateCode.REVISION_FAILED: gettext_lazy("Revision %(revision)s cannot serve: %(because)s"),
    StateCode.STARTING: gettext_lazy("%(started)s"),
    StateCode.NO_REPLICA_YET: gettext_lazy("Wanted, and no pod is there yet"),
    StateCode.NOT_MADE: gettext_lazy("KServe makes nothing of it: %(because)s"),
    StateCode.NOT_MADE_YET: gettext_lazy("KServe has not made anything of it yet"),
    StateCode.FAILED_START_BESIDE: gettext_lazy("Serving, and a further start fails: %(failed)s"),
    StateCode.MOSTLY_ERRORS: gettext_lazy("Most requests fail: %(of_requests)s"),
    StateCode.SOME_ERRORS: gettext_lazy("Serving with errors: %(of_requests)s"),
    StateCode.READY: gettext_lazy("Serving"),
    StateCode.ASLEEP: gettext_lazy("Asleep; a request wakes it"),
    StateCode.AT_ZERO: gettext_lazy("At zero on purpose; no request wakes it"),
}

NOT_TAKEN_REASONS: Mapping[NotTakenRule, Words] = {
    NotTakenRule.COMMAND_OVERRIDDEN: gettext_lazy("its main container runs another command"),
    NotTakenRule.OTHER_RUNTIME: gettext_lazy("its runtime serves with something else"),
    NotTakenRule.OTHER_BACKEND: gettext_lazy("told to use another backend than vLLM"),
    NotTakenRule.NO_SIGN: gettext_lazy("neither runtime, image nor command speaks of vLLM"),
    NotTakenRule.NOTHING_SEEN: gettext_lazy("no container to judge by"),
}


# Classes of failures; the set is open, a further one is shown as words.
FAILURES: Mapping[str, Words] = {
    "unschedulable": gettext_lazy("no node has room"),
    "image-pull": gettext_lazy("the image cannot be pulled"),
    "container-config": gettext_lazy("its container cannot be made"),
    "fetch-model": gettext_lazy("the model cannot be fetched"),
    "out-of-memory": gettext_lazy("out of memory"),
    "crash": gettext_lazy("the server crashed"),
    "liveness-kill": gettext_lazy("killed by its liveness probe"),
    "startup-kill": gettext_lazy("killed by its startup probe"),
    "deadline": gettext_lazy("past its deadline"),
    "node-lost": gettext_lazy("its node was lost"),
    "evicted": gettext_lazy("evicted from its node"),
    "admission": gettext_lazy("refused by its node"),
}
# The scheduler's opening, which tells nothing that the class does not.
PREAMBLE = re.compile(r"^0/\d+ nodes are available: ")


class _Known(dict[str, Any]):
    """Parameters of a sentence; one that is missing reads "?" instead of failing."""

    def __missing__(self, key: str) -> str:
        return "?"


def reason_text(code: str, params: Mapping[str, Any]) -> str:
    """The sentence of a code; a code that this release does not know is shown as words."""
    if code == StateCode.READY:
        return _serving(params)
    sentence = next((text for known, text in STATE_REASONS.items() if known == code), None)
    if sentence is None:
        return code.replace("-", " ")
    return str(sentence) % _Known({**params, **_made(params)})


def reason_with_age(code: str, params: Mapping[str, Any], *, stale: bool) -> str:
    """As `reason_text`; on a stale cluster it says that this is the last that was seen."""
    text = reason_text(code, params)
    return _("Last seen: %(text)s") % {"text": text} if stale and text else text


def not_taken_text(rule: str) -> Words:
    """Why a service is not taken for vLLM."""
    return word(NOT_TAKEN_REASONS, rule)


def _serving(params: Mapping[str, Any]) -> str:
    ready, desired = params.get("ready"), params.get("desired")
    if not isinstance(ready, int) or not isinstance(desired, int) or ready >= desired:
        return _("Serving")
    return ngettext(
        "Serving with %(ready)d of %(desired)d replica",
        "Serving with %(ready)d of %(desired)d replicas",
        desired,
    ) % {"ready": ready, "desired": desired}


def failure_text(class_: str, reason: str) -> str:
    """Why a start failed: its class in words, then what the cluster says; "" = nothing known."""
    failed = str(FAILURES.get(class_, class_.replace("-", " ")))
    return ": ".join(part for part in (failed, PREAMBLE.sub("", reason)) if part)


def _made(params: Mapping[str, Any]) -> dict[str, str]:
    """Parts of sentences made from parameters that are codes themselves."""
    reason = PREAMBLE.sub("", str(params.get("reason") or ""))
    class_ = str(params.get("class") or "")
    return {
        "started": _started(params),
        "because": reason or failure_text(class_, "") or "?",
        "failed": failure_text(class_, reason) or "?",
        "of_requests": _of_requests(params),
    }


def _of_requests(params: Mapping[str, Any]) -> str:
    """How many of the requests of the last five minutes were lost."""
    lost, requests = params.get("lost"), params.get("requests")
    if not isinstance(lost, int) or not isinstance(requests, int):
        return "?"
    return ngettext(
        "%(lost)d 5xx of %(requests)d request in 5 minutes",
        "%(lost)d 5xx of %(requests)d requests in 5 minutes",
        requests,
    ) % {"lost": lost, "requests": requests}


def _started(params: Mapping[str, Any]) -> str:
    """Why it starts, where that is known, and what it does now."""
    doing = str(word(DOING_NOW, params.get("phase") or "unexplained"))
    trigger = params.get("trigger") or Trigger.UNKNOWN
    known = "" if trigger == Trigger.UNKNOWN else str(word(TRIGGER_LABELS, trigger))
    text = f"{known}, {doing}" if known else doing
    return text[:1].upper() + text[1:]

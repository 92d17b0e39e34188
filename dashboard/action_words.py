"""What people read of plans and actions: codes of the domain as sentences, through gettext."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from dashboard.words import Words
from fleet.domain.plans.params import ActionName, How
from fleet.domain.plans.plan import When
from fleet.history.action_text import evidence_of

ACTION_LABELS: Mapping[ActionName, Words] = {
    ActionName.RAISE_MIN: _("Raise min"),
    ActionName.WARM_UP: _("Warm up"),
}

HOW_LABELS: Mapping[How, Words] = {
    How.IN_PLACE: _("in place, no new revision"),
    How.DURABLE: _("at the source, a new revision"),
    How.IN_PLACE_THEN_DURABLE: _("in place now, then at the source"),
}

WHEN_LABELS: Mapping[When, Words] = {
    When.AT_ONCE: "",
    When.AFTER_READY: _("once the first serves"),
    When.IF_UNDONE: _("only if the cluster takes the first back"),
}

ACTION_STATES: Mapping[str, Words] = {
    "queued": _("Queued"),
    "applying": _("Applying"),
    "accepted": _("Accepted"),
    "scaling": _("Scaling"),
    "ready": _("Ready"),
    "served": _("Served"),
    "failed": _("Failed"),
    "refused": _("Refused"),
    "superseded": _("Superseded"),
    "expiring": _("Expired"),
    "reverting": _("Undoing"),
    "reverted": _("Undone"),
}

CAPACITY_LABELS: Mapping[str, Words] = {
    "fits-now": _("fits now"),
    "no-free-gpu": _("no free GPU"),
    "unknown": _("not known"),
}

REFUSALS: Mapping[str, Words] = {
    "cluster-read-only": _("This cluster is set read-only. An admin can allow actions on it."),
    "being-deleted": _("The object is being deleted."),
    "stopped": _("The model is stopped on purpose. Resume it first."),
    "auto-update-disabled": _(
        "KServe does not look at this model (disable-auto-update): the change would do nothing. "
        "In place works."
    ),
    "external-autoscaler": _("An external autoscaler sets the replicas: min has no effect here."),
    "floor-too-low": _("This kind of model has at least %(least)s replica."),
    "no-revision-in-traffic": _("No revision gets traffic, so there is nothing to pin."),
    "autoscaler-unreadable": _(
        "The PodAutoscaler cannot be read, and on this version it is the object to change."
    ),
    "unreachable": _("Knative ignores the min of a revision that nothing reaches."),
    "activation-scale-below": _(
        "Activation scale is %(activation_scale)s: Knative refuses a min of %(min)s above it."
    ),
    "gitops-unconfirmed": _(
        "%(owner)s owns this object and may write the change away within minutes."
    ),
    "nothing-to-change": _("Min is %(min)s already."),
    "no-activator": _("Nothing holds a request while this model is at zero. Raise min instead."),
    "no-address": _("The model has no address: it never became ready."),
    "route-not-allowed": _(
        "No request may be sent to this model: an admin has to name the cluster's gateway, or "
        "allow the model's host."
    ),
    "model-gone": _("The model or its cluster is gone."),
    "object-gone": _("The object is not there any more: %(message)s"),
    "forbidden": _("A right is missing on the cluster: %(message)s"),
    "cluster-unreachable": _("The cluster does not answer: %(message)s"),
    "cluster-refused": _("The cluster refused: %(message)s"),
    "dry-run-refused": _("The cluster's own dry run refused: %(message)s"),
    "another-object": _("Another object of this name is there now: %(object)s"),
    "value-changed": _("Somebody changed it meanwhile: %(field)s is %(found)s"),
    "owner-changed": _("Somebody else owns the field now: %(found)s"),
    "traffic-changed": _("The traffic goes to other revisions now: %(after)s"),
    "keeps-changing": _("The object keeps changing: %(tries)s tries were overtaken."),
}

WARNINGS: Mapping[str, Words] = {
    "no-free-gpu": _("No GPU is free: new pods would wait for one (free: %(free)s)."),
    "capacity-unknown": _("Whether there is a free GPU cannot be told."),
    "new-revision": _(
        "Starts a new revision: %(pods)s more pods beside those that run, and a cold start."
    ),
    "undo-is-another-revision": _("Undoing it starts another new revision."),
    "lost-with-next-revision": _("Lost with the next revision."),
    "way-undecided": _(
        "The Knative version cannot be told: the PodAutoscaler is tried first, which a newer "
        "version takes back within seconds."
    ),
    "max-raised": _("Max is raised to %(max)s too."),
    "hpa-floor-one": _("The autoscaler here keeps at least one replica, whatever min says."),
    "prefill-raised": _("Prefill is raised too: decode alone answers nothing."),
    "gitops-owned": _("%(owner)s owns this object and may write the change away."),
    "auto-update-disabled": _("KServe does not look at this model; in place works all the same."),
    "several-revisions": _("%(revisions)s revisions get traffic; each is pinned."),
    "lowers-floor": _("This lowers min, which is %(floor)s now."),
    "counts-as-traffic": _("Counts as traffic: it keeps the model up for the autoscaler's window."),
    "timeout-below-start": _(
        "Its starts take %(eta_p50_s)s s, longer than the wait of %(timeout_s)s s."
    ),
}

EVIDENCE: Mapping[str, Words] = {
    **REFUSALS,
    "asked": _("asked for"),
    "writing": _("checking that all is as planned, then writing"),
    "writing-source": _("it serves; now the source is written"),
    "written": _("the cluster took the change: %(objects)s"),
    "written-to-revision": _("the cluster took it back, so the Revision was written: %(objects)s"),
    "floor-kept": _("the PodAutoscaler keeps it"),
    "floor-in-force": _("min %(min)s is in force; replicas wanted: %(wished)s"),
    "dead-zone": _("nothing moved for %(after_s)s s: one request is sent to wake it"),
    "replicas-ready": _("%(ready)s ready"),
    "start-failing": _("a start fails now: %(reason)s"),
    "start-failed": _("the start failed: %(reason)s"),
    "not-ready-in-time": _("%(ready)s of %(min)s ready after %(after_s)s s"),
    "accepted-not-effective": _(
        "accepted, not effective: min in force is %(floor)s; replicas wanted: %(wished)s"
    ),
    "revision-replaced": _("revision %(revision)s took over, and the pin with it is lost"),
    "floor-taken-back": _("somebody set min to %(floor)s"),
    "floor-lowered": _("min is %(min)s"),
    "answered": _("good answer, first token after %(ttft_s)s s"),
    "check-failed": _("no good answer yet (%(status)s); asked again soon"),
    "no-good-answer": _("ready, but no good answer: %(status)s %(said)s"),
    "check-not-allowed": _("ready; no check request may be sent to it"),
    "up-needs-key": _("up, needs a key"),
    "up-unknown-name": _("up, does not know the name %(model)s"),
    "up-bad-request": _("up, refuses the request (%(status)s)"),
    "finding-route": _("finding the model's own route"),
    "request-sent": _("request sent to %(url)s"),
    "no-route": _("no route: nothing stands behind this address"),
    "down": _("answered %(status)s %(said)s"),
    "no-answer": _("no answer: %(said)s"),
    "expired": _("its time is over"),
    "undoing": _("writing the old values back"),
    "undone": _("old values are back: %(objects)s"),
    "cluster-removed": _("the cluster was removed from Pilot Light"),
}


class _Known(dict[str, Any]):
    """Figures of a sentence; one that is missing reads "?", lists read as words."""

    def __missing__(self, key: str) -> str:
        return "?"

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if isinstance(value, list):
            return ", ".join(_short(each) for each in value)
        if isinstance(value, dict):
            return ", ".join(f"{name} {count}" for name, count in value.items()) or "0"
        return "–" if value is None else value


def _short(value: object) -> str:
    """Of an object's whole name: kind and name."""
    parts = str(value).split("/")
    return f"{parts[2]} {parts[4]}" if len(parts) == 5 else str(value)


def sentence(table: Mapping[str, Words], code: str, params: Mapping[str, Any]) -> str:
    """The sentence of a code; one that this release does not know is shown as words."""
    found = table.get(code)
    if found is None:
        return code.replace("-", " ")
    return str(found) % _Known(params)


def warning_text(notice: Mapping[str, Any]) -> str:
    """A warning of a plan."""
    return sentence(WARNINGS, str(notice.get("code", "")), notice.get("params") or {})


def refusal_text(notice: Mapping[str, Any]) -> str:
    """Why a plan is refused."""
    return sentence(REFUSALS, str(notice.get("code", "")), notice.get("params") or {})


def evidence_words(kept: str) -> str:
    """The evidence of a step."""
    code, params = evidence_of(kept)
    return sentence(EVIDENCE, code, params)


def result_text(result: Mapping[str, Any] | None) -> str:
    """How an action ended, "" while it has not."""
    if not result:
        return ""
    return sentence(EVIDENCE, str(result.get("code", "")), result.get("params") or {})

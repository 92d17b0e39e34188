"""What people read of a finding: one sentence, made of its rule's code and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.cause_words import cause_words
from dashboard.words import Words
from fleet.domain.diagnosis.records import Finding

RULE_SENTENCES: Mapping[str, Words] = {
    "pod-taken-away": gettext_lazy("The machine or the place of a replica was taken away."),
    "never-created": gettext_lazy("Its pods are never made: %(what)s stands in the way."),
    "settings-contradict": gettext_lazy("Two settings contradict, or one is ignored by rule."),
    "volume-elsewhere": gettext_lazy("The volume decides where the pod may go: %(what)s."),
    "volume-not-attached": gettext_lazy("A volume cannot be attached or mounted."),
    "rollout-waits-for-itself": gettext_lazy(
        "New replicas wait for what old ones of this model keep (%(what)s)."
    ),
    "node-on-its-way": gettext_lazy("A replica waits for a node that is on its way."),
    "waited-for-node": gettext_lazy(
        "Waiting %(waited_s)s s for a node was the largest part of the start."
    ),
    "no-gpu-free": gettext_lazy("No GPU is free and none is on its way (%(what)s)."),
    "no-node-fits": gettext_lazy("No node fits: %(what)s."),
    "registry-counts": gettext_lazy("The image registry answers 429: too many requests."),
    "hub-counts": gettext_lazy("The model hub answers 429: too many requests."),
    "disk-full": gettext_lazy("A disk, or the pod's share of it, is full."),
    "image-not-pulled": gettext_lazy("The image cannot be resolved or pulled."),
    "image-pulled-slowly": gettext_lazy("Pulling the image takes long: %(seconds)s s."),
    "fetch-denied": gettext_lazy("The model's store refuses the identity that asks."),
    "fetch-failed": gettext_lazy("The model cannot be fetched from where it is said to be."),
    "fetch-cut-off": gettext_lazy("The download does not reach the model's store."),
    "fetch-slow": gettext_lazy("Fetching the model takes long: %(seconds)s s."),
    "host-memory-full": gettext_lazy("A container was killed for its memory."),
    "device-memory-full": gettext_lazy("The GPU has no memory left for the model."),
    "cache-blocks-full": gettext_lazy("The weights fit, the KV cache does not."),
    "probe-asks-wrong-place": gettext_lazy("A probe asks a wrong port, path or scheme."),
    "start-stands-still": gettext_lazy("The engine's start makes no progress."),
    "exits-at-start": gettext_lazy("The server ends by itself at its start."),
    "liveness-kills-start": gettext_lazy("The liveness probe restarts it while it loads."),
    "startup-budget-short": gettext_lazy("The startup probe gives up before the load is done."),
    "liveness-kills-busy": gettext_lazy("The liveness probe restarts a server that works."),
    "probe-times-out-busy": gettext_lazy("Probes time out at a server that works."),
    "deadline-ended-start": gettext_lazy(
        "The progress deadline of %(deadline_s)s s ended the start, or calls it failed."
    ),
    "loading-slow": gettext_lazy("Loading, compiling or warming up takes long, but moves."),
    "stopped-with-requests": gettext_lazy("A planned stop loses requests or capacity."),
    "traffic-before-ready": gettext_lazy(
        "Traffic goes to %(backend)s before it is ready to serve its share."
    ),
    "ready-before-model": gettext_lazy("A replica is Ready before its model can answer."),
    "name-not-served": gettext_lazy("Requests ask for a model name that is not served."),
    "cut-off": gettext_lazy("The network or the mesh stands between the parts."),
    "sent-elsewhere": gettext_lazy("The route sends requests where they cannot be served."),
    "scaler-reads-nothing": gettext_lazy("The autoscaler reads no metric, or the wrong one."),
    "engine-dead": gettext_lazy("The server answers, its engine is dead or frozen."),
    "scaler-late": gettext_lazy("The autoscaler acts, capacity comes too late or in bad steps."),
    "more-work-than-capacity": gettext_lazy("There is more work than the replicas can do."),
    "more-work-before": gettext_lazy(
        "There was more work than the replicas could do; nothing waits any more."
    ),
    "limit-shorter-than-start": gettext_lazy(
        "A limit of %(limit_s)s s (%(layer)s) is shorter than a start of %(start_s)s s."
    ),
    "nobody-ready": gettext_lazy("No replica was ready when the request came."),
    "limit-shorter-than-answer": gettext_lazy(
        "A limit of %(limit_s)s s (%(layer)s) ends requests at a warm replica."
    ),
    "stopped-on-purpose": gettext_lazy("Nothing wrong: it is stopped on purpose."),
    "starting": gettext_lazy("Nothing wrong: a start is under way and within its limits."),
    "asleep-on-purpose": gettext_lazy("Nothing wrong: it sleeps at zero replicas, as it may."),
    "serving": gettext_lazy("Nothing wrong: it serves."),
    "collect": gettext_lazy("What is known does not decide it. Collect: %(collect)s."),
}
COLLECT_LABELS: Mapping[str, Words] = {
    "previous-log": gettext_lazy("the log of the run that ended (kubectl logs --previous)"),
    "memory-samples": gettext_lazy("memory samples of the container"),
    "gateway-access-log": gettext_lazy("the gateway's access log with response flags"),
    "times-of-failures": gettext_lazy("the times of failed requests"),
    "pods": gettext_lazy("the pods"),
    "events": gettext_lazy("the namespace's events"),
    "engine-log": gettext_lazy("the server's log"),
    "autoscaler": gettext_lazy("the PodAutoscaler or HPA"),
    "request-metrics": gettext_lazy("request metrics"),
    "repeat-while-failing": gettext_lazy("all of it again, while requests fail"),
}


def summary_of(finding: Finding) -> str:
    """A finding in one sentence; of a rule that this release does not know, its cause."""
    sentence = RULE_SENTENCES.get(finding.rule)
    if sentence is None:
        return str(cause_words(finding.cause.value))
    try:
        return str(sentence) % _named(finding.params)
    except (KeyError, TypeError, ValueError):
        return str(cause_words(finding.cause.value))


def _named(params: Mapping[str, object]) -> dict[str, Any]:
    return {key: _shown(key, value) for key, value in params.items()}


def _shown(key: str, value: object) -> str:
    if key == "collect" and isinstance(value, list | tuple):
        return _("; ").join(str(COLLECT_LABELS.get(str(each), each)) for each in value)
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 10 else f"{value:g}"
    return str(value)

"""What people read of a cluster's metrics: what was found, and what to switch on, with the text to
copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from dashboard.metrics_snippets import (
    ACTIVATOR_MONITOR,
    CONTROL_PLANE,
    QUEUE_PROXY_MONITOR,
    REQUEST_METRICS,
    VLLM_MONITOR,
)
from dashboard.words import Words
from fleet.domain.requests.records import Era, Hop

SOURCE_LABELS: Mapping[str, Words] = {
    "prometheus": _("a Prometheus-compatible server"),
    "pages": _("metrics pages, through the API server"),
}
ERA_LABELS: Mapping[str, Words] = {
    Era.OPENCENSUS: _("OpenCensus (Knative up to 1.18)"),
    Era.TRANSITION: _("between the two (Knative 1.19.0 to 1.20.0)"),
    Era.OPENTELEMETRY: _("OpenTelemetry (Knative from 1.19.8, 1.20.1 or 1.21 on)"),
    Era.NONE: _("no metrics of Knative"),
}
ERA_SHORT: Mapping[str, Words] = {
    Era.OPENCENSUS: _("OpenCensus"),
    Era.TRANSITION: _("1.19 transition"),
    Era.OPENTELEMETRY: _("OpenTelemetry"),
    Era.NONE: _("no Knative metrics"),
}
QUEUE_PROXY_LABELS: Mapping[str, Words] = {
    "relabelled": _("series name their revision"),
    "target-info": _("the revision is known by a join with target_info"),
    "pod": _("only the pod is named; its revision is known while the pod lives"),
    "": _("none found"),
}
INGRESS_LABELS: Mapping[str, Words] = {
    "istio": _("Istio"),
    "kourier": _("Kourier"),
    "envoy-gateway": _("Envoy Gateway"),
    "nginx": _("nginx"),
    "": _("none found"),
}

# Why a hop cannot be told apart.
UNTOLD: Mapping[Hop, Words] = {
    Hop.INGRESS: _("No metrics of an ingress that is known here were found."),
    Hop.PICKER: _("No metrics of an endpoint picker: only LLM services on a pool have one."),
    Hop.ACTIVATOR: _("No request metrics of Knative's activator were found."),
    Hop.QUEUE_PROXY: _("No request metrics of queue-proxies were found."),
    Hop.CONTAINER: _("Nothing tells what the model servers themselves answered."),
}
# How a hop is told.
TOLD: Mapping[Hop, Words] = {
    Hop.INGRESS: _("What the ingress answered, less what it only passed on."),
    Hop.PICKER: _("The picker's own errors."),
    Hop.ACTIVATOR: _("What the activator answered, less what came from behind it."),
    Hop.QUEUE_PROXY: _("What the proxy answered, less what the model server had answered."),
    Hop.CONTAINER: _("What the model servers answered."),
}
# Where the naming of an era allows a lower bound only. Source: knative/serving up to 1.18 counts no
# calls from the activator to pods.
BOUNDED: Mapping[tuple[Era, Hop], Words] = {
    (Era.OPENCENSUS, Hop.ACTIVATOR): _(
        "Exact while all requests pass the activator; a lower bound (≥) while some go straight to "
        "pods: this Knative does not count the activator's own calls."
    ),
    (Era.OPENCENSUS, Hop.QUEUE_PROXY): _(
        "A lower bound (≥): queue-proxy's answers less the container's, which this Knative counts "
        "by another clock."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceWords:
    """title: what to do. why: what it gives. snippet: to copy, "" = nothing; where: what it is for.

    Parameters of the advice stand in braces in `why`.
    """

    title: Words
    why: Words
    snippet: str = ""
    where: Words = ""


ADVICE: Mapping[str, AdviceWords] = {
    "metrics-off": AdviceWords(
        title=_("Switch on the metrics of Knative's control plane"),
        why=_(
            "Without them the activator is not counted: 5xx of requests that were held during a "
            "cold start are missing. The activator and the autoscaler read the setting at their "
            "start: restart both deployments. No model pod restarts."
        ),
        snippet=CONTROL_PLANE,
        where=_("ConfigMap config-observability, namespace knative-serving"),
    ),
    "no-activator-metrics": AdviceWords(
        title=_("Let the activator be scraped"),
        why=_("Its metrics are on, or on by default, but nobody collects them: port 9090."),
        snippet=ACTIVATOR_MONITOR,
        where=_("a PodMonitor, where the Prometheus operator runs"),
    ),
    "request-metrics-off": AdviceWords(
        title=_("Switch on request metrics of queue-proxies"),
        why=_(
            "They tell the model server's answers from the proxy's own, and count what goes past "
            "the activator."
        ),
        snippet=REQUEST_METRICS,
        where=_("ConfigMap config-observability, namespace knative-serving"),
    ),
    "no-queue-proxy-metrics": AdviceWords(
        title=_("Let queue-proxies be scraped"),
        why=_("Port 9091 of every model pod, with the labels by which a revision is known."),
        snippet=QUEUE_PROXY_MONITOR,
        where=_("a PodMonitor, where the Prometheus operator runs"),
    ),
    "no-queue-proxy-identity": AdviceWords(
        title=_("Name the revision in what queue-proxies report"),
        why=_(
            "Their series carry no revision: they are matched by the pod's name alone, which is "
            "lost with the pod. A relabelling at the scrape keeps it."
        ),
        snippet=QUEUE_PROXY_MONITOR,
        where=_("a PodMonitor, where the Prometheus operator runs"),
    ),
    "era-label-defect": AdviceWords(
        title=_("Update Knative: its activator loses labels"),
        why=_(
            "Knative 1.19.0 to 1.19.2 drops namespace and revision from the activator's metrics; "
            "1.19.3 mends it. Until then 5xx of the activator belong to no model."
        ),
    ),
    "activator-labels-lost": AdviceWords(
        title=_("The activator's series name no revision"),
        why=_(
            "A scrape rule or a recording rule drops kn_revision_name or k8s_namespace_name: keep "
            "both."
        ),
    ),
    "no-ingress-metrics": AdviceWords(
        title=_("Let the ingress be scraped"),
        why=_(
            "Without it, 5xx that never reached Knative (no healthy backend, a route's time limit) "
            "are not seen. Istio: port 15090 of the gateway; Kourier: port 9000; Envoy Gateway: "
            "port 19001; path /stats/prometheus each."
        ),
    ),
    "no-vllm": AdviceWords(
        title=_("Let the model servers be scraped"),
        why=_(
            "vLLM's own metrics tell what waits, what runs and how long answers take; in Standard "
            "mode they also tell the model server's errors from the ingress's."
        ),
        snippet=VLLM_MONITOR,
        where=_("a PodMonitor, where the Prometheus operator runs"),
    ),
    "no-picker-metrics": AdviceWords(
        title=_("Let the endpoint picker be scraped"),
        why=_(
            "Port 9090 of the router-scheduler pods; the endpoint may ask for a token. It tells "
            "requests that were shed before any pod saw them."
        ),
    ),
    "no-kube-state": AdviceWords(
        title=_("Let kube-state-metrics be scraped"),
        why=_("It tells restarts and their reasons for times that nobody watched."),
    ),
}

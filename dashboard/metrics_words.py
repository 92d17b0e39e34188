"""What people read of a cluster's metrics: what was found, and what to switch on, with the text to
copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
# Why what is told of a hop is a lower bound.
BOUNDED: Mapping[Hop, Words] = {
    Hop.ACTIVATOR: _(
        "Exact while all requests pass the activator; a lower bound (≥) while some go straight to "
        "pods: the activator's own calls to pods are not counted here."
    ),
    Hop.QUEUE_PROXY: _("A lower bound (≥): what queue-proxies were answered is not counted here."),
    Hop.CONTAINER: _("A lower bound (≥): what queue-proxies were answered is not counted here."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceWords:
    """title: what to do. why: what it gives. snippets: texts to copy, with what each is for."""

    title: Words
    why: Words
    snippets: Sequence[tuple[Words, str]] = ()


IN_CONFIG_MAP = _("ConfigMap config-observability, namespace knative-serving")
IN_MONITOR = _("A PodMonitor, where the Prometheus operator runs")


ADVICE: Mapping[str, AdviceWords] = {
    "metrics-off": AdviceWords(
        title=_("Switch on the metrics of Knative's control plane"),
        why=_(
            "Without them the activator is not counted: 5xx of requests that were held during a "
            "cold start are missing. The activator and the autoscaler read the setting at their "
            "start: restart both deployments. No model pod restarts."
        ),
        snippets=((IN_CONFIG_MAP, CONTROL_PLANE),),
    ),
    "no-activator-metrics": AdviceWords(
        title=_("Let the activator be scraped"),
        why=_("Its metrics are on, or on by default, but nobody collects them: port 9090."),
        snippets=((IN_MONITOR, ACTIVATOR_MONITOR),),
    ),
    "request-metrics-off": AdviceWords(
        title=_("Switch on request metrics of queue-proxies"),
        why=_(
            "They tell the model server's answers from the proxy's own, and count what goes past "
            "the activator. If they are on already, nobody collects port 9091 of model pods: only "
            "the PodMonitor is missing, and nothing restarts."
        ),
        snippets=((IN_CONFIG_MAP, REQUEST_METRICS), (IN_MONITOR, QUEUE_PROXY_MONITOR)),
    ),
    "no-queue-proxy-identity": AdviceWords(
        title=_("Name the revision in what queue-proxies report"),
        why=_(
            "Their series carry no revision: they are matched by the pod's name alone, which is "
            "lost with the pod. A relabelling at the scrape keeps it."
        ),
        snippets=((IN_MONITOR, QUEUE_PROXY_MONITOR),),
    ),
    "client-metrics-dropped": AdviceWords(
        title=_("Keep what queue-proxies count of their own calls"),
        why=_(
            "The series http_client_request_duration_seconds of model pods are dropped at the "
            "scrape: they alone hold exactly what the model servers answered."
        ),
    ),
    "activator-labels-lost": AdviceWords(
        title=_("The activator's series name no revision"),
        why=_(
            "Knative 1.19.0 to 1.19.2 loses these labels, 1.19.3 mends it; or a rule at the scrape "
            "drops kn_revision_name or k8s_namespace_name. Until then 5xx of the activator belong "
            "to no model."
        ),
    ),
    "dotted-names": AdviceWords(
        title=_("Metrics arrive under names with dots"),
        why=_(
            "Knative 1.19 with Prometheus 3 keeps names such as kn.queueproxy.depth: "
            "they are not read. Set metric_name_validation_scheme: legacy in the scrape, or update "
            "Knative."
        ),
    ),
    "no-up": AdviceWords(
        title=_("Let the series up be kept"),
        why=_(
            "This server stores no up of its targets: whether a counter is new or was only not "
            "read cannot be told, and the first errors of a new series may be missed."
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
        snippets=((IN_MONITOR, VLLM_MONITOR),),
    ),
}

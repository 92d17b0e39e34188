"""What to switch on, or to mend, so that more can be told."""

from collections.abc import Iterator

from fleet.domain.requests import eras
from fleet.domain.requests.found import ACTIVATORS_OWN, AUTOSCALERS_OWN, DOTTED, UP, Found
from fleet.domain.requests.moves import Role
from fleet.domain.requests.records import Advice, Era, MetricsFacts


def advice_on(facts: MetricsFacts, found: Found) -> Iterator[Advice]:
    yield from _knative_advice(facts, found)
    if found.has(*DOTTED):
        yield Advice(code="dotted-names")
    if not facts.ingress:
        yield Advice(code="no-ingress-metrics")
    if not facts.vllm:
        yield Advice(code="no-vllm")
    if found.source == "prometheus" and not found.has(UP):
        yield Advice(code="no-up")


def _knative_advice(facts: MetricsFacts, found: Found) -> Iterator[Advice]:
    control_plane = found.has(*ACTIVATORS_OWN, *AUTOSCALERS_OWN) or facts.era is not Era.NONE
    if not control_plane:
        if found.knative:
            yield Advice(code="metrics-off", params={"knative": found.knative})
        return
    has_queue_proxy = found.has(*(f"{name}_count" for name in eras.APP_OF.values()))
    if not has_queue_proxy and found.pods:
        yield Advice(code="request-metrics-off", rolls_pods=True)
    if has_queue_proxy and not facts.queue_proxy:
        yield Advice(code="no-queue-proxy-identity")
    if facts.queue_proxy and Role.ASKED not in facts.jobs and facts.era is not Era.OPENCENSUS:
        yield Advice(code="client-metrics-dropped")
    if not found.has(*ACTIVATORS_OWN, "activator_request_count"):
        yield Advice(code="no-activator-metrics")
    elif facts.era is not Era.OPENCENSUS and _labels_lost(found):
        yield Advice(code="activator-labels-lost", params={"knative": found.knative})


def _labels_lost(found: Found) -> bool:
    """Knative 1.19.0 to 1.19.2. Source: knative/serving#16044."""
    return not found.activator_named and found.has(f"{eras.SERVER}_count")

"""What people read of who made a 5xx, and of what such an answer means."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from dashboard.words import Words, word
from fleet.domain.requests.records import Hop

# From the caller to the model.
HOP_LABELS: Mapping[Hop, Words] = {
    Hop.INGRESS: _("ingress"),
    Hop.PICKER: _("endpoint picker"),
    Hop.ACTIVATOR: _("activator"),
    Hop.QUEUE_PROXY: _("queue-proxy"),
    Hop.CONTAINER: _("model container"),
}

# Where there is little room.
HOP_SHORT: Mapping[Hop, Words] = {
    **HOP_LABELS,
    Hop.PICKER: _("picker"),
    Hop.CONTAINER: _("container"),
}

HOP_ABOUT: Mapping[Hop, Words] = {
    Hop.INGRESS: _("the gateway in front of everything: Envoy, Istio or nginx"),
    Hop.PICKER: _("what chooses a pod of an inference pool for each request"),
    Hop.ACTIVATOR: _("what holds requests while a Knative revision has no ready pod"),
    Hop.QUEUE_PROXY: _("the proxy beside the model server, in every Knative pod"),
    Hop.CONTAINER: _("the model server itself, with what runs before it in the pod"),
}

# What an answer of that hop with that code means. Source: knative/serving, pkg/activator/handler,
# pkg/queue, pkg/http/handler/timeout.go; Envoy, response flags.
MEANINGS: Mapping[tuple[Hop, int], Words] = {
    (Hop.INGRESS, 500): _("the gateway itself failed, or a filter in it did"),
    (Hop.INGRESS, 502): _("the backend broke the protocol or the connection"),
    (Hop.INGRESS, 503): _("no healthy backend, or none could be reached: endpoints were empty"),
    (Hop.INGRESS, 504): _("the route's own time limit passed before an answer"),
    (Hop.PICKER, 500): _("the picker itself failed"),
    (Hop.PICKER, 503): _("no pod could be picked, or the request was shed: all are busy"),
    (Hop.PICKER, 504): _("no pod was picked in time"),
    (Hop.ACTIVATOR, 500): _("the revision could not be looked up"),
    (Hop.ACTIVATOR, 502): _("the pod could not be reached: it died, or was being drained"),
    (Hop.ACTIVATOR, 503): _("no pod was reached"),
    (Hop.ACTIVATOR, 504): _(
        "the revision's time limit passed while it was held for a cold start, or was too slow"
    ),
    (Hop.QUEUE_PROXY, 500): _("the proxy itself failed"),
    (Hop.QUEUE_PROXY, 502): _("the model server refused or dropped it: it restarts, or crashed"),
    (Hop.QUEUE_PROXY, 503): _("the pod's queue was full: too many requests at once"),
    (Hop.QUEUE_PROXY, 504): _("the answer took longer than the revision's time limit"),
    (Hop.CONTAINER, 500): _("the model server failed on it: the engine erred, or died"),
    (Hop.CONTAINER, 502): _("what runs before the model server got no answer from it"),
    (Hop.CONTAINER, 503): _("the model server said that it cannot serve now"),
    (Hop.CONTAINER, 504): _("the model server gave up waiting for its engine"),
}


def hop_word(hop: str) -> Words:
    """The label of a stored hop; one that this release does not know is shown as it is."""
    return word(HOP_LABELS, hop)


def short_hop_word(hop: str) -> Words:
    return word(HOP_SHORT, hop)


def meaning(hop: str, code: int) -> Words:
    """What that answer means, "" where there is nothing to say beyond who made it."""
    return next((says for (h, c), says in MEANINGS.items() if h == hop and c == code), "")

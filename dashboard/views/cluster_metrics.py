"""What a cluster's metrics can tell of requests, and what to switch on so that they tell more."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.requests import grant_of_request
from dashboard.access.scope import clusters_within
from dashboard.forms.metrics import MetricsForm, metrics_form
from dashboard.views.metrics_card import metrics_card
from fleet.models import Cluster


@require_safe
def cluster_metrics(request: HttpRequest, name: str) -> HttpResponse:
    """404 for a cluster out of scope, as for one that there is not."""
    return metrics_page(request, name)


def metrics_page(
    request: HttpRequest, name: str, *, form: MetricsForm | None = None, status: int = 200
) -> HttpResponse:
    """form: as it was filled in; None = as the cluster stands."""
    grant = grant_of_request(request)
    row = clusters_within(Cluster.objects.present(), grant).filter(name=name).first()
    if row is None:
        raise Http404("No such cluster in the part of the fleet that you may see.")
    context = {
        "card": metrics_card(row, grant, now=datetime.now(UTC)),
        "metrics_form": form or metrics_form(row),
        "here": "clusters",
    }
    return render(request, "pages/cluster_metrics.html", context, status=status)

"""Setting where a cluster's metrics are read, and trying it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dashboard.access.requests import require
from dashboard.access.rules import Role
from dashboard.forms.metrics import MetricsForm
from dashboard.views.cluster_metrics import metrics_page
from dashboard.views.deeds import deed_of
from fleet import wiring_metrics
from fleet.domain.requests.records import MetricsFacts
from fleet.errors import FleetError
from fleet.history.clusters import found
from fleet.history.metrics_settings import apply_place, set_metrics
from fleet.models import Cluster


@require_POST
def metrics_set(request: HttpRequest, name: str) -> HttpResponse:
    """Try it, then keep it; a failed try keeps what was typed but the secrets."""
    require(request, Role.ADMIN, name)
    form = MetricsForm(request.POST)
    if form.is_valid():
        try:
            said = _kept(name, form, request)
        except FleetError as error:
            form.add_error(None, _("Not kept: %(why)s") % {"why": str(error)[:500]})
        else:
            messages.success(request, said)
            return redirect("cluster-metrics", name=name)
    return metrics_page(request, name, form=form, status=422)


@require_POST
def metrics_test(request: HttpRequest, name: str) -> HttpResponse:
    """Ask now and say what was found."""
    require(request, Role.ADMIN, name)
    try:
        messages.success(request, _found_text(name, wiring_metrics.look_at_metrics(found(name))))
    except FleetError as error:
        messages.error(request, f"{name}: {str(error)[:500]}")
    return redirect("cluster-metrics", name=name)


def _kept(name: str, form: MetricsForm, request: HttpRequest) -> str:
    """Tried where there is something to try; what to say. Raises fleet.errors."""
    secret = form.secret()
    sealed = None if secret is None else wiring_metrics.sealed_metrics_secret(name, secret)
    place = form.place()
    trial: Cluster = found(name)
    apply_place(trial, place, sealed)
    said = _("Requests of %(name)s are counted from now on.") % {"name": name}
    if not place.url and not place.pages:
        said = _("Requests of %(name)s are not counted any more.") % {"name": name}
    if place.url and not form.cleaned_data["untried"]:
        said = _found_text(name, wiring_metrics.look_at_metrics(trial))
    set_metrics(name, place, sealed, deed_of(request))
    return said


def _found_text(name: str, facts: MetricsFacts) -> str:
    hops = ", ".join(sorted(hop.value for hop in facts.told)) or _("none")
    return _("%(name)s answers: hops told apart: %(hops)s.") % {"name": name, "hops": hops}

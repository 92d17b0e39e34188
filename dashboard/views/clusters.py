"""The clusters page: how each cluster is reached, what is watched, what is missing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dashboard.access.requests import grant_of_request, require
from dashboard.access.rules import Grant, Role, may
from dashboard.forms.cluster import ClusterForm
from dashboard.views.cluster_cards import cluster_cards
from dashboard.views.deeds import deed_of
from fleet import wiring
from fleet.errors import BadInput, FleetError
from fleet.history import cluster_admin
from fleet.history.access import Deed
from fleet.history.clusters import found
from fleet.models import Cluster


def clusters(request: HttpRequest) -> HttpResponse:
    """All clusters in scope; admins can add one."""
    grant = grant_of_request(request)
    return _page(request, grant, ClusterForm())


@require_POST
def cluster_add(request: HttpRequest) -> HttpResponse:
    """Try the connection, then follow the cluster; a failed try keeps what was typed but the
    token."""
    grant = require(request, Role.ADMIN)
    form = ClusterForm(request.POST)
    if not form.is_valid():
        return _page(request, grant, form, status=422)
    try:
        row = _added(form, deed_of(request))
    except (FleetError, ValueError) as error:
        form.add_error(None, _("Not added: %(why)s") % {"why": str(error)[:500]})
        return _page(request, grant, form, status=422)
    messages.success(request, _("%(name)s is followed from now on.") % {"name": row.name})
    return redirect(f"{reverse('clusters')}#{row.name}")


def _added(form: ClusterForm, deed: Deed) -> Cluster:
    asked = form.cleaned_data
    connection = cluster_admin.Connection(
        server=asked["server"],
        ca_pem=asked["ca_pem"],
        sealed_token=wiring.sealed_reader_token(asked["name"], asked["token"]),
    )
    names = form.namespace_names()
    trial = Cluster(
        name=asked["name"],
        source="token",
        server=connection.server,
        ca_pem=connection.ca_pem,
        reader_secret=connection.sealed_token,
        namespaces=names,
    )
    wiring.look_at(trial)
    return cluster_admin.add_by_token(asked["name"], connection, deed, namespaces=names)


@require_POST
def cluster_test(request: HttpRequest, name: str) -> HttpResponse:
    """Connect now and say what was found."""
    require(request, Role.ADMIN, name)
    try:
        facts = wiring.look_at(found(name))
    except FleetError as error:
        messages.error(request, f"{name}: {str(error)[:500]}")
        return _back(name)
    said = {
        "name": name,
        "kubernetes": facts.kubernetes or "?",
        "served": len(facts.served),
        "missing": len(facts.missing),
    }
    text = _("%(name)s answers: Kubernetes %(kubernetes)s, %(served)d kinds read, %(missing)d")
    messages.success(request, (text + " " + _("rights missing.")) % said)
    return _back(name)


@require_POST
def cluster_change(request: HttpRequest, name: str) -> HttpResponse:
    """Pause, resume, make read-only or not, remove: the button's value says which."""
    require(request, Role.ADMIN, name)
    change = CHANGES.get(request.POST.get("do", ""))
    if change is None:
        return HttpResponse(status=400)
    try:
        change(name, deed_of(request))
    except BadInput as error:
        messages.error(request, str(error))
    return _back(name)


CHANGES: dict[str, Callable[[str, Deed], None]] = {
    "pause": lambda name, deed: cluster_admin.pause(name, deed, paused=True),
    "resume": lambda name, deed: cluster_admin.pause(name, deed, paused=False),
    "read-only": lambda name, deed: cluster_admin.set_read_only(name, deed, read_only=True),
    "writable": lambda name, deed: cluster_admin.set_read_only(name, deed, read_only=False),
    "remove": cluster_admin.remove,
}


def _back(name: str) -> HttpResponse:
    return redirect(f"{reverse('clusters')}#{name}")


def _page(
    request: HttpRequest, grant: Grant, form: ClusterForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "cards": cluster_cards(grant, now=datetime.now(UTC)),
        "form": form,
        "may_add": may(grant, Role.ADMIN),
        "here": "clusters",
    }
    return render(request, "pages/clusters.html", context, status=status)

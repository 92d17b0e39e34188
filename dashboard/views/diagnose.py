"""The page that diagnoses what somebody pastes or uploads. Nothing of it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from dashboard.access.requests import grant_of_request
from dashboard.access.writes import TooManyWrites, count_write
from dashboard.forms.bundle import BundleForm
from dashboard.views.advice_cards import AdviceCard, advice_card
from dashboard.views.finding_cards import FindingCard, finding_card
from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.table import lint


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """name: of the model in it, "" = none. advice: None where no settings were given."""

    name: str
    findings: Sequence[FindingCard]
    advice: Sequence[AdviceCard] | None


@require_http_methods(["GET", "POST"])
def diagnose_page(request: HttpRequest) -> HttpResponse:
    """A form; after it what the bundle tells."""
    who = grant_of_request(request).who
    if request.method == "GET":
        return _page(request, BundleForm())
    form = BundleForm(request.POST, request.FILES)
    try:
        count_write(who)
    except TooManyWrites as error:
        form.add_error(None, str(error))
        return _page(request, form, status=429)
    if not form.is_valid():
        return _page(request, form, status=422)
    return _page(request, form, diagnosed=diagnosed(form.cleaned_data["bundle"]))


def diagnosed(bundle: Mapping[str, Any]) -> Diagnosed:
    """What is found in a bundle, by the rules that live models are judged by."""
    evidence = evidence_from_bundle(bundle)
    settings = settings_from_objects([bundle])
    first = settings[0] if settings else None
    return Diagnosed(
        name=evidence.model.name,
        findings=[finding_card(each) for each in diagnose(evidence)],
        advice=None if first is None else [advice_card(each) for each in lint(first)],
    )


def _page(
    request: HttpRequest,
    form: BundleForm,
    *,
    diagnosed: Diagnosed | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "diagnosed": diagnosed, "here": "diagnose"}
    return render(request, "pages/diagnose.html", context, status=status)

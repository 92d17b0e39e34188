"""The page of one lint rule."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.rule_pages import rule_page


@require_safe
def rule(request: HttpRequest, code: str) -> HttpResponse:
    """What it says, why, and what following it does."""
    written = rule_page(code)
    if written is None:
        raise Http404(code)
    return render(request, "pages/rule.html", {"code": code, "written": written})

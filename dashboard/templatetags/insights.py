"""What templates need of findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from dashboard.views.finding_cards import FindingLine, finding_line

register = template.Library()


@register.simple_tag
def finding_line_of(top: Mapping[str, Any]) -> FindingLine:
    """The finding that a fleet row keeps, in words."""
    return finding_line(top)

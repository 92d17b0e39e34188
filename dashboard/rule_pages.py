"""Pages of lint rules: what docs/rules says, as HTML."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from dashboard.lint_words import PAGE
from fleet.domain.lint.table import RULES

ROOT = Path(__file__).resolve().parent.parent
CODES = frozenset(rule.code for rule in RULES)


@cache
def rule_page(code: str) -> SafeString | None:
    """The page of a rule, None if there is no such rule. Its text is ours: nothing in it comes
    from a cluster, and HTML in it would be escaped."""
    if code not in CODES:
        return None
    source = (ROOT / (PAGE % code)).read_text()
    written: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(source)
    return mark_safe(written)  # noqa: S308

"""What our templates need beside Django's own tags."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

from django import template
from django.template.loader import get_template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from dashboard.charts.figures import Cell
from dashboard.charts.plotly_files import MAP_STYLE_ID
from dashboard.charts.share import share_text
from dashboard.charts.spark import Spark
from dashboard.charts.spoken import age_text, clock_text
from dashboard.compare_words import signed
from dashboard.lost_words import Lost, lost_text
from dashboard.words import PHASE_LABELS, Words, word
from fleet.domain.coldstart.start import Phase
from fleet.domain.ledger.delta import State
from fleet.domain.requests.lost import lost_in

register = template.Library()

# How a moment is written.
FORMS = ("short", "long", "clock")

# Shapes in a box of 12 by 12; colour comes from the text around them.
MARKS: dict[str, str] = {
    State.FAILING: '<rect x="1" y="1" width="10" height="10" fill="currentColor"/>',
    State.DEGRADED: '<path d="M6 1 11.5 11H.5Z" fill="currentColor"/>',
    State.STARTING: (
        '<circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.6"/>'
        '<path d="M6 1.5a4.5 4.5 0 0 0 0 9Z" fill="currentColor"/>'
    ),
    State.WARM: '<circle cx="6" cy="6" r="5" fill="currentColor"/>',
    State.COLD: (
        '<circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.6"/>'
    ),
    State.STOPPED: '<rect x="1" y="5" width="10" height="2" fill="currentColor"/>',
    State.UNKNOWN: (
        '<path d="M3.2 4.2a2.8 2.8 0 1 1 4.2 2.4C6.4 7.2 6 7.6 6 8.6" fill="none" '
        'stroke="currentColor" stroke-width="1.7"/><circle cx="6" cy="11" r="1.1" '
        'fill="currentColor"/>'
    ),
}


@register.simple_tag
def state_mark(state: str) -> SafeString:
    """The shape of a state; the word stands beside it, so it is hidden from screen readers."""
    shape = mark_safe(MARKS.get(state, MARKS[State.UNKNOWN]))
    return format_html(
        '<svg class="mark" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">{}</svg>',
        shape,
    )


@register.filter
def clock(seconds: float | None) -> str:
    """A length of time, "–" when it is not known."""
    return clock_text(seconds)


@register.filter
def shift(seconds: float | None) -> str:
    """A difference with its sign, "–" when it is not known."""
    return "–" if seconds is None else signed(seconds)


@register.filter
def share(part: float | None) -> str:
    """A share in per cent, "–" when it is not known."""
    return "–" if part is None else share_text(part)


@register.filter
def lost(by_hop: Lost) -> str:
    """Requests lost to a start, by hop."""
    return lost_text(by_hop)


@register.filter
def lost_sum(by_hop: Lost) -> int | None:
    """Requests lost to a start; None = not measured."""
    return lost_in(by_hop)


@register.filter
def phase(value: str) -> Words:
    """A phase in words."""
    return word(PHASE_LABELS, value)


@register.filter
def ago(moment: datetime | None) -> str:
    """The age of a moment now, "" when it is not known."""
    return "" if moment is None else age_text((datetime.now(UTC) - moment).total_seconds())


@register.simple_tag
def moment(at: datetime | str | None, form: str = "short") -> SafeString | str:
    """A moment that the browser shows in the viewer's zone, with UTC on hover. form: short, long
    or clock."""
    if at is None:
        return "–"
    when = datetime.fromisoformat(at) if isinstance(at, str) else at
    # Of digits alone: a page shows hundreds, and escaping each costs more than the rest of it.
    utc = when.astimezone(UTC).replace(tzinfo=None)
    full = utc.isoformat(" ", "milliseconds")
    shown = full[11:19] if form == "clock" else full[:16]
    form = form if form in FORMS else FORMS[0]
    return mark_safe(  # noqa: S308 - nothing in it was said by anybody
        f'<time datetime="{full[:10]}T{full[11:]}Z" data-form="{form}" '
        f'title="{full[:19]} UTC">{shown} UTC</time>'
    )


@register.simple_tag
def spark_drawing(drawn: Spark) -> SafeString:
    """A sparkline. Made at once, as a page shows fifty; there are but numbers in it."""
    errs = " has-errors" if drawn.highest else ""
    line = f'<path class="spark-line" d="{drawn.path}"/>' if errs else ""
    size = f'width="{drawn.width}" height="{drawn.height}"'
    box = f'viewBox="0 0 {drawn.width} {drawn.height}" aria-hidden="true"'
    base = f'<path class="spark-base" d="{drawn.base}"/>'
    return mark_safe(  # noqa: S308 - nothing in it was said by anybody
        f'<svg class="spark{errs}" {size} {box}>{base}{line}</svg>'
    )


@register.simple_tag
def table_rows(rows: Sequence[Sequence[Cell]]) -> SafeString:
    """Rows of a chart's table, the first cell of each as its head. Made at once: a template takes
    most of a page's time for some hundred cells."""
    return mark_safe("".join(f"<tr>{_cells(row)}</tr>" for row in rows))  # noqa: S308 - escaped


def _cells(row: Sequence[Cell]) -> str:
    head = "".join(f'<th scope="row">{_cell(value)}</th>' for value in row[:1])
    return head + "".join(f'<td class="num right">{_cell(value)}</td>' for value in row[1:])


def _cell(value: Cell) -> str:
    """A moment in local time, "–" for what is not known."""
    if isinstance(value, datetime):
        return moment(value)
    return "–" if value is None or value == "" else escape(str(value))


@register.simple_tag
def map_style_id() -> str:
    """The id that keeps plotly from adding a style element that our policy refuses."""
    return MAP_STYLE_ID


@register.simple_tag
def page_address(name: str) -> str:
    """The address of a page, "" while this release has no such page."""
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""


@register.simple_tag
def phase_legend() -> list[tuple[str, Words]]:
    """Phases with their labels, in the order that a start passes them."""
    return [(phase.value, PHASE_LABELS[phase]) for phase in Phase]


@register.simple_tag(takes_context=True)
def part(context: template.Context, name: str) -> SafeString:
    """Include a partial if this release has it, with the present context."""
    try:
        found = get_template(f"partials/{name}.html")
    except template.TemplateDoesNotExist:
        return SafeString("")
    flat: dict[str, Any] = {}
    for layer in context.dicts:
        flat.update(layer)
    return SafeString(found.render(flat, request=context.get("request")))

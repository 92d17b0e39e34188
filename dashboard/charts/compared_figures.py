"""Comparisons of starts as charts: what the pages of a model and of cold starts draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.charts.figures import Figure, short_names
from dashboard.charts.over_time_figure import Mark, Point, over_time_figure
from dashboard.charts.spread_figure import Group, ecdf_figure, spread_figure
from dashboard.words import START_MODE_LABELS, Words, word
from fleet.domain.compare.over_time import OverTime, over_time
from fleet.domain.compare.records import Attribute, Compared, finished
from fleet.domain.compare.spread import Spread, spreads

ATTRIBUTE_LABELS: Mapping[Attribute, Words] = {
    Attribute.REVISION: gettext_lazy("revision"),
    Attribute.NODE: gettext_lazy("node"),
    Attribute.NODE_POOL: gettext_lazy("node pool"),
    Attribute.IMAGE_DIGEST: gettext_lazy("image"),
    Attribute.START_MODE: gettext_lazy("start mode"),
    Attribute.WEIGHTS_FROM: gettext_lazy("weights from"),
    Attribute.TRIGGER: gettext_lazy("trigger"),
    Attribute.ENGINE_VERSION: gettext_lazy("vLLM"),
}
# Rows of one chart; of nodes there may be hundreds.
MOST_GROUPS = 10
# Of a digest, as people compare them.
DIGEST_LETTERS = 12


def attribute_text(attribute: Attribute, value: str) -> str:
    """A value as it is shown; an image's digest is cut short, "" is told."""
    if not value:
        return _("not known")
    if attribute is Attribute.IMAGE_DIGEST:
        return value.removeprefix("sha256:")[:DIGEST_LETTERS]
    return value


def spread_by(starts: Sequence[Compared], by: Attribute, *, mode: str) -> Figure:
    """How long ready starts of one mode took, by the newest values of an attribute."""
    groups = [_group(by, found) for found in spreads(starts, by, mode=mode)[:MOST_GROUPS]]
    what = ATTRIBUTE_LABELS[by]
    says = _("Lengths of starts by %(what)s, %(mode)s") % {"what": what, "mode": mode_text(mode)}
    return spread_figure(f"by-{by}", groups, says=says, what=what)


def mode_text(mode: str) -> Words:
    return word(START_MODE_LABELS, mode)


def _group(by: Attribute, found: Spread) -> Group:
    box = found.box
    return Group(
        name=attribute_text(by, found.value),
        n=found.n,
        values_s=[dot.total_s for dot in found.dots],
        box_s=(box.p5_s, box.p25_s, box.p50_s, box.p75_s, box.p95_s) if box else None,
    )


def curves_of(
    starts: Sequence[Compared], by: Attribute, values: Sequence[str], *, mode: str
) -> Figure | None:
    """Shares of starts by length, a curve for each of `values`; None where one has under 20."""
    found = {spread.value: spread.ecdf for spread in spreads(starts, by, mode=mode)}
    curves = [found.get(value, ()) for value in values]
    if not all(curves):
        return None
    says = _("Share of starts that took no longer, %(mode)s") % {"mode": mode_text(mode)}
    named = dict(zip(short_names(values), curves, strict=True))
    return ecdf_figure(f"curves-{by}", named, says=says, what=ATTRIBUTE_LABELS[by])


def time_figure(
    starts: Sequence[Compared], *, mode: str, since: datetime, until: datetime, model: bool
) -> Figure:
    """p50 and p95 over time with marks. model: all are starts of one model, so that marks need
    not name theirs."""
    found = over_time(starts, mode=mode, since=since, until=until)
    dots = [
        (start.started_at, start.total_s or 0.0)
        for start in finished(starts, mode=mode)
        if since <= start.started_at < until
    ]
    return over_time_figure(
        "over-time",
        _points(found, until),
        dots,
        _marks(found, with_model=not model),
        since=since,
        until=until,
        says=_("Lengths of starts over time, %(mode)s") % {"mode": mode_text(mode)},
    )


def _points(found: OverTime, until: datetime) -> list[Point]:
    return [
        Point(
            since=bucket.at,
            until=min(bucket.at + found.bucket, until),
            n=bucket.n,
            p50_s=bucket.p50_s,
            p95_s=bucket.p95_s,
        )
        for bucket in found.buckets
    ]


def _marks(found: OverTime, *, with_model: bool) -> list[Mark]:
    return [
        Mark(
            at=mark.at,
            kind=ATTRIBUTE_LABELS[mark.attribute],
            says=" · ".join(
                [attribute_text(mark.attribute, mark.value), *([mark.model] if with_model else [])]
            ),
        )
        for mark in found.marks
    ]

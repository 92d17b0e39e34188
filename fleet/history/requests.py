"""Requests as kept, read: windows of models, sums, and spans that were not read."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from fleet.domain.records.keys import ModelKey
from fleet.domain.requests.records import RequestWindow
from fleet.domain.requests.shown import Glance
from fleet.history.request_hours import HOUR, Span, glances_in, hour_of, sum_in, windows_in
from fleet.models import Cluster, Gap, RequestHour
from fleet.models.requests import RequestHourQuerySet

# The resource of gaps in reading metrics; watches have names of Kubernetes.
METRICS = "metrics"
UIDS_AT_ONCE = 500
ROWS_AT_ONCE = 2000


def windows_of(
    cluster: str, uids: Sequence[str], *, since: datetime, until: datetime
) -> dict[str, list[RequestWindow]]:
    """By model uid: windows that begin in [since, until), by time; revisions apart. Models without
    any are left out."""
    found: dict[str, list[RequestWindow]] = defaultdict(list)
    for first in range(0, len(uids), UIDS_AT_ONCE):
        rows = RequestHour.objects.filter(
            cluster=cluster, model_uid__in=uids[first : first + UIDS_AT_ONCE]
        )
        for uid, window in _windows(rows, since, until):
            found[uid].append(window)
    return {uid: sorted(windows, key=_order) for uid, windows in found.items()}


class Recent(NamedTuple):
    """What a model's newest windows say: all in few words, the very newest in full."""

    glances: list[Glance]
    windows: list[RequestWindow]


def recent(cluster: str, span: Span, *, in_full: datetime) -> dict[str, Recent]:
    """By model uid, of all models of a cluster, in no order. in_full: windows that begin from then
    on."""
    found: dict[str, Recent] = defaultdict(lambda: Recent([], []))
    newest = Span(in_full, span.until)
    for uid, revision, hour, text in _texts(RequestHour.objects.filter(cluster=cluster), span):
        one = found[uid]
        one.glances.extend(glances_in(text, span, hour=hour))
        if in_full < hour + HOUR:
            one.windows.extend(windows_in(text, newest, revision=revision, hour=hour))
    return found


def windows_between(key: ModelKey, since: datetime, until: datetime) -> list[RequestWindow]:
    """Windows of one model that begin in [since, until), by time; revisions apart. An hour whose
    windows are past their time is one window with its sums."""
    rows = RequestHour.objects.of(key)
    whole = rows.filter(windows__isnull=True, hour__gte=since, hour__lt=until)
    old = [RequestWindow(revision=r.revision, at=r.hour, tally=sum_in(r)) for r in whole]
    return sorted([*(w for _, w in _windows(rows, since, until)), *old], key=_order)


def unread(cluster: str, since: datetime, until: datetime) -> list[Span]:
    """Spans of [since, until) in which the cluster's metrics were not read, by time; what is newer
    than the last reading is among them."""
    row = Cluster.objects.filter(name=cluster).order_by("-pk").first()
    if row is None or row.metrics_read_to is None:
        return [Span(since, until)]
    gaps = Gap.objects.filter(cluster=row.pk, resource=METRICS, since__lt=until)
    still = gaps.filter(Q(until=None) | Q(until__gt=since)).order_by("since")
    spans = [(gap.since, gap.until or until) for gap in still]
    if row.metrics_read_to < until:
        spans.append((row.metrics_read_to, until))
    return [Span(max(begin, since), min(end, until)) for begin, end in spans if end > since]


def _windows(
    rows: RequestHourQuerySet, since: datetime, until: datetime
) -> Iterator[tuple[str, RequestWindow]]:
    span = Span(since, until)
    for uid, revision, hour, text in _texts(rows, span):
        for window in windows_in(text, span, revision=revision, hour=hour):
            yield uid, window


def _texts(rows: RequestHourQuerySet, span: Span) -> Iterator[tuple[str, str, datetime, str]]:
    """Hours that the span touches; their windows as JSON text, which is read once."""
    hours = (
        rows.filter(hour__gte=hour_of(span.since), hour__lt=span.until)
        .with_windows()
        .annotate(text=Cast("windows", TextField()))
        .values_list("model_uid", "revision", "hour", "text")
    )
    yield from hours.iterator(ROWS_AT_ONCE)


def _order(window: RequestWindow) -> tuple[datetime, str]:
    return window.at, window.revision

"""Clusters as cards: freshness, versions, what is watched, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.template.loader import render_to_string

from dashboard.access.rules import Grant, Role, may
from dashboard.access.scope import clusters_within, within
from dashboard.live.fragments import Fragment, stamp_of
from dashboard.past_text import past_text
from dashboard.reasons import not_taken_text
from dashboard.views.metrics_card import MetricsLine, metrics_line
from dashboard.views.strips import ClusterLine, cluster_line
from dashboard.words import Words
from fleet.models import Cluster, NotTaken, ServedModel

# Of services not taken for vLLM, this many are listed by name per cluster.
MOST_NOT_TAKEN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterCard:
    """One cluster of the page. may_change: its viewer is an admin there.

    message, odd: what the API server said last while in trouble ("" = none), and objects that could
    not be read; both may name any namespace, so they are told to who sees all of them.
    """

    row: Cluster
    line: ClusterLine
    metrics: MetricsLine
    models: int
    not_taken: tuple[tuple[NotTaken, Words], ...]
    may_change: bool
    message: str
    odd: tuple[Mapping[str, str], ...]

    @property
    def past(self) -> str:
        """What history was made of beside watching; "" = nothing else."""
        return past_text(self.row)

    @property
    def facts(self) -> Fragment:
        """What is known of the cluster, as the fragment that page and socket share."""
        row, line = self.row, self.line
        left = [(service.pk, service.rule, service.detail) for service, _ in self.not_taken]
        stamp = stamp_of(
            (line.tone, line.trouble, self.message, self.odd),
            (row.kubernetes, row.kserve, row.knative, self.past, self.metrics.facts),
            (row.missing, row.watching, row.namespaces, self.models, left),
        )
        html = render_to_string("partials/cluster_facts.html", {"card": self, "stamp": stamp})
        return Fragment(f"facts-{row.name}", stamp, html.strip())


def cluster_cards(grant: Grant, *, now: datetime) -> list[ClusterCard]:
    """The clusters in scope by name; four queries for all of them."""
    rows = clusters_within(Cluster.objects.present(), grant).order_by("name")
    owners = within(ServedModel.objects.present(), grant).values_list("cluster", flat=True)
    models = Counter(owners)
    left = within(NotTaken.objects.all(), grant).order_by("cluster", "namespace", "name")
    by_cluster: dict[str, list[tuple[NotTaken, Words]]] = {}
    for service in left:
        listed = by_cluster.setdefault(service.cluster, [])
        if len(listed) < MOST_NOT_TAKEN:
            listed.append((service, not_taken_text(service.rule)))
    return [
        _card(row, grant, models=models[row.name], left=by_cluster.get(row.name, ()), now=now)
        for row in rows
    ]


def _card(
    row: Cluster,
    grant: Grant,
    *,
    models: int,
    left: Sequence[tuple[NotTaken, Words]],
    now: datetime,
) -> ClusterCard:
    told = row.state_detail if may(grant, Role.VIEWER, row.name) else {}
    return ClusterCard(
        row=row,
        line=cluster_line(row, now=now),
        metrics=metrics_line(row, now=now),
        models=models,
        not_taken=tuple(left),
        may_change=may(grant, Role.ADMIN, row.name),
        message=told.get("text", ""),
        odd=tuple(told.get("odd", ())),
    )

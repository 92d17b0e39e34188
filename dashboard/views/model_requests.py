"""Requests of a model by hop: what was made where in the time of its page, in figures and words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from dashboard.access.rules import Grant
from dashboard.charts.request_columns import bins_of
from dashboard.charts.request_history import RequestHistory, request_history
from dashboard.charts.share import count_text, share_text
from dashboard.charts.spoken import age_text
from dashboard.hop_words import HOP_LABELS, meaning
from dashboard.ranges import TimeRange
from dashboard.views.metrics_card import trouble_told
from dashboard.words import Words
from fleet.domain.records.keys import Mode
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.domain.requests.shown import PATHS
from fleet.domain.requests.sums import in_turn
from fleet.models import Cluster, ServedModel

# Of revisions that had requests, the newest are named.
MOST_REVISIONS = 8
# The newest window is read some time after its end, s.
NOT_YET_S = 120

BESIDES: Sequence[tuple[Words, Words]] = (
    (
        _("Callers that left first"),
        _("They, or a load balancer before us, gave up before an answer. Nobody got an error."),
    ),
    (
        _("Streams that broke off"),
        _(
            "After the first byte, with status 200: the model server died, or the caller pressed "
            "stop. Metrics cannot tell which."
        ),
    ),
    (
        _("Streams that were cut"),
        _("After the first byte, with status 200: a time limit of the path ended the answer."),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HopLine:
    """5xx of one hop with one code. share: of all requests, "" = not known."""

    hop: Hop
    label: Words
    code: int
    count: str
    share: str
    means: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionLine:
    revision: str
    requests: str
    lost: str
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequests:
    """connected: the cluster has metrics to read. trouble: of its last read, "" = none.

    total: of all revisions. is_fine: what only windows hold (streams, waiting) is known. clean,
    untold: hops of its path that made none, and that cannot be told apart. unread_s: of the time.
    """

    connected: bool
    trouble: str
    total: Tally | None
    is_fine: bool
    lines: Sequence[HopLine] = ()
    revisions: Sequence[RevisionLine] = ()
    unread_s: float = 0.0
    path: Collection[Hop] = tuple(Hop)

    @property
    def requests(self) -> str:
        total = self.total
        if total is None or total.requests is None:
            return ""
        return count_text(total.requests, at_least=total.requests_at_least)

    @property
    def lost(self) -> str:
        return "" if self.total is None else lost_text(self.total)

    @property
    def share(self) -> str:
        """Of all requests, "" = not known."""
        return "" if self.total is None else share_of(self.total, self.total.lost)

    @property
    def clean(self) -> list[Words]:
        return [HOP_LABELS[hop] for hop, count in self._by_hop() if count == 0]

    @property
    def untold(self) -> list[Words]:
        return [HOP_LABELS[hop] for hop, count in self._by_hop() if count is None]

    @property
    def unread(self) -> str:
        """For how long nothing was read, "" = hardly any time."""
        return age_text(self.unread_s) if self.unread_s >= NOT_YET_S else ""

    @property
    def besides(self) -> list[tuple[Words, Words, str]]:
        """What is no error of the service, or cannot be told to be one: name, what it is, count."""
        if self.total is None:
            return []
        counts = (self.total.client_gone, self.total.broken, self.total.cut)
        return [
            (name, about, count_text(count))
            for (name, about), count in zip(BESIDES, counts, strict=True)
            if count is not None
        ]

    @property
    def facts(self) -> object:
        """All that is shown, for the stamp of its fragment."""
        total = self.total
        if total is None:
            return self.connected, self.trouble, round(self.unread_s / 60)
        counted = total.requests, sorted(total.errors.items()), sorted(total.told)
        bounds = sorted(total.at_least), total.requests_at_least, total.in_flight, total.queued
        rest = total.client_gone, total.broken, total.cut, self.revisions
        return counted, bounds, rest, self.connected, self.trouble, round(self.unread_s / 60)

    def _by_hop(self) -> Sequence[tuple[Hop, int | None]]:
        counts = self.total.by_hop() if self.total else {}
        return [(hop, count) for hop, count in counts.items() if hop in self.path]


def model_requests(
    row: ServedModel, window: TimeRange, *, cluster: Cluster | None, grant: Grant
) -> ModelRequests:
    """cluster: the model's, None = it is followed no more."""
    history = request_history(row.key, window)
    total = in_turn(bins_of(history, history.step_s).values()) if history.windows else None
    return ModelRequests(
        connected=bool(cluster and (cluster.metrics_url or cluster.metrics_pages)),
        trouble=trouble_told(cluster, grant) if cluster else "",
        total=total,
        is_fine=history.is_fine,
        lines=hop_lines(total) if total else (),
        revisions=_revisions(history.windows),
        unread_s=_dark_s(history, window),
        path=PATHS[Mode(row.mode)] if row.mode in set(Mode) else tuple(Hop),
    )


def hop_lines(total: Tally) -> list[HopLine]:
    """The most frequent first."""
    most_first = sorted(total.errors.items(), key=lambda each: (-each[1], each[0]))
    return [
        HopLine(
            hop=hop,
            label=HOP_LABELS[hop],
            code=code,
            count=count_text(count, at_least=hop in total.at_least),
            share=share_of(total, count, at_least=hop in total.at_least),
            means=meaning(hop, code),
        )
        for (hop, code), count in most_first
    ]


def lost_text(tally: Tally) -> str:
    return count_text(tally.lost, at_least=bool(tally.at_least))


def share_of(tally: Tally, count: int, *, at_least: bool | None = None) -> str:
    """So many of all requests; "" where they are not counted, or may be more than counted."""
    if not tally.requests or tally.requests_at_least:
        return ""
    bound = bool(tally.at_least) if at_least is None else at_least
    return share_text(min(1.0, count / max(tally.requests, count)), at_least=bound)


def _revisions(windows: Sequence[RequestWindow]) -> list[RevisionLine]:
    """Of more than one revision, what each had; the newest name first."""
    by_name: dict[str, list[Tally]] = defaultdict(list)
    for window in windows:
        by_name[window.revision].append(window.tally)
    if len(by_name) < 2:
        return []
    named = sorted(by_name, reverse=True)[:MOST_REVISIONS]
    return [_revision(name, in_turn(by_name[name])) for name in named]


def _revision(name: str, tally: Tally) -> RevisionLine:
    counted = tally.requests is not None
    return RevisionLine(
        revision=name,
        requests=count_text(tally.requests or 0, at_least=tally.requests_at_least)
        if counted
        else "",
        lost=lost_text(tally),
        share=share_of(tally, tally.lost),
    )


def _dark_s(history: RequestHistory, window: TimeRange) -> float:
    """What was not read, save the newest windows that nobody could have read yet."""
    return sum(
        (until - since).total_seconds()
        for since, until in history.unread
        if until < window.until or (until - since).total_seconds() > NOT_YET_S
    )

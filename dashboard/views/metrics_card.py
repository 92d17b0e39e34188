"""A cluster's metrics on a page: what was found, which hops can be told, what to switch on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dashboard.access.rules import Grant, Role, may
from dashboard.charts.spoken import age_text
from dashboard.hop_words import HOP_ABOUT, HOP_LABELS
from dashboard.metrics_words import (
    ADVICE,
    BOUNDED,
    ERA_LABELS,
    ERA_SHORT,
    INGRESS_LABELS,
    QUEUE_PROXY_LABELS,
    SOURCE_LABELS,
    TOLD,
    UNTOLD,
    AdviceWords,
)
from dashboard.words import Words, word
from fleet.domain.ledger.delta import State
from fleet.domain.requests.knative import inner_at_least
from fleet.domain.requests.moves import sight_of
from fleet.domain.requests.records import Advice, Hop, MetricsFacts
from fleet.history.metrics_facts import facts_of
from fleet.models import Cluster

# A reading is made every 15 s of what is some 30 s old; thrice that without one is late.
LATE_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HopTold:
    """mark: a state whose shape and colour it has."""

    hop: Hop
    label: Words
    about: Words
    mark: str
    told: Words
    why: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceLine:
    """known: its words; None = this release has none for the code. params: of the advice."""

    code: str
    known: AdviceWords | None
    params: str
    rolls_pods: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsCard:
    """facts: None = nothing was found out yet. age: of the newest window that was read, "" = none
    was. jobs: told to who may see all of the cluster. trouble: see `trouble_told`."""

    row: Cluster
    facts: MetricsFacts | None
    connected: bool
    may_change: bool
    age: str
    late: bool
    found: Sequence[tuple[Words, Words]]
    hops: Sequence[HopTold]
    advice: Sequence[AdviceLine]
    jobs: Sequence[tuple[str, str]]
    trouble: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsLine:
    """A cluster's metrics in a few words. age: of what was read, "" where it says nothing more."""

    says: Words
    age: str = ""
    tone: str = "dim"

    @property
    def facts(self) -> object:
        """What it shows beside the age that passes."""
        return str(self.says), self.tone


def metrics_line(row: Cluster, *, now: datetime) -> MetricsLine:
    if not (row.metrics_url or row.metrics_pages):
        return MetricsLine(says=_("connect…"))
    says = word(ERA_SHORT, row.metric_era) if row.metrics else _("connected")
    if row.metrics_trouble:
        return MetricsLine(says=says, age=gettext("could not be read"), tone="warn")
    if row.metrics_read_to is None:
        return MetricsLine(says=says, age=gettext("nothing read yet"))
    age_s = (now - row.metrics_read_to).total_seconds()
    tone = "warn" if age_s > LATE_S else "dim"
    return MetricsLine(says=says, age=age_text(age_s), tone=tone)


def metrics_card(row: Cluster, grant: Grant, *, now: datetime) -> MetricsCard:
    facts = facts_of(row)
    age_s = (now - row.metrics_read_to).total_seconds() if row.metrics_read_to else None
    jobs = facts.jobs if facts and may(grant, Role.VIEWER, row.name) else {}
    return MetricsCard(
        row=row,
        facts=facts,
        connected=bool(row.metrics_url or row.metrics_pages),
        may_change=may(grant, Role.ADMIN, row.name),
        age="" if age_s is None else age_text(age_s),
        late=age_s is not None and age_s > LATE_S,
        found=tuple(found_lines(facts)) if facts else (),
        hops=tuple(hop_told(facts, hop) for hop in Hop) if facts else (),
        advice=tuple(advice_line(each) for each in facts.advice) if facts else (),
        jobs=tuple((role, ", ".join(names)) for role, names in jobs.items()),
        trouble=trouble_told(row, grant),
    )


def trouble_told(row: Cluster, grant: Grant) -> str:
    """What the last reading met, "" = nothing; its words may name pods of other namespaces."""
    text = str(row.metrics_trouble.get("text", ""))
    if not text or may(grant, Role.VIEWER, row.name):
        return text
    return gettext("why is told to who may see all of the cluster.")


def found_lines(facts: MetricsFacts) -> Iterator[tuple[Words, Words]]:
    """What was found by asking, name by name."""
    source = word(SOURCE_LABELS, facts.source)
    yield _("Read from"), f"{source}, {facts.version}" if facts.version else source
    yield _("Names of Knative"), word(ERA_LABELS, facts.era)
    yield _("Queue-proxies"), word(QUEUE_PROXY_LABELS, facts.queue_proxy)
    yield _("Ingress"), word(INGRESS_LABELS, facts.ingress)
    yield _("Endpoint picker"), facts.picker or _("none found")
    yield "vLLM", facts.vllm or _("none found")
    yield "kube-state-metrics", _("found") if facts.kube_state else _("none found")
    yield _("GPUs (DCGM)"), _("found") if facts.gpus else _("none found")


def hop_told(facts: MetricsFacts, hop: Hop) -> HopTold:
    """Whether a hop's 5xx can be told apart here, and why or why not."""
    told = hop in facts.told
    bounded = BOUNDED.get(hop) if told and hop in inner_at_least(sight_of(facts)) else None
    mark, says = _mark(told=told, bounded=bounded is not None)
    return HopTold(
        hop=hop,
        label=HOP_LABELS[hop],
        about=HOP_ABOUT[hop],
        mark=mark,
        told=says,
        why=bounded or (TOLD if told else UNTOLD)[hop],
    )


def _mark(*, told: bool, bounded: bool) -> tuple[str, Words]:
    if not told:
        return State.STOPPED, _("cannot be told")
    return (State.DEGRADED, _("lower bound")) if bounded else (State.WARM, _("told apart"))


def advice_line(advice: Advice) -> AdviceLine:
    return AdviceLine(
        code=advice.code,
        known=ADVICE.get(advice.code),
        params=", ".join(f"{name} {value}" for name, value in advice.params.items()),
        rolls_pods=advice.rolls_pods,
    )

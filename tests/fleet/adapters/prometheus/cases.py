"""Recorded cases: pages before and after, and what an attribution must come to."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fleet.adapters.prometheus.counts import PageCounts, Target, counts_of
from fleet.domain.requests.eras import KNATIVE, Program
from fleet.domain.requests.hops import tallies_of
from fleet.domain.requests.increments import increments
from fleet.domain.requests.moves import Move, Sight
from fleet.domain.requests.records import Era, MetricsFacts, Subject, Tally

CASES = Path("tests/fixtures/metrics/cases")
HEADER = re.compile(r'(\w+)="([^"]*)"')
ERA = Era.OPENTELEMETRY
SIGHT = Sight(era=ERA, roles=frozenset(counted.role for counted in KNATIVE[ERA]))
FACTS = MetricsFacts(
    source="pages",
    asked_at=datetime(2026, 11, 30, 10, tzinfo=UTC),
    era=ERA,
    queue_proxy="relabelled",
)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a file, and the labels its target had."""

    labels: dict[str, str]
    text: str

    @property
    def target(self) -> Target:
        labels = {"pod": self.labels["pod"], "namespace": self.labels.get("namespace", "")}
        if "revision" in self.labels:
            labels["k8s_namespace_name"] = self.labels["namespace"]
            labels["kn_revision_name"] = self.labels["revision"]
        return Target(program=Program(self.labels["job"]), labels=labels)

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.labels["job"], self.labels["pod"], self.labels.get("instance", ""))


def names() -> list[str]:
    """All recorded cases."""
    return sorted(path.stem for path in CASES.glob("*.json"))


def recorded(name: str) -> dict[str, Any]:
    """What is known of a case."""
    found: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())
    return found


def pages(name: str, when: str) -> Iterator[Page]:
    """The pages of one moment: before, during or after."""
    text = (CASES / f"{name}.{when}.txt").read_text()
    for part in text.split("# PAGE ")[1:]:
        header, _, body = part.partition("\n")
        yield Page(dict(HEADER.findall(header)), body)


def moves_of(name: str) -> dict[Subject, Counter[Move]]:
    """What moved from before to after. The pages are cut: a pod that had none began meanwhile."""
    case = recorded(name)
    before = {page.identity: _counts(page) for page in pages(name, "before")}
    found: dict[Subject, Counter[Move]] = defaultdict(Counter)
    for page in pages(name, "after"):
        earlier = before.get(page.identity)
        moved = increments(
            earlier.counters if earlier else None,
            _counts(page).counters,
            read_at=case["after_taken"],
            process_started=case["start"],
        )
        for series, count in moved.items():
            found[series.subject][series.move] += count
    return found


def _counts(page: Page) -> PageCounts:
    return counts_of(page.text, page.target, FACTS)


def tallies_of_case(name: str) -> dict[Subject, Tally]:
    """What became of the calls of each revision that moved."""
    return {subject: tallies_of([moves], SIGHT)[0] for subject, moves in moves_of(name).items()}

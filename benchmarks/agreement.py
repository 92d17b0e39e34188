"""Starts as the product measured them beside what really happened: figures, one JSON line each.

A truth is a line of the simulator's truth.jsonl, a measured start is the API's ColdStart.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from benchmarks.common import load_now, print_line, report

Row = Mapping[str, Any]
WITHIN_S = {"p95": 1.5}
UNEXPLAINED_SHARE_AT_MOST = 0.05
# The least share of starts of which we say what happened; None: told, not judged.
AGREE_AT_LEAST: dict[str, float | None] = {"outcome": 1.0, "trigger": 0.99, "start_mode": 0.99}
# Phase of ours: the boundaries of the truth between which it lies, the first that is there.
SPANS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "decide": (("demanded",), ("pod_created",)),
    "schedule": (("pod_created",), ("node_asked", "node_chosen")),
    "provision-node": (("node_asked",), ("node_chosen",)),
    "prepare": (
        ("node_chosen", "demanded"),
        ("fetch_started", "fetch_ended", "full_pull_started", "container_started"),
    ),
    "fetch-model": (("fetch_started",), ("fetch_ended",)),
    "pull-image": (("fetch_ended", "full_pull_started"), ("container_started",)),
    "load-engine": (("container_started",), ("engine_answers",)),
    "become-ready": (("engine_answers",), ("ready",)),
    "route": (("ready",), ("routed",)),
}
# A figure of fewer starts than this says nothing of a 95th percentile; it is told, not judged.
ENOUGH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One start: what happened, and what was measured."""

    truth: Row
    measured: Row

    def true_s(self, firsts: Sequence[str], lasts: Sequence[str]) -> float | None:
        """Seconds between two boundaries; None when the start did not pass both."""
        marks = self.truth["boundaries"]
        first = next((marks[name] for name in firsts if name in marks), None)
        last = next((marks[name] for name in lasts if name in marks), None)
        if first is None or last is None:
            return None
        return (moment(last) - moment(first)).total_seconds()

    def measured_s(self, phase: str) -> float:
        """Seconds that we give to a phase; 0 for one that we did not see."""
        spans = [span["seconds"] for span in self.measured["phases"] if span["phase"] == phase]
        return float(sum(spans))

    def error_s(self, phase: str) -> float | None:
        """How far off a phase is; None when the start did not pass it."""
        true = self.true_s(*SPANS[phase])
        return None if true is None else abs(true - self.measured_s(phase))

    def total_error_s(self) -> float | None:
        true, ours = self.true_s(("demanded",), ("ready",)), self.measured["total_s"]
        return None if true is None or ours is None else abs(true - ours)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _key(row: Row) -> tuple[str, int]:
    return row.get("pod_uid") or row["replica_uid"], int(row.get("attempt", 0))


def pairs_of(truths: Iterable[Row], measured: Iterable[Row]) -> list[Pair]:
    by_key = {_key(row): row for row in measured}
    return [
        Pair(truth=start, measured=by_key[_key(start)]) for start in truths if _key(start) in by_key
    ]


def compare(truths: Sequence[Row], measured: Sequence[Row], *, at_least: int = 1) -> Iterator[bool]:
    """Each comparison, reported; whether it is as it should be. at_least: so many starts."""
    pairs = pairs_of(truths, measured)
    yield _all_there(truths, measured, at_least=at_least)
    for field, least in AGREE_AT_LEAST.items():
        yield _agreement(field, pairs, least=least)
    ready = [pair for pair in pairs if pair.truth["outcome"] == "ready"]
    yield _errors("total_s", [pair.total_error_s() for pair in ready])
    for phase in SPANS:
        yield _errors(phase, [pair.error_s(phase) for pair in ready])
    yield _unexplained(ready)


def _all_there(truths: Sequence[Row], measured: Sequence[Row], *, at_least: int) -> bool:
    rows = Counter(map(_key, measured))
    missing = [start["pod"] for start in truths if _key(start) not in rows]
    twice = [uid for (uid, _), count in rows.items() if count > 1]
    ok = len(truths) >= at_least and not missing and not twice
    kinds = {
        field: dict(Counter(str(start[field]) for start in truths)) for field in AGREE_AT_LEAST
    }
    line = {
        "name": "starts",
        "n": len(truths),
        "at_least": at_least,
        "missing": missing,
        "twice": twice,
    }
    print_line(line | kinds | {"ok": ok, "load": load_now()})
    return ok


def _agreement(field: str, pairs: Sequence[Pair], *, least: float | None) -> bool:
    """How often we say what happened. Unknown is not wrong, but it is not agreement either."""
    wrong = [pair for pair in pairs if pair.truth[field] != pair.measured[field]]
    differ = Counter(f"{pair.truth[field]} as {pair.measured[field]}" for pair in wrong)
    share = 1 - len(wrong) / len(pairs) if pairs else 0.0
    ok = least is None or share >= least
    line = {"name": field, "n": len(pairs), "share": round(share, 4)}
    print_line(line | {"at_least": least, "differ": dict(differ), "ok": ok})
    return ok


def _errors(name: str, errors: Sequence[float | None]) -> bool:
    known = [error for error in errors if error is not None]
    name = f"error of {name}"
    if not known:
        print_line({"name": name, "n": 0, "ok": None, "note": "no such start"})
        return True
    enough = len(known) >= ENOUGH or len(errors) < ENOUGH
    return report(name, known, unit="s", budget=WITHIN_S if enough else {})


def _unexplained(pairs: Sequence[Pair]) -> bool:
    """The share of a start's total that nothing explains."""
    seconds = [pair.measured_s("unexplained") for pair in pairs]
    shares = [
        one / pair.measured["total_s"]
        for one, pair in zip(seconds, pairs, strict=True)
        if pair.measured["total_s"]
    ]
    middle = median(shares) if shares else 0.0
    ok = middle <= UNEXPLAINED_SHARE_AT_MOST and min(seconds, default=0.0) >= 0.0
    line = {"name": "unexplained", "n": len(shares), "median_share": round(middle, 4)}
    line |= {"most_share": round(max(shares, default=0.0), 4), "least_s": min(seconds, default=0.0)}
    print_line(line | {"budget": UNEXPLAINED_SHARE_AT_MOST, "ok": ok})
    return ok


def tell_worst(pairs: Sequence[Pair], *, most: int = 20) -> None:
    """To standard error: the starts that are furthest off, for who looks for the cause."""
    said = []
    for pair in pairs:
        for field in AGREE_AT_LEAST:
            if pair.truth[field] != pair.measured[field]:
                text = f"{field} is {pair.truth[field]}, measured {pair.measured[field]}"
                said.append((1e9, pair, text))
        if pair.truth["outcome"] != "ready":
            continue
        for phase in SPANS:
            error = pair.error_s(phase)
            if error is not None and error > WITHIN_S["p95"]:
                true, ours = pair.true_s(*SPANS[phase]), pair.measured_s(phase)
                said.append((error, pair, f"{phase} took {true:.2f} s, measured {ours:.2f} s"))
    said.sort(key=lambda item: -item[0])
    for _, pair, text in said[:most]:
        truth = pair.truth
        begun = truth["boundaries"].get("demanded", "")
        sys.stderr.write(f"{truth['cluster']} {truth['pod']} {begun}: {text}\n")

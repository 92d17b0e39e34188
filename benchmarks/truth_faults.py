"""Truth of faults in real time: a whole demo of models that fail, each for its own reason.

The simulated clusters note each fault with its first user-visible error; the product follows,
counts, diagnoses and shows over its own connections, with nobody's help. Judged: how long after
the first error the model's page and API name the right cause first. One JSON line a fault; ends
with 1 when one is late or wrong.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.error import URLError

from benchmarks.common import load_now, print_line
from benchmarks.running_demo import Demo, running_demo

# From the clusters' going live: 90 s of health, then five minutes of faults.
LASTS_S = 90.0 + 300.0
WITHIN_S = 60.0
POLL_S = 1.0


@dataclass(slots=True)
class Watched:
    """What was said first of one model: cause and moment, repeats left out."""

    said: list[tuple[datetime, str]] = field(default_factory=list)

    def hear(self, cause: str, now: datetime) -> None:
        if not self.said or self.said[-1][1] != cause:
            self.said.append((now, cause))

    def named_at(self, cause: str, since: datetime) -> datetime | None:
        """When the cause stood first, at `since` or later."""
        for number, (at, said) in enumerate(self.said):
            until = self.said[number + 1][0] if number + 1 < len(self.said) else None
            if said == cause and (until is None or until > since):
                return max(at, since)
        return None


def main() -> int:
    """Run it, listen, compare."""
    given = {"WORLD": "faulty"}
    print_line({"name": "faults in real time", "load": load_now()})
    with running_demo(given=given) as demo:
        found = watch(demo, time.monotonic() + LASTS_S)
        path = demo.state / "demo" / "clusters" / "faults.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
    results = [judge(fault, found) for fault in felt(lines)]
    print_line({"name": "faults in real time", "faults": len(results), "right": sum(results)})
    return 0 if results and all(results) else 1


def watch(demo: Demo, until: float) -> dict[str, Watched]:
    """The first finding of every model, as it changes; by key."""
    found: dict[str, Watched] = {}
    while time.monotonic() < until:
        now = datetime.now(UTC)
        with suppress(URLError, TimeoutError):
            for row in demo.every("/api/v1/models"):
                finding = row.get("finding") or {}
                found.setdefault(row["key"], Watched()).hear(finding.get("cause", ""), now)
        time.sleep(POLL_S)
    return found


def felt(lines: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Each fault once, where a caller felt it."""
    firsts: dict[tuple[str, str], Mapping[str, Any]] = {}
    for line in lines:
        if line["first_user_visible_error_at"]:
            firsts.setdefault((line["cluster"], line["model"]), line)
    return list(firsts.values())


def judge(fault: Mapping[str, Any], found: Mapping[str, Watched]) -> bool:
    key = "/".join(fault[part] for part in ("cluster", "kind", "namespace", "model"))
    first = datetime.fromisoformat(fault["first_user_visible_error_at"])
    watched = found.get(key, Watched())
    named = watched.named_at(fault["cause"], first)
    after_s = (named - first).total_seconds() if named else None
    ok = after_s is not None and after_s <= WITHIN_S
    print_line(
        {
            "name": f"fault, {fault['cluster']}, {fault['how']}",
            "truth": fault["cause"],
            "said": [
                {"after_s": round((at - first).total_seconds(), 1), "cause": cause}
                for at, cause in watched.said
            ],
            "right_after_s": after_s,
            "ok": ok,
        }
    )
    return ok


if __name__ == "__main__":
    sys.exit(main())

"""The milestones that a log passed, when, and the seconds that it prints of itself."""

import re

from fleet.domain.enginelog.catalogue import SUMMED, Row
from fleet.domain.enginelog.facts import Facts
from fleet.domain.enginelog.lines import clock_s, line_of, stamp_s, without_repeats

PROCESSES_AT_MOST = 1024


class Milestones:
    """Takes rows that fit. latest: the last milestone. first, last: of all dated lines, as they
    came. near: about when the log was written, seconds since the epoch, None if not known."""

    def __init__(self, *, near: float | None) -> None:
        self.facts = Facts()
        self.latest = ""
        self.first: str | None = None
        self.last: str | None = None
        self._near = near
        self._at: dict[str, tuple[str, str]] = {}
        self._printed: dict[str, dict[str, float]] = {}
        self._summed: set[tuple[str, str, str]] = set()

    def take(self, row: Row, match: re.Match[str], raw: str, *, process: str) -> None:
        """A row that fits a line of a start."""
        name, _, _, prints, marks, reads = row
        if reads is not None:
            reads(self.facts.known, match)
        if marks:
            self.latest = name
            known = self._at.get(name)
            self._at[name] = (raw, raw) if known is None else (known[0], raw)
        if prints:
            self._print(name, match, raw, process=process)
        elif name == "load_start":
            self.facts.loads(process)

    def mark(self, name: str, raw: str) -> None:
        """A moment: the first and the last time count."""
        self.latest = name
        known = self._at.get(name)
        self._at[name] = (raw if known is None else known[0], raw)

    def has(self, name: str) -> bool:
        """Whether that milestone was passed."""
        return name in self._at

    def _print(self, name: str, match: re.Match[str], raw: str, *, process: str) -> None:
        text = match["s"]
        if text is None:
            return
        of = self._printed.get(name)
        if of is None:
            of = self._printed[name] = {}
        known = of.get(process)
        if known is None and len(of) >= PROCESSES_AT_MOST:
            return
        seconds = float(text)
        if name in SUMMED:
            self._sum(of, match, raw, process=process)
        elif known is None or known < seconds:
            of[process] = seconds

    def _sum(self, of: dict[str, float], match: re.Match[str], raw: str, *, process: str) -> None:
        is_ms = match.groupdict().get("unit") == "ms"
        seconds = float(match["s"]) / (1000.0 if is_ms else 1.0)
        if "Ray" not in process or not self._is_copy(raw):
            of[process] = of.get(process, 0.0) + seconds

    def _is_copy(self, raw: str) -> bool:
        """Ray passes lines of its workers on, so that some come twice: what is summed must not."""
        line = line_of(raw)
        copy = (line.process, line.clock, without_repeats(line.text))
        known = bool(line.clock) and copy in self._summed
        if len(self._summed) < PROCESSES_AT_MOST:
            self._summed.add(copy)
        return known

    def printed(self) -> dict[str, float]:
        """Seconds by name: of several processes the longest."""
        return {name: max(of.values()) for name, of in self._printed.items() if of}

    def clock(self) -> str:
        """One clock for all: the two are never mixed within a span."""
        if self.last is None:
            return ""
        line = line_of(self.last)
        return "kubelet" if line.stamp else "inline" if line.clock else ""

    def seconds(self, raw: str | None, clock: str) -> float | None:
        """When a line was written, seconds since the epoch by that clock."""
        if raw is None:
            return None
        line = line_of(raw)
        if clock == "kubelet":
            return stamp_s(line.stamp) if line.stamp else None
        return clock_s(line.clock, near=self._near) if line.clock else None

    def first_at(self, name: str, clock: str) -> float | None:
        """When a milestone was passed first; None if it was not, or nobody says when."""
        return self.seconds(self._at[name][0], clock) if name in self._at else None

    def last_at(self, name: str, clock: str) -> float | None:
        """As `first_at`, the last time."""
        return self.seconds(self._at[name][1], clock) if name in self._at else None

"""What has been taken in but not been written yet, and the columns of the cluster's own row."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fleet.domain.records.change import Change, Listed
from fleet.history.streams import Blind, Position, Stream
from fleet.observe.board import Board, Pulse
from fleet.observe.inbox import Letter
from fleet.observe.reading import version_of
from fleet.ports import ClusterFacts, Odd

# A server that takes this long for its version is slow for everything.
SLOW_S = 2.0
ODD_SHOWN = 20
Columns = dict[str, Any]


class Account:
    """Positions, gaps and odd objects of one cluster between two batches."""

    def __init__(self, positions: Mapping[Stream, Position]) -> None:
        self.positions = dict(positions)
        self._moved: set[Stream] = set()
        self._gaps: list[Blind] = []
        self._odd: dict[tuple[Stream, str], str] = {}
        self._facts: ClusterFacts | None = None
        self._written: Columns = {}
        self.heard_at: datetime | None = None

    def note(self, letter: Letter) -> None:
        """Where the stream stands after this message, and what was wrong with it."""
        message = letter.message
        self.heard_at = message.received_at
        if isinstance(message, Listed):
            self._note_list(letter.stream, message)
        elif isinstance(message, Odd):
            self._note_odd(letter.stream, message.name, message.problem)
        elif version := version_of(message):
            self._move(letter.stream, version, message.received_at)
        if isinstance(message, Change) and self._odd:
            self._odd.pop((letter.stream, _name_of(message)), None)

    def note_skipped(self, letter: Letter) -> None:
        """A message that could not be taken in: shown until the object, or a list, comes again."""
        name = _name_of(letter.message) if isinstance(letter.message, Change) else "(a list)"
        self._note_odd(letter.stream, name, "skipped: it could not be taken in; see the log")

    def note_facts(self, facts: ClusterFacts) -> None:
        """Versions and missing rights, shown from now on."""
        self._facts = facts

    def still_in_step(self, board: Board, *, at: datetime) -> None:
        """Streams that are open while the server answers are in step, though nothing came."""
        for stream in board.open_streams():
            if stream in self.positions:
                self._move(stream, self.positions[stream].resource_version, at)

    def moved(self) -> dict[Stream, Position]:
        """Positions that differ from what is written."""
        return {stream: self.positions[stream] for stream in self._moved}

    def gaps(self) -> tuple[Blind, ...]:
        return tuple(self._gaps)

    def columns(self, board: Board) -> Columns:
        """Columns of the cluster's row that differ from what is written."""
        wanted = self._facts_columns() | _standing_columns(board, self._denied(board), self._odd)
        if proof := self._proof(board):
            wanted["last_proof_at"] = proof
        return {name: v for name, v in wanted.items() if self._written.get(name) != v}

    def written(self, columns: Columns) -> None:
        """All that was noted is in the database now."""
        self._written |= columns
        self._moved.clear()
        self._gaps.clear()

    def _note_list(self, stream: Stream, listed: Listed) -> None:
        if listed.unseen_since is not None:
            self._gaps.append(
                Blind(
                    stream=stream,
                    since=listed.unseen_since,
                    until=listed.received_at,
                    why="listed-again",
                )
            )
        # Two streams may share a resource: a list tells of its own alone.
        self._odd = {k: v for k, v in self._odd.items() if k[0] != stream}
        for item in listed.odd:
            self._note_odd(stream, item.name, item.problem)
        self._move(stream, listed.resource_version, listed.received_at)

    def _note_odd(self, stream: Stream, name: str, problem: str) -> None:
        if len(self._odd) < ODD_SHOWN or (stream, name) in self._odd:
            self._odd[stream, name] = problem

    def _move(self, stream: Stream, version: str, at: datetime) -> None:
        self.positions[stream] = Position(resource_version=version, in_step_at=at)
        self._moved.add(stream)

    def _proof(self, board: Board) -> datetime | None:
        """The last proof of being in step: a message or a pulse while every watch is open."""
        if not board.in_step():
            return None
        proofs = [self.heard_at, board.pulse.answered_at, self._written.get("last_proof_at")]
        return max((p for p in proofs if p is not None), default=None)

    def _facts_columns(self) -> Columns:
        facts = self._facts
        if facts is None:
            return {}
        return {
            "kubernetes": facts.kubernetes or "",
            "kserve": facts.kserve or "",
            "knative": facts.knative or "",
            "missing": [{"permission": p, "costs": costs} for p, costs in facts.missing],
        }

    def _denied(self, board: Board) -> list[str]:
        return sorted(s.name for s, standing in board.standings().items() if standing.denied)


def _name_of(change: Change) -> str:
    meta = change.record.meta
    return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name


def _standing_columns(
    board: Board, denied: list[str], odd: Mapping[tuple[Stream, str], str]
) -> Columns:
    standings = board.standings()
    detail: Columns = {}
    troubled = next((s for s in standings.values() if s.trouble and not s.denied), None)
    told = board.pulse if board.pulse.trouble else troubled
    if told is not None:
        detail |= {"code": told.trouble, "text": told.detail[:500]}
    if odd:
        detail["odd"] = [
            {"name": f"{stream.resource}/{name}", "problem": problem}
            for (stream, name), problem in odd.items()
        ]
    if denied:
        detail["denied"] = denied
    return {
        "state": state_of(board.pulse, in_step=board.in_step()),
        "state_detail": detail,
        "watching": sorted(s.name for s, standing in standings.items() if standing.open),
    }


def state_of(pulse: Pulse, *, in_step: bool) -> str:
    """One word for the cluster: unreachable, connecting, slow, live."""
    if pulse.trouble:
        return "unreachable"
    if not in_step:
        return "connecting"
    return "slow" if pulse.took_s > SLOW_S else "live"

"""Recorded watch messages, one JSON object a line, to the messages that a live watch gives.

A line is {"t": receive time, "resource": plural, "type": LIST|ADDED|MODIFIED|DELETED|BOOKMARK|
ERROR|RELIST, "object": {...}}. Resources that we do not read are skipped.
"""

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec

from fleet.adapters.kubernetes.parse.common import utc
from fleet.adapters.kubernetes.parse.objects import parse_list, parse_object
from fleet.domain.records.change import Change, ChangeType, Listed
from fleet.domain.records.keys import Resource
from fleet.errors import BadInput, UnexpectedShape

_RESOURCES = {item.value: item for item in Resource}
_CHANGES = {item.value: item for item in ChangeType}
_LISTS = frozenset({"LIST", "RELIST"})


class Line(msgspec.Struct):
    """One line of a recording."""

    t: datetime
    resource: str
    type: str
    object: msgspec.Raw


_line = msgspec.json.Decoder(Line)


@dataclass(slots=True)
class Recording:
    """Reads lines in order. last: receive time of the newest line of any kind. odd: what could not
    be read, said once each."""

    last: datetime | None = None
    odd: list[str] = field(default_factory=list)
    in_step: dict[Resource, datetime] = field(default_factory=dict)

    def messages(self, lines: Iterable[bytes]) -> Iterator[Change | Listed]:
        """The messages of the resources that we read. Raises BadInput for a line that is none."""
        for number, text in enumerate(lines, start=1):
            if not text.strip():
                continue
            line = _decoded(text, number)
            self.last = _received(line)
            resource = _RESOURCES.get(line.resource)
            if resource is None:
                continue
            message = self._message(resource, line)
            if line.type != "ERROR":
                self.in_step[resource] = self.last
            if message is not None:
                yield message

    def _message(self, resource: Resource, line: Line) -> Change | Listed | None:
        """A list taken again follows a gap, which began when that watch was last in step."""
        at = _received(line)
        try:
            if line.type in _LISTS:
                since = self.in_step.get(resource, at) if line.type == "RELIST" else None
                return self._list(resource, line, at, since)
            if line.type in _CHANGES:
                record = parse_object(resource, line.object)
                return Change(
                    resource=resource, type=_CHANGES[line.type], record=record, received_at=at
                )
        except UnexpectedShape as error:
            self.odd.append(str(error))
        return None

    def _list(self, resource: Resource, line: Line, at: datetime, since: datetime | None) -> Listed:
        listed = parse_list(resource, line.object, received_at=at, unseen_since=since)
        self.odd.extend(item.problem for item in listed.odd)
        return listed


def _decoded(text: bytes, number: int) -> Line:
    try:
        return _line.decode(text)
    except msgspec.MsgspecError as error:
        raise BadInput(f"line {number} is no recorded watch message: {error}") from error


def _received(line: Line) -> datetime:
    return utc(line.t) or line.t


def lines_of(path: Path) -> Iterator[bytes]:
    """Lines of a recording, packed or not. Raises BadInput if it cannot be read."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as file:
            yield from file
    except (OSError, EOFError) as error:
        raise BadInput(f"{path}: {error}") from error

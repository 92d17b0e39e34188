"""A cluster's past in a file of watch messages, one JSON object a line, packed or not.

The lines are those of a recorded watch, with two resources more: "past" (BEGIN: whose past it is
and until when; END: up to which resourceVersion) and "pods/log" (LOG: what a container had written
by then). A line that cannot be read is skipped and counted.
"""

import gzip
import zlib
from collections.abc import Iterator
from datetime import datetime
from io import BufferedReader
from pathlib import Path

import msgspec

from fleet.adapters.kubernetes.parse.common import utc
from fleet.adapters.kubernetes.parse.objects import parse_list, parse_object
from fleet.domain.records.change import Change, ChangeType
from fleet.domain.records.keys import Resource
from fleet.errors import BadInput, UnexpectedShape
from fleet.ports import PastBegin, PastEnd, PastMessage, SaidLog

# The first lists of a big cluster are the longest lines.
LINE_BYTES = 64 * 1024 * 1024
SKIPPED_SHOWN = 20
PROBLEM_LENGTH = 200
_RESOURCES = {item.value: item for item in Resource}
_CHANGES = {item.value: item for item in ChangeType}


class Line(msgspec.Struct):
    """One line."""

    t: datetime
    resource: str
    type: str
    object: msgspec.Raw


class _Begin(msgspec.Struct):
    cluster: str
    until: datetime
    simulated: bool = False


class _End(msgspec.Struct, rename="camel"):
    resource_version: str


class _Log(msgspec.Struct):
    uid: str
    container: str
    lines: list[str]


_line = msgspec.json.Decoder(Line)
_begin = msgspec.json.Decoder(_Begin)
_end = msgspec.json.Decoder(_End)
_log = msgspec.json.Decoder(_Log)


class PastFile:
    """One file, read once. skipped: lines that could not be read; problems: the first of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped = 0
        self.problems: list[str] = []
        self._lines = self._read()

    def begin(self) -> PastBegin:
        """Whose past it is. Raises BadInput for a file that is none."""
        text = next(self._lines, b"")
        try:
            line = _line.decode(text)
            began = _begin.decode(line.object)
        except msgspec.MsgspecError as error:
            raise BadInput(f"{self.path.name}: its first line begins no past: {error}") from error
        if (line.resource, line.type) != ("past", "BEGIN"):
            raise BadInput(f"{self.path.name}: its first line begins no past")
        return PastBegin(
            cluster=began.cluster,
            since=_moment(line.t),
            until=_moment(began.until),
            simulated=began.simulated,
        )

    def messages(self) -> Iterator[PastMessage]:
        """All that follows, in order. Raises BadInput where the file breaks off."""
        for number, text in enumerate(self._lines, start=2):
            if not text.strip():
                continue
            try:
                message = _message(text)
            except (msgspec.MsgspecError, UnexpectedShape) as error:
                self._skip(f"line {number}: {error}")
                continue
            if message is not None:
                yield message

    def _skip(self, problem: str) -> None:
        self.skipped += 1
        if len(self.problems) < SKIPPED_SHOWN:
            self.problems.append(problem[:PROBLEM_LENGTH])

    def _read(self) -> Iterator[bytes]:
        try:
            with _opened(self.path) as file:
                while text := file.readline(LINE_BYTES):
                    yield text
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"{self.path.name} breaks off: {error}") from error


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.GzipFile(path) if packed else path.open("rb")


def _message(text: bytes) -> PastMessage | None:
    """None for what we do not read."""
    line = _line.decode(text)
    at = _moment(line.t)
    if line.type == "END" and line.resource == "past":
        return PastEnd(resource_version=_end.decode(line.object).resource_version, at=at)
    if line.type == "LOG":
        said = _log.decode(line.object)
        return SaidLog(
            uid=said.uid, container=said.container, lines=tuple(said.lines), received_at=at
        )
    resource = _RESOURCES.get(line.resource)
    if resource is None:
        return None
    if line.type == "LIST":
        return parse_list(resource, line.object, received_at=at, unseen_since=None)
    if line.type not in _CHANGES:
        return None
    record = parse_object(resource, line.object)
    return Change(resource=resource, type=_CHANGES[line.type], record=record, received_at=at)


def _moment(at: datetime) -> datetime:
    return utc(at) or at

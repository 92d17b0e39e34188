"""A cluster's past in a file of watch messages, one JSON object a line, packed or not.

The lines are those of a recorded watch, with two resources more: "past" (BEGIN: whose past it is
and until when; END: up to which resourceVersion) and "pods/log" (LOG: what a container had written
by then). A line that cannot be read is skipped and counted. END may name a file beside this one in
which the recording goes on ("then"): plain lines, still being written; it ends with its last whole
line.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from io import BufferedReader
from pathlib import Path

import msgspec

from fleet.adapters.kubernetes.parse.common import utc
from fleet.adapters.kubernetes.parse.deep import decode
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
    then: str = ""


class _Versioned(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Object(msgspec.Struct):
    metadata: _Versioned = msgspec.field(default_factory=_Versioned)


class _Log(msgspec.Struct):
    uid: str
    container: str
    lines: list[str]


_line = msgspec.json.Decoder(Line)
_begin = msgspec.json.Decoder(_Begin)
_end = msgspec.json.Decoder(_End)
_log = msgspec.json.Decoder(_Log)
_object = msgspec.json.Decoder(_Object)


class PastFile:
    """One file, read once. skipped: lines that could not be read; problems: the first of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped = 0
        self.problems: list[str] = []
        self._number = 1
        self._then = ""
        self._lines = self._read()

    def begin(self) -> PastBegin:
        """Whose past it is. Raises BadInput for a file that is none."""
        text = next(self._lines, b"")
        try:
            line = decode(_line, text)
            began = _begin.decode(line.object)
            since, until = _moment(line.t), _moment(began.until)
        except (msgspec.MsgspecError, UnexpectedShape) as error:
            raise BadInput(f"{self.path.name}: its first line begins no past: {error}") from error
        if (line.resource, line.type) != ("past", "BEGIN"):
            raise BadInput(f"{self.path.name}: its first line begins no past")
        return PastBegin(cluster=began.cluster, since=since, until=until, simulated=began.simulated)

    def messages(self) -> Iterator[PastMessage]:
        """All that follows, in order. Raises BadInput where the file breaks off."""
        for message in self._parsed(self._lines):
            yield message
            if isinstance(message, PastEnd) and message.goes_on:
                yield from self._since(message)

    def _since(self, end: PastEnd) -> Iterator[PastMessage]:
        """What was written beside since the end, and how far that goes."""
        newest = Newest(end)
        yield from self._parsed(newest.whole_lines(self.path.with_name(self._then)))
        yield newest.end()

    def _parsed(self, lines: Iterable[bytes]) -> Iterator[PastMessage]:
        for text in lines:
            self._number += 1
            if not text.strip():
                continue
            try:
                message = self._message(text)
            except (msgspec.MsgspecError, UnexpectedShape) as error:
                self._skip(f"line {self._number}: {error}")
                continue
            if message is not None:
                yield message

    def _message(self, text: bytes) -> PastMessage | None:
        """None for what we do not read."""
        line = decode(_line, text)
        if line.type != "END" or line.resource != "past":
            return _message(line)
        end = _end.decode(line.object)
        # A name, never a way out of the folder.
        self._then = Path(end.then).name
        goes_on = bool(self._then) and self.path.with_name(self._then).is_file()
        at = _moment(line.t)
        return PastEnd(resource_version=end.resource_version, at=at, goes_on=goes_on)

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


class Newest:
    """How far a recording that is still written goes."""

    def __init__(self, end: PastEnd) -> None:
        self._version = _number(end.resource_version)
        self._at = end.at

    def whole_lines(self, path: Path) -> Iterator[bytes]:
        """The lines that are there now; half a one, just being written, is not."""
        with path.open("rb") as file:
            for text in file:
                if text.endswith(b"\n"):
                    self._note(text)
                    yield text

    def _note(self, text: bytes) -> None:
        with suppress(msgspec.MsgspecError, UnexpectedShape):
            line = decode(_line, text)
            self._at = max(self._at, _moment(line.t))
            version = _object.decode(line.object).metadata.resource_version
            self._version = max(self._version, _number(version))

    def end(self) -> PastEnd:
        """Up to the newest line."""
        return PastEnd(resource_version=str(self._version), at=self._at)


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.GzipFile(path) if packed else path.open("rb")


def _message(line: Line) -> PastMessage | None:
    """None for what we do not read."""
    at = _moment(line.t)
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


def _number(version: str) -> int:
    return int(version) if version.isascii() and version.isdigit() else 0


def _moment(at: datetime) -> datetime:
    """Raises UnexpectedShape for a time that lies in no year of UTC."""
    try:
        return utc(at) or at
    except OverflowError as error:
        raise UnexpectedShape("line", str(at), "a time of UTC") from error

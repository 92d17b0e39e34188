"""Recorded lines to messages."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fleet.adapters.kubernetes.parse.stream import Recording, lines_of
from fleet.domain.records.change import Change, Listed
from fleet.errors import BadInput

POD = b'{"metadata":{"name":"p","uid":"u","creationTimestamp":"2026-11-30T09:00:00Z"}}'


def line(second: int, type_: str, object_: bytes, resource: str = "pods") -> bytes:
    """One line of a recording."""
    head = f'{{"t":"2026-11-30T09:00:{second:02}Z","resource":"{resource}","type":"{type_}"'
    return head.encode() + b',"object":' + object_ + b"}\n"


def test_a_list_taken_again_follows_a_gap_since_the_watch_was_last_in_step() -> None:
    recording = Recording()
    empty = b'{"metadata":{},"items":[]}'
    found = list(
        recording.messages(
            [
                line(1, "LIST", empty),
                line(2, "ADDED", POD),
                line(3, "BOOKMARK", b'{"metadata":{}}'),
                line(4, "ADDED", POD, "routes"),
                b"\n",
                line(5, "ERROR", b'{"code":410}'),
                line(9, "RELIST", empty),
                line(10, "DELETED", POD),
            ]
        )
    )
    lists = [item for item in found if isinstance(item, Listed)]
    assert [item.unseen_since for item in lists] == [
        None, datetime(2026, 11, 30, 9, 0, 3, tzinfo=UTC),
    ]  # fmt: skip
    assert [item.type.value for item in found if isinstance(item, Change)] == ["ADDED", "DELETED"]
    assert recording.last == datetime(2026, 11, 30, 9, 0, 10, tzinfo=UTC)


def test_what_cannot_be_read_is_named_and_the_rest_goes_on() -> None:
    recording = Recording()
    broken = b'{"metadata":{},"items":[{"metadata":{"name":"l"}}]}'
    lines = [line(1, "ADDED", b'{"metadata":{"name":"odd"}}'), line(2, "LIST", broken)]
    assert len(list(recording.messages([*lines, line(3, "ADDED", POD)]))) == 2
    assert [text.split(":")[0] for text in recording.odd] == ["Pod odd", "Pod l"]


def test_a_line_that_is_no_message_says_which() -> None:
    with pytest.raises(BadInput, match="line 2"):
        list(Recording().messages([line(1, "ADDED", POD), b"nonsense\n"]))


def test_files_packed_and_not(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_bytes(b"one\ntwo\n")
    packed.write_bytes(gzip.compress(b"one\ntwo\n"))
    assert list(lines_of(plain)) == list(lines_of(packed)) == [b"one\n", b"two\n"]


def test_a_file_that_is_not_there_or_cut_short(tmp_path: Path) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"one\n" * 1000)[:30])
    for path in (tmp_path / "none", cut):
        with pytest.raises(BadInput, match=path.name):
            list(lines_of(path))

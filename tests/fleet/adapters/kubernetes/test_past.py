"""A recorded past, read line by line: what is taken, what is skipped, where it breaks off."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fleet.adapters.kubernetes.past import PastFile
from fleet.domain.records.change import Change, Listed
from fleet.domain.records.keys import Resource
from fleet.errors import BadInput
from fleet.ports import PastEnd, PastMessage, SaidLog

AT = "2026-11-29T08:00:00.000Z"
# It is a time, and UTC has no year for it.
AFTER_TIME = b"9999-12-31T23:59:59-23:59"
NODE = {
    "metadata": {
        "name": "gpu-1",
        "uid": "n-1",
        "resourceVersion": "7",
        "creationTimestamp": "2026-11-29T07:00:00Z",
    },
    "status": {},
}


def line(resource: str, kind: str, obj: Any) -> bytes:
    return json.dumps({"t": AT, "resource": resource, "type": kind, "object": obj}).encode()


BEGIN = line("past", "BEGIN", {"cluster": "west", "until": "2026-11-30T08:00:00Z"})
END = line("past", "END", {"resourceVersion": "9"})
ADDED = line("nodes", "ADDED", NODE)
LOG = line("pods/log", "LOG", {"uid": "p-1", "container": "main", "lines": ["one", "two"]})


def past(folder: Path, lines: Sequence[bytes]) -> PastFile:
    path = folder / "west.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return PastFile(path)


def kinds(messages: Sequence[PastMessage]) -> list[str]:
    return [type(each).__name__ for each in messages]


def test_it_says_whose_past_it_is(tmp_path: Path) -> None:
    begun = past(tmp_path, [BEGIN, END]).begin()
    assert (begun.cluster, begun.simulated) == ("west", False)
    assert begun.since.isoformat() == "2026-11-29T08:00:00+00:00"
    assert begun.until.isoformat() == "2026-11-30T08:00:00+00:00"


def test_messages_come_in_their_order(tmp_path: Path) -> None:
    listed = line("nodes", "LIST", {"metadata": {"resourceVersion": "5"}, "items": [NODE]})
    file = past(tmp_path, [BEGIN, listed, ADDED, b"", LOG, END])
    file.begin()
    first, change, log, end = list(file.messages())
    assert isinstance(first, Listed)
    assert (first.resource, len(first.records), first.unseen_since) == (Resource.NODES, 1, None)
    assert isinstance(change, Change)
    assert change.record.meta.uid == "n-1"
    assert isinstance(log, SaidLog)
    assert (log.uid, log.container, log.lines) == ("p-1", "main", ("one", "two"))
    assert isinstance(end, PastEnd)
    assert (end.resource_version, file.skipped) == ("9", 0)


def goes_on(folder: Path, beside: bytes | None, *, then: str = "west.since.jsonl") -> PastFile:
    end = line("past", "END", {"resourceVersion": "9", "then": then})
    if beside is not None:
        (folder / "west.since.jsonl").write_bytes(beside)
    file = past(folder, [BEGIN, ADDED, end])
    file.begin()
    return file


def test_what_was_written_beside_since_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    later = ADDED.replace(b'"7"', b'"41"').replace(b"08:00:00.000", b"08:09:00.000")
    half = ADDED.replace(b'"7"', b'"99"')[:-10]
    file = goes_on(tmp_path, later + b"\n{oops\n" + LOG + b"\n" + half)
    messages = list(file.messages())
    assert kinds(messages) == ["Change", "PastEnd", "Change", "SaidLog", "PastEnd"]
    first, last = messages[1], messages[-1]
    assert isinstance(first, PastEnd)
    assert isinstance(last, PastEnd)
    assert (first.resource_version, first.goes_on) == ("9", True)
    assert (last.resource_version, last.goes_on) == ("41", False)
    assert last.at.isoformat() == "2026-11-29T08:09:00+00:00"
    assert file.skipped == 1


@pytest.mark.parametrize(
    ("beside", "then"),
    [
        pytest.param(None, "west.since.jsonl", id="it is not there"),
        pytest.param(b"", "", id="none is named"),
        pytest.param(b"", "../../../etc/passwd", id="a way out of the folder"),
        pytest.param(b"", ".", id="the folder itself"),
    ],
)
def test_without_a_file_beside_the_end_is_the_end(
    tmp_path: Path, beside: bytes | None, then: str
) -> None:
    (end,) = list(goes_on(tmp_path, beside, then=then).messages())[1:]
    assert isinstance(end, PastEnd)
    assert (end.resource_version, end.goes_on) == ("9", False)


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param(b"{", id="half an object"),
        pytest.param(b"\xff\xfe\x00", id="bytes that are no text"),
        pytest.param(b"[1, 2]", id="another shape"),
        pytest.param(line("nodes", "ADDED", {"metadata": 3}), id="an object that is none"),
        pytest.param(
            line("pods/log", "LOG", {"uid": "p-1", "lines": "x"}), id="a log that is none"
        ),
        pytest.param(b"[" * 100_000, id="nested without end"),
        pytest.param(line("nodes", "LIST", {"items": {}}), id="a list that is none"),
        pytest.param(ADDED.replace(AT.encode(), AFTER_TIME), id="a moment after the last year"),
    ],
)
def test_a_line_that_cannot_be_read_is_skipped_and_counted(tmp_path: Path, hostile: bytes) -> None:
    file = past(tmp_path, [BEGIN, hostile, ADDED, hostile, END])
    file.begin()
    assert kinds(list(file.messages())) == ["Change", "PastEnd"]
    assert file.skipped == 2
    assert file.problems[0].startswith("line 2: ")
    assert all(len(problem) <= 200 for problem in file.problems)


def test_a_line_that_is_nested_without_end_is_read_without_its_depths(tmp_path: Path) -> None:
    deep = b'"status": {"odd": ' + b"[" * 5000 + b"]" * 5000 + b"}"
    file = past(tmp_path, [BEGIN, ADDED.replace(b'"status": {}', deep), END])
    file.begin()
    assert kinds(list(file.messages())) == ["Change", "PastEnd"]
    assert file.skipped == 0


def test_only_the_first_problems_are_kept(tmp_path: Path) -> None:
    file = past(tmp_path, [BEGIN, *[b"{"] * 50, END])
    file.begin()
    list(file.messages())
    assert (file.skipped, len(file.problems)) == (50, 20)


@pytest.mark.parametrize(
    ("resource", "kind"),
    [
        pytest.param("routes", "ADDED", id="a kind that is not followed"),
        pytest.param("nodes", "BOOKMARK", id="a bookmark"),
        pytest.param("nodes", "ERROR", id="an error"),
    ],
)
def test_what_says_nothing_is_passed_over(tmp_path: Path, resource: str, kind: str) -> None:
    file = past(tmp_path, [BEGIN, line(resource, kind, {}), END])
    file.begin()
    assert kinds(list(file.messages())) == ["PastEnd"]
    assert file.skipped == 0


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(b"", id="an empty file"),
        pytest.param(ADDED, id="a recording without a beginning"),
        pytest.param(b"hello", id="no JSON"),
        pytest.param(line("past", "BEGIN", {"until": AT}), id="a past of nobody"),
        pytest.param(line("past", "END", {"cluster": "x", "until": AT}), id="an end at the start"),
        pytest.param(BEGIN.replace(AT.encode(), AFTER_TIME), id="from after the last year"),
    ],
)
def test_a_file_that_begins_no_past_is_refused(tmp_path: Path, first: bytes) -> None:
    with pytest.raises(BadInput, match="its first line begins no past"):
        past(tmp_path, [first]).begin()


def test_a_packed_file_that_was_cut_gives_what_is_there_and_then_says_so(tmp_path: Path) -> None:
    whole = gzip.compress(b"\n".join([BEGIN, *[ADDED] * 2000, END]), compresslevel=1)
    path = tmp_path / "west.jsonl.gz"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    file, read = PastFile(path), list[PastMessage]()
    file.begin()
    with pytest.raises(BadInput, match=r"west\.jsonl\.gz breaks off: "):
        read.extend(file.messages())
    assert 100 < len(read) < 2000


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.jsonl breaks off: .*No such file"):
        PastFile(tmp_path / "none.jsonl").begin()

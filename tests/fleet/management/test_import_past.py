"""`manage.py import-past`: one line a file, an error in the end if one was not read whole."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from fleet.models import Cluster
from fleet.observe import past as observing
from tests.factories import make_cluster

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody adds clusters or takes lists here later on."""
    monkeypatch.setattr(observing, "AWAITED_S", 0.0)


def past(folder: Path, cluster: str, *lines: bytes) -> Path:
    def line(kind: str, obj: dict[str, Any]) -> bytes:
        message = {"t": "2026-11-29T08:00:00Z", "resource": "past", "type": kind, "object": obj}
        return json.dumps(message).encode()

    path = folder / f"{cluster}.jsonl"
    begin = line("BEGIN", {"cluster": cluster, "until": "2026-11-30T08:00:00Z"})
    path.write_bytes(b"\n".join([begin, *lines, line("END", {"resourceVersion": "9"})]))
    return path


def test_it_says_what_came_of_each_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_cluster("east")
    make_cluster("west")
    call_command("import-past", past(tmp_path, "east"), past(tmp_path, "west", b"{oops"))
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "east: apart, 0 starts in 0 messages, 0 skipped",
        "west: apart, 0 starts in 0 messages, 1 skipped",
    ]
    assert err.startswith("west.jsonl: skipped line 2: ")
    assert not Cluster.objects.filter(simulated=True).exists()


def test_a_second_time_there_is_nothing_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_cluster("west")
    call_command("import-past", past(tmp_path, "west"))
    call_command("import-past", past(tmp_path, "west"))
    assert capsys.readouterr().out.splitlines()[1].startswith("west: known, ")


def test_one_that_cannot_be_read_does_not_keep_the_others_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_cluster("west")
    nobody = past(tmp_path, "nobody")
    with pytest.raises(CommandError, match="2 of 3 could not be read to the end"):
        call_command("import-past", tmp_path / "none.jsonl", nobody, past(tmp_path, "west"))
    out, err = capsys.readouterr()
    assert out.startswith("west: ")
    assert "none.jsonl breaks off" in err
    assert "there is no cluster 'nobody'" in err


def test_a_full_disk_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> tuple[str, ...]:
        raise OperationalError("database or disk is full")

    make_cluster("west")
    monkeypatch.setattr(observing, "write_past", full)
    with pytest.raises(CommandError, match="1 of 1 could not be read to the end"):
        call_command("import-past", past(tmp_path, "west"))
    assert capsys.readouterr().err.endswith("west.jsonl: database or disk is full\n")

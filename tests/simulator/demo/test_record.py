"""`demo.json`: private, whole or absent, and one demo at a time."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from simulator.demo.record import AlreadyRunning, only_demo, write

CONTENT = {"url": "http://127.0.0.1:8000", "kubeconfig": "/k"}


def test_the_record_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    with only_demo(tmp_path) as record:
        assert not record.exists()
        write(record, CONTENT)
        assert json.loads(record.read_text()) == CONTENT
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert not record.exists()


def test_a_record_left_by_a_killed_demo_is_removed_first(tmp_path: Path) -> None:
    (tmp_path / "demo.json").write_text("{}")
    with only_demo(tmp_path) as record:
        assert not record.exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(CONTENT, "already runs at http://127.0.0.1:8000", id="a demo that is up"),
        pytest.param(None, "already starting", id="a demo that is not up yet"),
    ],
)
def test_a_second_demo_says_where_the_first_is(
    content: dict[str, str] | None, says: str, tmp_path: Path
) -> None:
    with only_demo(tmp_path) as record:
        if content is not None:
            write(record, content)
        with pytest.raises(AlreadyRunning, match=says), only_demo(tmp_path):
            pytest.fail("two demos in one folder")
        assert record.exists() == (content is not None)


def test_a_draft_left_by_a_killed_demo_does_not_hinder(tmp_path: Path) -> None:
    (tmp_path / "demo.draft").write_text("half")
    with only_demo(tmp_path) as record:
        write(record, CONTENT)
        assert json.loads(record.read_text()) == CONTENT

"""The command, as a person or a program calls it."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.fleet.domain.streams import STREAMS, named

WAKES = STREAMS / f"{named('01')}.jsonl.gz"


def measured(path: Path, *options: str) -> tuple[str, str]:
    """Output and errors of the command."""
    out, err = StringIO(), StringIO()
    call_command("measure", str(path), *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_one_json_object_a_line_ordered_by_start() -> None:
    out, err = measured(WAKES, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["trigger"] for row in rows] == ["rollout", "scale-from-zero", "scale-from-zero"]
    assert rows == sorted(rows, key=lambda row: row["started_at"])
    assert err == ""


def test_a_row_has_the_shape_of_the_api() -> None:
    row = json.loads(measured(WAKES, "--json")[0].splitlines()[0])
    assert set(row) == {
        "id", "model", "revision", "replica", "replica_uid", "role", "node", "restarts", "trigger",
        "start_mode", "outcome", "failure", "started_at", "ready_at", "ended_at",
        "first_answer_at", "ended_in_phase", "total_s", "total_to_first_answer_s",
        "unexplained_s", "clamped", "phases", "requests_lost", "image", "image_digest",
        "engine_version", "gpus", "node_pool", "weights_from", "progress_deadline_s", "image_pull",
        "image_bytes", "log",
    }  # fmt: skip
    assert row["id"] is None
    assert row["model"] == "stream/InferenceService/chat/llama"
    assert row["started_at"] == "2026-11-30T09:28:49.501Z"
    assert row["first_answer_at"] is None
    assert set(row["phases"][0]) == {
        "phase", "started_at", "ended_at", "seconds", "source", "error_s", "parts",
    }  # fmt: skip


def test_the_cluster_may_be_named() -> None:
    row = json.loads(measured(WAKES, "--json", "--cluster", "blue")[0].splitlines()[0])
    assert row["model"].startswith("blue/")


def test_a_failure_has_a_class_and_a_reason() -> None:
    out, _ = measured(STREAMS / f"{named('07')}.jsonl.gz", "--json")
    failed = [row for row in map(json.loads, out.splitlines()) if row["outcome"] == "failed"]
    assert failed[0]["failure"]["class"] == "image-pull"
    assert failed[0]["ended_in_phase"] == "pull-image"


def test_for_people_a_line_says_it_in_words() -> None:
    first = measured(WAKES)[0].splitlines()[0]
    assert "rollout  ready  27.8 s" in first
    assert "load-engine 12.3" in first


def test_what_was_skipped_is_said(tmp_path: Path) -> None:
    odd = tmp_path / "odd.jsonl"
    broken = {"t": "2026-11-30T09:28:49Z", "resource": "pods", "type": "ADDED"}
    lines = gzip.decompress(WAKES.read_bytes()).splitlines(keepends=True)
    odd.write_bytes(json.dumps(broken | {"object": {"metadata": {}}}).encode() + b"\n" + lines[0])
    assert "skipped: Pod ?" in measured(odd)[1]


def test_a_recording_of_nothing_has_no_starts(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    assert measured(empty, "--json") == ("", "")


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nothing.jsonl"):
        measured(tmp_path / "nothing.jsonl")

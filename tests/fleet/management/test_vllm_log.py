"""manage.py vllm-log, as a person or a program calls it."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

SAMPLES = json.loads(Path("tests/fixtures/vllm_logs/samples.json").read_text())["samples"]
NAMED: dict[str, dict[str, Any]] = {sample["id"]: sample for sample in SAMPLES}


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("vllm-log", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "server.log"
    path.write_text("\n".join(NAMED["v085-v1-8b-cold"]["lines"]) + "\n")
    return path


def test_samples_are_answered_one_a_line_in_order(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in SAMPLES) + "\n")
    rows = [json.loads(line) for line in said("--jsonl", str(path)).splitlines()]
    assert [row["id"] for row in rows] == [sample["id"] for sample in SAMPLES]
    assert [row["outcome"] for row in rows] == [each["expected"]["outcome"] for each in SAMPLES]


def test_a_file_as_json(log: Path) -> None:
    answer = json.loads(said(str(log), "--started-at", "2025-05-12T10:11:00Z", "--json"))
    assert set(answer) == {
        "outcome", "failure_class", "decisive_line", "last_phase", "phases", "facts",
    }  # fmt: skip
    assert (answer["outcome"], answer["failure_class"]) == ("ready", None)
    assert answer["phases"]["total"] == pytest.approx(143.45)


def test_for_people_sub_phases_are_indented(log: Path) -> None:
    lines = said(str(log)).splitlines()
    assert lines[0] == "ready, last seen: startup_complete"
    assert any(line.startswith("  engine_init") for line in lines)
    assert any(line.startswith("      compile_dynamo") for line in lines)
    assert not any("process_boot" in line for line in lines), "the container's start is not known"


def test_a_failure_shows_its_decisive_line(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("\n".join(NAMED["fail-maxlen-v0"]["lines"]))
    text = said(str(path))
    assert text.startswith("failed (kv_too_small_for_len), last seen: kv_blocks")
    assert "max seq len (131072)" in text


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param([], "give a log", id="nothing to read"),
        pytest.param(["/nowhere/x.log"], "No such file", id="no such file"),
        pytest.param(["--jsonl", __file__], "line 1 is not JSON", id="no JSON"),
        pytest.param([__file__, "--started-at", "noon"], "is not a time", id="no time"),
        pytest.param([__file__, "--jsonl", __file__], "give a log", id="both"),
    ],
)
def test_what_cannot_be_read_is_said(arguments: list[str], error: str) -> None:
    with pytest.raises(CommandError, match=error):
        said(*arguments)


def test_hostile_bytes_are_read_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"\xff\xfe\x00" * 1000 + b"\n" + b"x" * 3_000_000 + b"\nINFO:     Applica")
    assert said(str(path)) == "nothing that vLLM says was found in it\n"
    assert json.loads(said(str(path), "--json"))["outcome"] == "stalled"

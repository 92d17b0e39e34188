"""manage.py diagnose, as a person or a program calls it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from fleet.domain.diagnosis.records import Cause, FaultPhase, Remedy

CASES = [
    json.loads(line)
    for line in Path("tests/fixtures/incidents/open.jsonl").read_text().splitlines()
]


def said(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("diagnose", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_bundles_are_answered_one_a_line_in_order(tmp_path: Path) -> None:
    path = tmp_path / "bundles.jsonl"
    flat = [{"id": case["id"], **case["evidence"]} for case in CASES[:10]]
    nested = [{"id": case["id"], "evidence": case["evidence"]} for case in CASES[10:]]
    path.write_text("".join(json.dumps(each) + "\n" for each in (*flat, *nested)))
    answers = rows(said("--jsonl", str(path))[0])
    assert [each["id"] for each in answers] == [case["id"] for case in CASES]
    for answer in answers:
        for finding in answer["findings"]:
            assert finding["cause"] in set(Cause)
            assert finding["phase"] in set(FaultPhase)
            assert 0 <= finding["confidence"] <= 1
            assert set(finding["remedies"]) <= set(Remedy)
            assert finding["summary"]
            assert all(set(each) == {"kind", "ref", "says"} for each in finding["evidence"])


def test_one_bad_line_loses_no_other(tmp_path: Path) -> None:
    path = tmp_path / "bundles.jsonl"
    good = json.dumps({"id": "a", **CASES[0]["evidence"]})
    path.write_text(f'{good}\n{{"id": \n[1, 2]\n\n{good}\n{"[" * 100_000}\n')
    out, err = said("--jsonl", str(path))
    answers = rows(out)
    assert ["error" in each for each in answers] == [False, True, True, False, True]
    assert "line 2 is not JSON" in answers[1]["error"]
    assert answers[2]["error"] == "line 3 is not a JSON object"
    assert "3 lines could not be read" in err


def test_a_bundle_as_json(tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(CASES[0]["evidence"]))
    answer = json.loads(said(str(path), "--json")[0])
    assert answer["id"] is None
    assert answer["findings"][0]["cause"] == CASES[0]["expected"]["cause"]


def test_for_people_evidence_and_remedies_stand_below_the_cause(tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(CASES[0]["evidence"]))
    lines = said(str(path))[0].splitlines()
    assert lines[0].startswith(f"{CASES[0]['expected']['cause']} (")
    assert any(line.startswith("    - fix-route-backend: ") for line in lines)


def test_what_kubectl_prints_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    evidence = next(case["evidence"] for case in CASES if case["id"] == "inc-048")
    path.write_text(
        json.dumps({"kind": "List", "items": [evidence["inferenceservice"], *evidence["pods"]]})
    )
    answer = json.loads(said(str(path), "--json")[0])
    assert answer["findings"][0]["cause"] == "model-download-failed"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("kind: Pod\n", "YAML", id="YAML"),
        pytest.param('{"pods": [', "Line 1", id="cut off"),
        pytest.param("[1]", "expected an object", id="not an object"),
        pytest.param("", "nothing in it", id="empty"),
    ],
)
def test_a_file_that_is_no_bundle_ends_with_2(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(text)
    with pytest.raises(CommandError, match=says) as raised:
        said(str(path))
    assert raised.value.returncode == 2


def test_a_file_that_is_not_there_and_too_few_arguments() -> None:
    with pytest.raises(CommandError, match="No such file"):
        said("/nonexistent.json")
    with pytest.raises(CommandError, match="give BUNDLE.json"):
        said()


def test_a_file_without_end_ends_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.management.commands.diagnose.LINE_AT_MOST", 3 * 1024**2)
    with pytest.raises(CommandError, match="/dev/zero: larger than 3 MiB") as raised:
        said("/dev/zero")
    assert raised.value.returncode == 2

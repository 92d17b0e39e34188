"""Every sample of vLLM 0.4 to 0.33 is told right."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from fleet.domain.enginelog.catalogue import PRINTED
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.phases import sub_phases
from fleet.domain.enginelog.verdict import ContainerEnd, verdict_of
from fleet.domain.enginelog.witness import Witness, plain_of, witness_of

SAMPLES = json.loads(Path("tests/fixtures/vllm_logs/samples.json").read_text())["samples"]
TOLERANCE_S = 0.011
# Facts that the parser keeps under the same names as the samples.
FACTS = {
    "version",
    "model_load_gib",
    "kv_blocks",
    "kv_tokens",
    "concurrency",
    "compile_cache",
    "ranks",
    "loader",
    "filesystem",
    "jit_during_serving",
    "shard_progress_pct",
    "clock",
}

every_sample = pytest.mark.parametrize(
    "sample", [pytest.param(each, id=each["title"]) for each in SAMPLES]
)


def started_at(sample: dict[str, Any]) -> float:
    return datetime.fromisoformat(sample["container_started_at"]).timestamp()


def read(sample: dict[str, Any]) -> Witness:
    log = EngineLog(started_at=started_at(sample))
    log.feed_all(sample["lines"])
    return log.witness()


@every_sample
def test_outcome_class_and_last_milestone(sample: dict[str, Any]) -> None:
    end = sample["container"]
    container = end and ContainerEnd(exit_code=end["exit_code"], reason=end["reason"])
    expected = sample["expected"]
    witness = read(sample)
    outcome, class_ = verdict_of(witness, container)
    assert (outcome.value, class_ or None) == (expected["outcome"], expected["failure_class"])
    assert witness.milestone == expected["last_phase"]


@every_sample
def test_sub_phases(sample: dict[str, Any]) -> None:
    found = sub_phases(read(sample), started_at=started_at(sample))
    expected = sample["expected"]["phases"]
    assert {name: found.get(name) for name in expected} == pytest.approx(expected, abs=TOLERANCE_S)
    assert not (found.keys() & PRINTED) - expected.keys(), "seconds that no line printed"


@every_sample
def test_facts(sample: dict[str, Any]) -> None:
    witness = read(sample)
    found = witness.facts | {"clock": witness.clock}
    expected = {
        key: sample["expected"]["facts"][key] for key in FACTS & {*sample["expected"]["facts"]}
    }
    assert {name: found.get(name) for name in expected} == expected


@every_sample
def test_what_is_kept_says_the_same_as_what_was_read(sample: dict[str, Any]) -> None:
    witness = read(sample)
    assert witness_of(json.loads(json.dumps(plain_of(witness)))) == witness


@every_sample
def test_a_log_cut_anywhere_never_tells_what_comes_later(sample: dict[str, Any]) -> None:
    whole = read(sample)
    log = EngineLog(started_at=started_at(sample))
    seen: dict[str, float] = {}
    for line in sample["lines"]:
        log.feed(line)
        now = log.witness().printed
        assert all(now[name] >= seconds for name, seconds in seen.items())
        seen = now
    assert log.witness() == whole


@every_sample
def test_lines_that_come_twice_change_no_moment(sample: dict[str, Any]) -> None:
    log = EngineLog(started_at=started_at(sample))
    log.feed_all([line for line in sample["lines"] for _ in range(2)])
    whole, twice = read(sample), log.witness()
    moments = ("first_at", "banner_at", "engine_at", "load_at", "init_at", "complete_at")
    assert [getattr(twice, name) for name in moments] == [getattr(whole, name) for name in moments]

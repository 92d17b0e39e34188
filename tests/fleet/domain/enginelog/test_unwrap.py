"""Records that somebody reshaped into JSON are told as plain ones, as far as they can be."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.phases import sub_phases
from fleet.domain.enginelog.verdict import LogOutcome, verdict_of
from fleet.domain.enginelog.witness import Witness

STARTED = datetime(2026, 11, 20, 9, tzinfo=UTC).timestamp()
TOOK = "Loading weights took 3.61 seconds"


def read(*lines: str) -> Witness:
    log = EngineLog(started_at=STARTED)
    log.feed_all(lines)
    return log.witness()


def said(message: str, second: int = 30, **more: Any) -> str:
    at = f"2026-11-20T09:00:{second:02d}.250Z"
    return json.dumps({"timestamp": at, "level": "INFO", "message": message} | more)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(said(TOOK), id="timestamp, level, message"),
        pytest.param(
            {"asctime": "2026-11-20 09:00:30,123", "levelname": "INFO", "message": TOOK},
            id="python-json-logger",
        ),
        pytest.param({"ts": 1795165230.5, "severity": "info", "msg": TOOK}, id="seconds, short"),
        pytest.param({"time": 1795165230500, "lvl": "INFO", "event": TOOK}, id="milliseconds"),
        pytest.param(
            {"@timestamp": "2026-11-20T10:00:30+01:00", "level": "info", "message": TOOK},
            id="another zone",
        ),
        pytest.param(
            {
                "log": f"INFO 11-20 09:00:30 [x.py:1] {TOOK}",
                "time": "2026-11-20T09:00:31Z",
            },
            id="a container runtime's own, with the record in it",
        ),
    ],
)
@pytest.mark.parametrize("stamp", ["", "2026-11-20T09:00:31Z "], ids=["", "stamped"])
def test_keys_are_named_by_whoever_reshaped_it(line: str | dict[str, Any], stamp: str) -> None:
    text = line if isinstance(line, str) else json.dumps(line)
    witness = read(stamp + text)
    assert (witness.printed, witness.milestone) == ({"weights_load": 3.61}, "weights_load")
    assert witness.milestone_at == pytest.approx(STARTED + (31 if stamp else 30), abs=0.0)


def test_a_whole_start_by_its_own_clock() -> None:
    witness = read(
        said("vLLM API server version 0.33.0", 14),
        said("Initializing a V1 LLM engine (v0.33.0) with config: model='m'", 23),
        said("Starting to load model m...", 27),
        said(TOOK, 31, processName="EngineCore", process=151),
        said("Starting vLLM server on http://0.0.0.0:8000", 50),
        said("Application startup complete.", 52),
    )
    found = sub_phases(witness, started_at=STARTED)
    assert {name: found[name] for name in ("process_boot", "config", "engine_spawn", "total")} == {
        "process_boot": 14.0,
        "config": 9.0,
        "engine_spawn": 4.0,
        "total": 52.0,
    }
    assert (witness.clock, witness.is_json) == ("inline", True)
    assert verdict_of(witness, None) == (LogOutcome.READY_UNCONFIRMED, "")


def test_why_it_failed_is_in_the_traceback_beside_the_message() -> None:
    trouble = 'Traceback:\n  File "x.py", line 1\ntorch.OutOfMemoryError: CUDA out of memory.'
    witness = read(said("EngineCore failed to start.", level="ERROR", exc_info=trouble))
    assert (witness.failure, witness.line) == (
        "cuda_oom",
        "torch.OutOfMemoryError: CUDA out of memory.",
    )


def test_what_info_quotes_is_no_complaint() -> None:
    assert read(said("prompt: 'CUDA out of memory'")).failure == ""


def test_the_web_servers_answers_count() -> None:
    refused = '10.0.0.1:4 - "GET /v1/models HTTP/1.1" 401'
    witness = read(said("Application startup complete."), said(refused, logger="uvicorn.access"))
    assert (witness.serves, witness.unauthorised) == (True, True)


def test_a_plain_log_with_a_line_of_json_in_it_stays_plain() -> None:
    witness = read(f"INFO 11-20 09:00:30 [x.py:1] {TOOK}", said("xet says hello", level="WARN"))
    assert (witness.is_json, witness.milestone) == (False, "weights_load")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("{", id="cut"),
        pytest.param('{"message": 7, "level": "INFO"}', id="a message that is no text"),
        pytest.param('{"a":' * 5000, id="an object that never ends"),
        pytest.param('{"message": "' + "\\n" * 8000 + '"}', id="nothing but ends of lines"),
        pytest.param('{"level": ["INFO"], "message": "x", "time": 1e400}', id="odd kinds"),
        pytest.param('{"time": "yesterday", "level": "INFO", "message": "x"}', id="no time"),
        pytest.param('{"time": true, "level": 20, "message": "\\u0000 x"}', id="numbers, NUL"),
        pytest.param("[1, 2]", id="no object"),
    ],
)
def test_what_cannot_be_read_says_nothing(line: str) -> None:
    witness = read(line)
    assert (witness.milestone, witness.failure, witness.serves) == ("", "", False)
    assert witness.printed == {}

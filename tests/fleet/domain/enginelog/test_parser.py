"""What a log says, line by line: prefixes, ranks, clocks, and logs that somebody reshaped."""

from datetime import UTC, datetime

import pytest

from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.phases import sub_phases
from fleet.domain.enginelog.witness import Witness

STARTED = datetime(2026, 11, 20, 9, tzinfo=UTC).timestamp()


def read(*lines: str, started_at: float | None = STARTED) -> Witness:
    log = EngineLog(started_at=started_at)
    log.feed_all(lines)
    return log.witness()


PREFIXES = [
    pytest.param("INFO 11-20 09:00:30 model_runner.py:1067] ", id="0.4 to 0.7: no bracket opens"),
    pytest.param("INFO 11-20 09:00:30 [model_runner.py:1067] ", id="0.8"),
    pytest.param("DEBUG 11-20 09:00:30 [v1/worker/gpu_worker.py:77] ", id="DEBUG, a longer path"),
    pytest.param(
        "(VllmWorker rank=0 pid=783) INFO 11-20 09:00:30 [x.py:1] ", id="0.8, several ranks"
    ),
    pytest.param(
        "\x1b[1;36m(Worker_DP0_TP1_EP1 pid=340)\x1b[0;0m INFO 11-20 09:00:30 [x.py:1] ",
        id="0.10 to 0.16: coloured for nobody",
    ),
    pytest.param(
        "(ServeReplica:a:b pid=9) (EngineCore_DP0 pid=68) (RayWorkerWrapper pid=1, ip=10.0.0.1) "
        "INFO 11-20 09:00:30 [x.py:1] ",
        id="Ray: nested",
    ),
    pytest.param("(a remark) INFO 11-20 09:00:30 [x.py:1] ", id="brackets of somebody else"),
    pytest.param("[rank0]: INFO 11-20 09:00:30 [x.py:1] ", id="a prefix nobody knows"),
    pytest.param("INFO 11-20 09:00:30.123 [x.py:1] [backbone] ", id="0.33: milliseconds and a tag"),
    pytest.param("Capturing:   0%|   | 0/67\rINFO 11-20 09:00:30 [x.py:1] ", id="behind a bar"),
]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("stamp", ["", "2026-11-20T09:00:30.123456789Z "], ids=["", "stamped"])
def test_a_milestone_is_found_behind_every_prefix(prefix: str, stamp: str) -> None:
    witness = read(f"{stamp}{prefix}Loading weights took 3.61 seconds")
    assert (witness.milestone, witness.printed) == ("weights_load", {"weights_load": 3.61})
    assert witness.clock == ("kubelet" if stamp else "inline")


def test_ray_says_how_often_it_left_a_line_out() -> None:
    line = "(RayWorkerWrapper pid=1, ip=10.0.0.1) INFO 11-20 09:00:30 [x.py:1] "
    text = "Multi-modal warmup completed in 12.594s [repeated 3x across cluster]"
    assert read(line + text).printed == {"api_warmup": 12.594}


def test_ray_passes_lines_of_its_workers_on() -> None:
    line = "(RayWorkerWrapper pid=7) INFO 11-20 09:00:52 [b.py:1] Compiling a graph for shape 8"
    other = "(RayWorkerWrapper pid=8) INFO 11-20 09:00:55 [b.py:1] Compiling a graph for shape 8"
    copies = [f"{each} takes {seconds} s" for each, seconds in ((line, 46.7), (other, 49.9))]
    passed_on = [f"(ServeReplica:a pid=1) (EngineCore_DP0 pid=2) {copy}" for copy in copies]
    xet = '(RayWorkerWrapper pid=7) {"timestamp":"2026-11-20T09:00:04Z","level":"WARN"}'
    witness = read(*copies, xet, *passed_on)
    assert (witness.printed, witness.is_json) == ({"compile_graph": 49.9}, False)


def test_kserves_own_server_words_it_its_own_way() -> None:
    witness = read(
        "2026-11-20T09:00:20.5Z 2026-11-20 09:00:20.500 1 uvicorn.error INFO:     "
        "Application startup complete."
    )
    assert (witness.complete, witness.complete_at) == (True, STARTED + 20.5)


@pytest.mark.parametrize(
    ("texts", "printed"),
    [
        pytest.param(
            [
                "(A pid=1) Loading weights took 2 seconds",
                "(B pid=2) Loading weights took 3 seconds",
            ],
            {"weights_load": 3.0},
            id="of several ranks the slowest",
        ),
        pytest.param(
            [
                "(A pid=1) Compiling a graph for compile range (1, 8) takes 2.5 s",
                "(A pid=1) Compiling a graph for compile range (9, 16) takes 3.5 s",
                "(B pid=2) Compiling a graph for compile range (1, 8) takes 4.0 s",
            ],
            {"compile_graph": 6.0},
            id="ranges of one process add up",
        ),
        pytest.param(
            [
                "(A pid=1) Chat template warmup completed in 250.0ms",
                "(A pid=1) Multi-modal warmup completed in 1.5s",
            ],
            {"api_warmup": 1.75},
            id="milliseconds and seconds",
        ),
        pytest.param(
            ["Loading model weights took 13.5083 GB"], {}, id="0.4 prints no seconds: none are told"
        ),
        pytest.param(
            ["Directly load the compiled graph(s) for shape 1 from the cache, took 2.187 s"],
            {},
            id="a hit of the cache compiled nothing",
        ),
    ],
)
def test_printed_seconds(texts: list[str], printed: dict[str, float]) -> None:
    assert read(*texts).printed == printed


def test_several_engines_hold_the_server_up_until_the_last_is_ready() -> None:
    init = "init engine (profile, create kv cache, warmup model) took 30.00 seconds"
    witness = read(
        f"2026-11-20T09:01:00Z (EngineCore_DP0 pid=1) INFO 11-20 09:01:00 [core.py:1] {init}",
        f"2026-11-20T09:01:07Z (EngineCore_DP1 pid=2) INFO 11-20 09:01:07 [core.py:1] {init}",
        "2026-11-20T09:01:09Z (ApiServer_1 pid=3) INFO 11-20 09:01:09 [a.py:1] "
        "Starting vLLM API server 1 on http://0.0.0.0:8000",
        "2026-11-20T09:01:10Z (ApiServer_1 pid=3) INFO:     Application startup complete.",
        "2026-11-20T09:01:12Z (ApiServer_0 pid=4) INFO:     Application startup complete.",
    )
    found = sub_phases(witness, started_at=STARTED)
    assert (found["api_setup"], found["listen"], found["total"]) == (2.0, 1.0, 70.0)


@pytest.mark.parametrize(
    ("started", "line", "boot_s"),
    [
        pytest.param((2026, 12, 31, 23, 59, 50), "01-01 00:00:05", 15.0, id="over new year"),
        pytest.param((2026, 1, 1, 0, 0, 5), "12-31 23:59:58", -7.0 % 900, id="a clock behind"),
        pytest.param((2026, 7, 1, 9, 0, 0), "07-01 11:00:20", 20.0, id="a zone of two hours"),
        pytest.param((2026, 7, 1, 9, 0, 0), "07-01 03:30:20", 20.0, id="a zone behind UTC"),
        pytest.param((2026, 7, 1, 9, 0, 0), "13-41 99:00:20", None, id="no time at all"),
    ],
)
def test_its_own_clock_has_neither_year_nor_zone(
    started: tuple[int, int, int, int, int, int], line: str, boot_s: float | None
) -> None:
    at = datetime(*started, tzinfo=UTC).timestamp()
    witness = read(f"INFO {line} [x.py:1] Using max model len 4096", started_at=at)
    assert sub_phases(witness, started_at=at).get("process_boot") == boot_s


def test_uvicorn_lines_have_a_time_only_with_the_kubelets_stamps() -> None:
    witness = read(
        "INFO 11-20 09:00:30 [a.py:1] vLLM API server version 0.8.5",
        "INFO:     Application startup complete.",
    )
    assert witness.complete
    assert (witness.complete_at, sub_phases(witness, started_at=STARTED).get("total")) == (
        None,
    ) * 2


def test_while_it_serves_its_last_line_is_known_all_the_same() -> None:
    up = "2026-11-20T09:01:00Z INFO:     Application startup complete."
    ask = '2026-11-20T09:02:00Z INFO:     10.0.0.1:4 - "POST /v1/completions HTTP/1.1" 200 OK'
    assert read(up, ask).last_at == STARTED + 120.0


def test_a_log_in_json_tells_seconds_but_confirms_nothing() -> None:
    witness = read(
        '2026-11-20T09:00:14Z {"levelname": "INFO", "message": "Model loading took 14.99 GiB '
        'memory and 2.981120 seconds"}',
        '2026-11-20T09:00:20Z {"levelname": "INFO", "message": "Application startup complete."}',
    )
    assert (witness.is_json, witness.serves, witness.complete) == (True, True, False)
    assert witness.printed == {"model_load": 2.98112}


def test_nothing_known_nothing_said() -> None:
    witness = read("", "hello", "2026-11-20T09:00:14Z", "\r\r", "(((", started_at=None)
    assert sub_phases(witness) == {}
    assert (witness.milestone, witness.failure, witness.serves) == ("", "", False)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("(a pid=1) " * 200_000, id="two megabytes of prefixes"),
        pytest.param("max seq len (1) " * 100_000, id="openings of a pattern"),
        pytest.param("Loading " + "a " * 500_000 + ": 5% Completed | 1/2", id="a kind of shards"),
        pytest.param("\x1b[" + "1;" * 500_000, id="a colour that never ends"),
        pytest.param("Time spent downloading weights for " * 30_000, id="a name that never ends"),
        pytest.param("\r" * 100_000 + "x", id="only returns"),
    ],
)
@pytest.mark.timeout(10)
def test_hostile_lines_take_no_time(line: str) -> None:
    assert read(line, f"Exception: {line}").milestone == ""

"""What a start keeps of its server's log: how far it was read, facts, silence, why it failed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from fleet.domain.coldstart.heard import (
    RUNS_AT_MOST,
    Heard,
    Run,
    heard_of,
    heard_plain,
    joined,
    log_of,
    run_of,
    telling,
)
from fleet.domain.coldstart.start import Outcome
from fleet.domain.enginelog.complaints import DECISIVE_AT_MOST, DECISIVE_LENGTH
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.witness import Witness
from fleet.domain.ledger.ledger import Ledger
from tests.fleet.domain.coldstart.test_forms import group_of
from tests.fleet.domain.forms import Form
from tests.fleet.domain.streams import messages

CONFIG = (
    "INFO 11-20 09:00:23 [core.py:1] Initializing a V1 LLM engine (v0.11.0) with config: "
    f"model='/mnt/models', tokenizer='{'x' * 600}', load_format=LoadFormat.RUNAI_STREAMER, "
    "tensor_parallel_size=4, quantization=fp8, enforce_eager=False, api_key='hunter2hunter2', "
    'compilation_config={"cudagraph_capture_sizes":[8,4,2,1]}'
)
LOADED = (
    "INFO 11-20 09:00:20 [p.py:1] vLLM is using nccl==2.27.3",
    "INFO 11-20 09:00:27 [g.py:1] Starting to load model /mnt/models...",
    "INFO 11-20 09:00:30 [w.py:1] Filesystem type for checkpoints: NFS. Checkpoint size: 14.99 GiB."
    " Available RAM: 210.50 GiB.",
    "INFO 11-20 09:01:30 [l.py:1] Loading weights took 55.00 seconds",
    "INFO 11-20 09:01:31 [g.py:1] Model loading took 14.99 GiB memory and 56.500000 seconds",
    "INFO 11-20 09:01:50 [m.py:1] torch.compile took 17.61 s in total",
    "INFO 11-20 09:02:10 [g.py:1] Graph capturing finished in 9 secs, took 0.71 GiB",
    "INFO 11-20 09:02:15 [c.py:1] init engine (profile, create kv cache, warmup model) took 40.0 s",
)
OOM = "torch.OutOfMemoryError: CUDA out of memory."
WRAPPER = "RuntimeError: Engine core initialization failed. See root cause above."


def heard(*lines: str, **more: Any) -> Heard:
    log = EngineLog(started_at=1_763_629_200.0)
    log.feed_all(lines)
    witness = log.witness()
    plain = Heard(run=0, by=0.0, witness=witness, failure=witness.failure, line=witness.line)
    return replace(plain, **more)


def facts(*lines: str) -> dict[str, Any]:
    log = log_of(heard(*lines))
    assert log is not None
    return dict(log["facts"])


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        pytest.param(
            CONFIG,
            {
                "engine": "V1",
                "load_format": "runai_streamer",
                "tensor_parallel": 4,
                "quantization": "fp8",
                "eager": False,
                "graph_sizes": 4,
            },
            id="the engine's configuration, however long",
        ),
        pytest.param(
            "INFO 11-20 09:00:14 [u.py:1] non-default args: {'enforce_eager': True, "
            "'safetensors_load_strategy': 'prefetch', 'api_key': 'hunter2hunter2'}",
            {"eager": True, "load_strategy": "prefetch"},
            id="arguments",
        ),
        pytest.param(
            "(Worker pid=3) Capturing CUDA graphs (mixed prefill-decode, PIECEWISE): 100%|████| "
            "67/67 [00:12<00:00,  5.4it/s]",
            {"graph_sizes": 67},
            id="a bar tells how many graphs are captured",
        ),
        pytest.param(
            "(Worker pid=3) DeepGEMM warmup: 100%|████| 1234/1234 [01:02:05<00:00,  5.4it/s]",
            {"deepgemm_s": 3725.0},
            id="a bar tells how long it took",
        ),
        pytest.param(
            "WARNING 11-20 09:00:20 [c.py:1] Custom allreduce is disabled because your platform "
            "lacks GPU P2P capability",
            {"custom_allreduce": "off"},
            id="GPUs that do not reach one another",
        ),
        pytest.param(
            "INFO 11-20 09:02:10 [g.py:1] Replace gpu_memory_utilization config with "
            "`--kv-cache-memory=18803544064` to fit",
            {"kv_cache_memory_bytes": 18803544064},
            id="what the engine would take next time",
        ),
    ],
)
def test_what_a_line_states(line: str, stated: dict[str, Any]) -> None:
    assert facts(line) == stated


def test_what_loading_took() -> None:
    assert facts(*LOADED) == {
        "filesystem": "NFS",
        "checkpoint_gib": 14.99,
        "ram_gib": 210.5,
        "weights_gib": 14.99,
        "nccl_s": 7.0,
        "weights_s": 55.0,
        "load_s": 56.5,
        "post_load_s": 1.5,
        "compile_s": 17.61,
        "graph_capture_s": 9.0,
        "engine_init_s": 40.0,
        "engine_rest_s": 13.39,
    }


@pytest.mark.parametrize(
    ("known", "state"),
    [
        pytest.param(heard(*LOADED), "read", id="read"),
        pytest.param(heard(), "none", id="empty"),
        pytest.param(heard("hello"), "none", id="nothing of vLLM's"),
        pytest.param(heard(*LOADED, cut=True), "cut", id="longer than what is read"),
        pytest.param(
            heard('{"level": "INFO", "message": "Model loading took 14.9 GiB and 3.0 seconds"}'),
            "json",
            id="reshaped",
        ),
    ],
)
def test_how_far_it_was_read(known: Heard, state: str) -> None:
    log = log_of(known)
    assert log is not None
    assert log["state"] == state


@pytest.mark.parametrize(
    ("witness", "more", "since"),
    [
        pytest.param({"last_at": 1_763_629_200.25}, {}, "2025-11-20T09:00:00.250Z", id="it loads"),
        pytest.param({"last_at": None}, {}, None, id="it writes"),
        pytest.param({"last_at": 1.0, "serves": True}, {}, None, id="it serves"),
        pytest.param({"last_at": 1.0, "failure": "cuda_oom"}, {}, None, id="it failed"),
        pytest.param({"last_at": 1.0}, {"done": True}, None, id="it is over"),
    ],
)
def test_since_when_it_is_silent(
    witness: dict[str, Any], more: dict[str, Any], since: str | None
) -> None:
    log = log_of(Heard(run=0, by=0.0, witness=Witness(**witness), **more))
    assert log is not None
    assert log["silent_since"] == since


def test_nothing_heard_nothing_told() -> None:
    assert log_of(None) is None


def test_the_lines_that_decide_are_few_short_and_redacted() -> None:
    lines = [
        WRAPPER,
        OOM + " token=abcdefgh12345678 " + "x " * 400,
        "OSError: [Errno 28] No space left on device",
        "RuntimeError: NCCL error in: x",
        "ValueError: No available memory for the cache blocks",
        "huggingface_hub.errors.GatedRepoError: 401",
        "Error in memory profiling. x",
    ]
    log = log_of(heard(*lines))
    assert log is not None
    decisive = log["decisive"]
    assert len(decisive) == DECISIVE_AT_MOST
    assert max(map(len, decisive)) <= DECISIVE_LENGTH
    assert "abcdefgh12345678" not in json.dumps(log)
    assert WRAPPER not in decisive


def test_earlier_runs_are_kept_and_the_oldest_go() -> None:
    known: Heard | None = None
    for run in range(8):
        before = run_of(run - 1, heard(OOM).witness) if run else None
        new = heard(run=run, failure="", line="", runs=(before,) if before else ())
        known = joined(known, new)
    assert known is not None
    assert [each.run for each in known.runs] == [2, 3, 4, 5, 6][-RUNS_AT_MOST:]
    log = log_of(known)
    assert log is not None
    assert log["facts"]["runs"][-1] == {
        "run": 6, "failure": "cuda_oom", "line": OOM, "seconds": None,
    }  # fmt: skip


def test_a_run_that_was_read_while_it_ran_is_known_though_its_log_is_gone() -> None:
    known = joined(heard(f"2026-11-20T09:00:00Z {OOM}"), heard(run=1))
    assert known is not None
    assert known.runs == (Run(0, "cuda_oom", OOM, None),)


def test_what_is_kept_comes_back_the_same_and_older_facts_still_load() -> None:
    full = heard(*LOADED, OOM, cut=True, runs=(Run(0, "cuda_oom", OOM, 12.5),))
    assert heard_of(json.loads(json.dumps(heard_plain(full)))) == full
    older = {"run": 0, "by": 1.0, "witness": {}, "done": True, "failure": "", "line": ""}
    assert heard_of(older) == Heard(run=0, by=1.0, done=True)


@pytest.mark.parametrize(
    ("leader", "workers", "told"),
    [
        pytest.param(heard(WRAPPER), [heard(OOM)], OOM, id="the leader only wraps"),
        pytest.param(heard(OOM), [heard(WRAPPER)], OOM, id="the leader knows"),
        pytest.param(None, [heard(OOM)], OOM, id="the leader was not read"),
        pytest.param(heard(WRAPPER), [], WRAPPER, id="nobody else was read"),
    ],
)
def test_of_a_group_the_pod_that_knows_is_believed(
    leader: Heard | None, workers: list[Heard], told: str
) -> None:
    believed = telling(leader, workers)
    assert believed is not None
    assert believed.line == told
    log = log_of(leader, workers)
    assert log is not None
    assert log["decisive"][0] == told


def test_a_worker_that_fails_is_read_once_and_tells_why_the_group_did() -> None:
    form = Form()
    group_of(form, size=2)
    for uid in ("pod-1", "w-1"):
        form.bind(uid)
        form.run(uid)
    form.wait(30)._container("w-1", "containerStatuses", form.main, {"exit_code": 1})
    ledger = Ledger("demo")
    for message in messages(form.written)[0]:
        ledger.apply(message)
    ledger.settle(now=form.now)
    wanted = [(log.uid, log.is_last) for log in ledger.logs_wanted(now=form.now)]
    assert wanted == [("pod-1", False), ("w-1", True)]
    ledger.heard("pod-1", 0, heard(WRAPPER))
    ledger.heard("w-1", 0, heard(OOM, done=True))
    (start,) = ledger.settle(now=form.now).starts
    assert (start.outcome, start.failure and start.failure.reason) == (
        Outcome.FAILED,
        f"cuda_oom: {OOM}",
    )
    assert start.log is not None
    assert start.log["decisive"][0] == OOM
    assert [log.uid for log in ledger.logs_wanted(now=form.now)] == ["pod-1"]

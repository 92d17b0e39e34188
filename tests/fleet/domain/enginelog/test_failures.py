"""Why a server failed: signatures, their rank, what is no complaint, and how a run ended."""

import pytest

from fleet.domain.enginelog.failures import SIGNATURES, Signature, failure_in
from fleet.domain.enginelog.lines import words_of
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.enginelog.verdict import ContainerEnd, verdict_of
from fleet.domain.enginelog.witness import Witness

UP = "INFO:     Application startup complete."
LISTENS = "INFO 11-20 09:01:06 [entry.py:139] Starting vLLM server on http://0.0.0.0:8000"
DOWN = "INFO 11-20 09:09:06 [launcher.py:1] Shutting down FastAPI HTTP server."
WRAPPER = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above."
DEAD = "ERROR 11-20 10:00:00 [core.py:1] EngineCore encountered a fatal error."


def read(*lines: str) -> Witness:
    log = EngineLog(started_at=0.0)
    log.feed_all(lines)
    return log.witness()


def failure(text: str) -> str | None:
    return failure_in(text, words_of(text))


@pytest.mark.parametrize("signature", [pytest.param(each, id=each.class_) for each in SIGNATURES])
def test_every_sign_holds_one_of_its_words(signature: Signature) -> None:
    for sign in signature.signs:
        words = {*words_of(sign), *words_of(f"Async{sign}")}
        assert words & {*signature.words}, sign


@pytest.mark.parametrize(
    ("line", "class_"),
    [
        pytest.param(
            "ValueError: Free memory on device (3.1/79.1 GiB) on startup is less than desired GPU "
            "memory utilization (0.9, 71.2 GiB).",
            "gpu_memory_taken",
            id="another process holds the GPU",
        ),
        pytest.param(
            "ValueError: To serve at least one request with the models's max seq len (131072), "
            "(16.00 GiB KV cache is needed, which is larger than the available KV cache memory "
            "(9.10 GiB).",
            "kv_too_small_for_len",
            id="V1 wording",
        ),
        pytest.param(
            "OSError: [Errno 28] No space left on device", "disk_full", id="the disk is full"
        ),
        pytest.param(
            "huggingface_hub.errors.HfHubHTTPError: 429 Client Error: Too Many Requests for url",
            "hf_rate_limited",
            id="the hub had enough",
        ),
        pytest.param(
            "huggingface_hub.errors.GatedRepoError: 401 Client Error.", "hf_gated", id="gated"
        ),
        pytest.param(
            "api_server.py: error: unrecognized arguments: --guided-decoding-backend",
            "bad_argument",
            id="an option that is gone",
        ),
        pytest.param(
            "pydantic_core.ValidationError: 1 validation error for ModelConfig",
            "bad_argument",
            id="a value out of range",
        ),
        pytest.param(
            "1 validation error for ChatCompletionRequest", None, id="a client's bad request"
        ),
        pytest.param(
            "PermissionError: [Errno 13] Permission denied: '/.cache'",
            "cache_permission",
            id="a home that is not one's own",
        ),
        pytest.param(
            "PermissionError: [Errno 13] Permission denied: '/mnt/models'", None, id="elsewhere"
        ),
        pytest.param(
            "ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): "
            "address already in use",
            "port_in_use",
            id="the port is taken",
        ),
        pytest.param(
            "vllm.engine.async_llm_engine.AsyncEngineDeadError: Background loop has errored",
            "engine_dead",
            id="V0 wording of a dead engine",
        ),
        pytest.param('  File "/x.py", line 1, in CUDA out of memory', None, id="a frame"),
        pytest.param("    raise ValueError('CUDA out of memory')", None, id="a source line"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_one_line(line: str, class_: str | None) -> None:
    assert failure(line) == class_


@pytest.mark.parametrize(
    ("lines", "class_", "line"),
    [
        pytest.param(
            [WRAPPER, "torch.OutOfMemoryError: CUDA out of memory."],
            "cuda_oom",
            "torch.OutOfMemoryError: CUDA out of memory.",
            id="the cause wins over its wrapper, whichever came first",
        ),
        pytest.param(
            ["ValueError: CUDA out of memory. 1", "ValueError: CUDA out of memory. 2"],
            "cuda_oom",
            "ValueError: CUDA out of memory. 1",
            id="of one class the first line",
        ),
        pytest.param(
            ["INFO 11-20 09:00:00 [x.py:1] prompt: 'CUDA out of memory'"],
            "",
            "",
            id="INFO may quote a request",
        ),
        pytest.param(
            ["HTTP Error 429 thrown while requesting HEAD", UP],
            "",
            "",
            id="it came up all the same",
        ),
        pytest.param(
            [UP, "requests.exceptions.HTTPError: 401 Client Error: for url: https://x/cat.png"],
            "",
            "",
            id="a request's own trouble",
        ),
    ],
)
def test_the_decisive_line(lines: list[str], class_: str, line: str) -> None:
    witness = read(*lines)
    assert (witness.failure, witness.line) == (class_, line)


def end(exit_code: int, reason: str = "Error") -> ContainerEnd:
    return ContainerEnd(exit_code=exit_code, reason=reason)


NO_SPACE = "11-20 10:00:00 [core.py:1] OSError: [Errno 28] No space left on device"
REFUSED = '(APIServer pid=1) INFO:     10.0.0.1:4 - "GET /v1/models HTTP/1.1" 401 Unauthorized'
HEALTHY = '(APIServer pid=1) INFO:     10.0.0.1:4 - "GET /health HTTP/1.1" 200 OK'


@pytest.mark.parametrize(
    ("lines", "container", "verdict"),
    [
        pytest.param([], None, "stalled", id="silence"),
        pytest.param([], end(1), "failed", id="it ended and said nothing"),
        pytest.param([], end(0, "Completed"), "failed", id="exit code 0 is no success"),
        pytest.param([], end(137), "killed", id="its grace was over"),
        pytest.param([], end(137, "OOMKilled"), "killed oom_killed", id="the host ran out"),
        pytest.param([WRAPPER], end(137, "OOMKilled"), "killed oom_killed", id="so a wrapper says"),
        pytest.param([WRAPPER], end(1), "failed engine_init_wrapper", id="a cause nobody named"),
        pytest.param([], end(143), "killed", id="SIGTERM to a shell"),
        pytest.param(
            ["KeyboardInterrupt: terminated"], end(130), "killed killed_by_sigterm", id="SIGTERM"
        ),
        pytest.param([LISTENS], None, "ready_unconfirmed", id="it listens, uvicorn is silent"),
        pytest.param([HEALTHY], None, "ready_unconfirmed", id="only its answers are logged"),
        pytest.param(
            [LISTENS, "[Errno 98] address already in use"], end(1), "failed port_in_use", id="port"
        ),
        pytest.param([UP], None, "ready", id="up"),
        pytest.param([UP, DOWN], end(0, "Completed"), "ready", id="asked to end, it ended"),
        pytest.param([UP], end(0, "Completed"), "crashed_after_ready", id="gone without a word"),
        pytest.param([UP, DEAD], None, "crashed_after_ready engine_dead", id="the engine died"),
        pytest.param(
            [UP, DEAD, "RuntimeError: CUDA error: an illegal memory access was encountered", DOWN],
            end(0, "Completed"),
            "crashed_after_ready cuda_fault",
            id="a fault of the GPU, and exit code 0",
        ),
        pytest.param(
            [UP, f"ERROR {NO_SPACE}", DEAD],
            end(1),
            "crashed_after_ready engine_dead",
            id="a request's trouble, then the engine's death",
        ),
        pytest.param(
            [UP, f"(EngineCore pid=9) ERROR {NO_SPACE}", DEAD],
            end(1),
            "crashed_after_ready disk_full",
            id="the engine's own trouble, then its death",
        ),
        pytest.param(
            [UP, f"(EngineCore pid=9) ERROR {NO_SPACE}"], None, "ready", id="trouble, no death"
        ),
        pytest.param([UP, REFUSED], end(137), "killed probe_unauthorized", id="probes need a key"),
        pytest.param([UP, REFUSED, HEALTHY], None, "ready", id="somebody else needs a key"),
    ],
)
def test_how_a_run_ended(lines: list[str], container: ContainerEnd | None, verdict: str) -> None:
    outcome, class_ = verdict_of(read(*lines), container)
    assert f"{outcome.value} {class_}".strip() == verdict

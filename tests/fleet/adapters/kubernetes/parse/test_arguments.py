"""Command lines are kept without the secrets that people put there."""

import pytest

from fleet.adapters.kubernetes.parse.arguments import (
    ARGUMENT_LENGTH,
    HIDDEN,
    address_of,
    arguments_of,
)
from fleet.adapters.kubernetes.parse.common import container_of
from fleet.adapters.kubernetes.parse.shapes import RawContainer

SECRET = "sk-very5ecret"


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        pytest.param(["--api-key", SECRET], ["--api-key", HIDDEN], id="the next word"),
        pytest.param([f"--api-key={SECRET}"], [f"--api-key={HIDDEN}"], id="the same word"),
        pytest.param(
            ["--api-key", SECRET, f"{SECRET}2", "--port", "8000"],
            ["--api-key", HIDDEN, HIDDEN, "--port", "8000"],
            id="several keys",
        ),
        pytest.param(["--hf_token", SECRET], ["--hf_token", HIDDEN], id="underscores"),
        pytest.param(
            ["sh", "-c", f"HF_TOKEN={SECRET} vllm serve m --api-key {SECRET} --port 1"],
            ["sh", "-c", f"HF_TOKEN={HIDDEN} vllm serve m --api-key {HIDDEN} --port 1"],
            id="in a shell's line",
        ),
        pytest.param(
            [f'{{"access_key": "{SECRET}", "n": 1}}'],
            [f'{{"access_key": "{HIDDEN}", "n": 1}}'],
            id="in JSON",
        ),
        pytest.param(
            [f"--endpoint=https://me:{SECRET}@host/x"],
            [f"--endpoint=https://{HIDDEN}@host/x"],
            id="in an address",
        ),
    ],
)
def test_secrets_are_hidden(line: list[str], kept: list[str]) -> None:
    assert list(arguments_of(line)) == kept


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(["--model=/mnt/models", "--port", "8080"], id="a model and a port"),
        pytest.param(["--max-num-batched-tokens", "8192"], id="tokens are counted"),
        pytest.param(["--tokenizer", "org/name", "--tokenizer-mode=auto"], id="a tokenizer"),
        pytest.param(["--ssl-keyfile", "/tls/key.pem"], id="a file of a key"),
        pytest.param(
            ["--served-model-name", "monkey", "https://host/a@b"], id="names and addresses"
        ),
        pytest.param(['{"num_speculative_tokens": 5}'], id="a figure in JSON"),
    ],
)
def test_the_rest_is_kept(line: list[str]) -> None:
    assert list(arguments_of(line)) == line


def test_words_are_bounded() -> None:
    (word,) = arguments_of(["x" * 10_000])
    assert len(word) == ARGUMENT_LENGTH


def test_a_containers_record_holds_none() -> None:
    raw = RawContainer(name="kserve-container", command=["vllm"], args=["--api-key", SECRET])
    assert SECRET not in repr(container_of(raw))


@pytest.mark.parametrize(
    ("uri", "kept"),
    [
        pytest.param(None, "", id="none"),
        pytest.param("pvc://weights/llama", "pvc://weights/llama", id="a volume"),
        pytest.param("hf://org/model:main", "hf://org/model:main", id="a hub"),
        pytest.param(
            f"https://a.blob.example/m?sig={SECRET}", "https://a.blob.example/m", id="a signature"
        ),
        pytest.param(f"https://me:{SECRET}@host/m", f"https://{HIDDEN}@host/m", id="a password"),
    ],
)
def test_where_weights_lie(uri: str | None, kept: str) -> None:
    assert address_of(uri) == kept

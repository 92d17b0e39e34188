"""A decisive line is kept without credentials and without anybody's words."""

import pytest

from fleet.domain.enginelog.redact import KEPT_AT_MOST, redacted


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        pytest.param(
            "401 Client Error for url: https://user:pa55@hub.example.com/a",
            "401 Client Error for url: https://…@hub.example.com/a",
            id="a password in an address",
        ),
        pytest.param(
            "403 for https://b.example.com/k?X-Amz-Signature=abc&X-Amz-Credential=AKIA1 here",
            "403 for https://b.example.com/k?… here",
            id="a signed address",
        ),
        pytest.param("token hf_AbCdEfGhIjKlMnOp is bad", "token … is bad", id="a hub's token"),
        pytest.param("Authorization: Bearer abc.def-ghi", "Authorization: …", id="a header"),
        pytest.param("OPENAI_API_KEY='sk-1234567890'", "OPENAI_API_KEY='…'", id="a variable"),
        pytest.param(
            "vllm serve --api-key s3cret --tp 2", "vllm serve --api-key … --tp 2", id="arg"
        ),
        pytest.param("id AKIAIOSFODNN7EXAMPLE denied", "id … denied", id="a key of AWS"),
        pytest.param("eyJhbGciOiJI.eyJzdWIiOiIx.abc bad", "… bad", id="a JWT"),
        pytest.param(
            "EngineCore died on prompt: 'tell me of my illness', n=1",
            "EngineCore died on prompt: '…",
            id="a prompt",
        ),
        pytest.param(
            "failed: messages=[{'role': 'user', 'content': 'hello'}]",
            "failed: messages=[…",
            id="a conversation",
        ),
        pytest.param(
            "bad value: args {'api_key': ['s3cret', 'other'], 'tp': 2}",
            "bad value: args {'api_key': […], 'tp': 2}",
            id="vLLM's own list of keys",
        ),
        pytest.param("password='two words', x", "password='…', x", id="a password with blanks"),
        pytest.param("pwd=s3cret", "pwd=…", id="a short word for it"),
        pytest.param("AccountKey=s3cret;x", "AccountKey=…;x", id="a key of Azure"),
        pytest.param("Cookie: sessionid=abc; a=b", "Cookie: …", id="a cookie"),
        pytest.param(
            "connect to redis://u:p/q@cache:6379/0",
            "connect to redis://…@cache:6379/0",
            id="a password with a slash",
        ),
        pytest.param("s3://b/k?sig=abc denied", "s3://b/k?… denied", id="any signed address"),
        pytest.param("token\u200b=s3cret", "token =…", id="a word parted by what nobody sees"),
        pytest.param(
            "-----BEGIN RSA PRIVATE KEY----- MIIEo", "-----BEGIN RSA PRIVATE KEY …", id="PEM"
        ),
        pytest.param(
            "failed on prompt: tell me", "failed on prompt: …", id="a prompt without quotes"
        ),
        pytest.param("a\x00b\x1bc\nd", "a b c d", id="what cannot be printed"),
        pytest.param(
            "\x1b[1;36m(EngineCore pid=1)\x1b[0;0m ERROR",
            "(EngineCore pid=1) ERROR",
            id="colours of a terminal",
        ),
        pytest.param(
            "CUDA out of memory. Tried to allocate 448.00 MiB.",
            "CUDA out of memory. Tried to allocate 448.00 MiB.",
            id="nothing to hide",
        ),
    ],
)
def test_what_is_kept(line: str, kept: str) -> None:
    assert redacted(line) == kept


def test_a_long_line_is_cut() -> None:
    assert len(redacted("word " * 10_000)) == KEPT_AT_MOST

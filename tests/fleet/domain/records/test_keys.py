"""Names of models."""

import pytest

from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput


def test_a_key_reads_back_what_it_writes() -> None:
    key = ModelKey("demo", "InferenceService", "chat", "llama")
    assert ModelKey.parse(str(key)) == key


@pytest.mark.parametrize(
    "text",
    ["", "a/b/c", "a/InferenceService/b/c/d", "a/InferenceService//c", "a/Pod/b/c", "/" * 500],
)
def test_what_is_no_key_says_so(text: str) -> None:
    with pytest.raises(BadInput):
        ModelKey.parse(text)

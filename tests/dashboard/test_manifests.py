"""Objects out of files: YAML, JSON, and what is neither."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from dashboard import manifests
from dashboard.manifests import documents_of
from fleet.errors import BadInput


def read(tmp_path: Path, text: str | bytes, name: str = "model.yaml") -> list[tuple[int, object]]:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [(each.line, each.value) for each in documents_of(str(path))]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        pytest.param("a: 1\n", [(1, {"a": 1})], id="one document"),
        pytest.param(
            "a: 1\n---\n---\n# no\n---\nb: 2\n", [(1, {"a": 1}), (6, {"b": 2})], id="some"
        ),
        pytest.param('{"a": [1, 2]}', [(1, {"a": [1, 2]})], id="JSON"),
        pytest.param("\ufeffa: 1", [(1, {"a": 1})], id="with a byte order mark"),
        pytest.param("x: &x {a: 1}\ny: *x\n", [(1, {"x": {"a": 1}, "y": {"a": 1}})], id="an alias"),
        pytest.param("", [], id="empty"),
        pytest.param("just words", [(1, "just words")], id="a text"),
    ],
)
def test_documents_and_their_lines(
    tmp_path: Path, text: str, documents: list[tuple[int, object]]
) -> None:
    assert read(tmp_path, text) == documents


BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("a: 1\n---\nb: [1\nc: 2\n", "document 2, line 4", id="a bracket left open"),
        pytest.param("kind: {{ .Values.kind }}\n", "line 1", id="a template"),
        pytest.param('{"a": 1,}', None, id="JSON with a comma too many is YAML"),
        pytest.param('{"a": }}', "line 1", id="neither"),
        pytest.param(BOMB, "grows without end", id="aliases of aliases"),
        pytest.param("a: &a [*a]\n", "grows without end", id="within itself"),
        pytest.param("[" * 5000, "nesting", id="nested without end"),
        pytest.param('{"a":' * 5000, "nesting", id="JSON nested without end"),
        pytest.param("a: !!python/object:os.system {}\n", "line 1", id="a foreign type"),
        pytest.param(b"a: \xff\xfe", "byte 3 is not UTF-8", id="not UTF-8"),
        pytest.param("a: 2026-13-45\n", "month must be in", id="a day that is none"),
        pytest.param("a: \x00", "document 1", id="a sign that YAML has not"),
        pytest.param("? [a]\n: 1\n", "document 1", id="a key that is a list"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(
    tmp_path: Path, text: str | bytes, says: str | None
) -> None:
    if says is None:
        assert read(tmp_path, text) == [(1, {"a": 1})]
        return
    with pytest.raises(BadInput, match=says) as caught:
        read(tmp_path, text)
    assert "model.yaml" in str(caught.value)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match="nowhere.yaml: No such file"):
        documents_of("nowhere.yaml")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="directory"):
        documents_of(str(tmp_path))


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifests, "BYTES_AT_MOST", 10)
    with pytest.raises(BadInput, match="larger than"):
        read(tmp_path, "a: 12345678901")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO(json.dumps({"a": 1}).encode()))
    monkeypatch.setattr("sys.stdin", given)
    assert [(each.file, each.value) for each in documents_of("-")] == [("-", {"a": 1})]

"""Kubernetes objects out of files: YAML of several documents, JSON, or standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fleet.errors import BadInput

BYTES_AT_MOST = 32 * 1024 * 1024
# A document that grows beyond this by its aliases is a trap, not a manifest.
NODES_AT_MOST = 2_000_000
STDIN = "-"
# The C loader also bounds how deep a document nests.
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Document:
    """file: "-" for standard input. line: where it begins, 1 being the first."""

    file: str
    line: int
    value: Any


def documents_of(file: str) -> list[Document]:
    """All documents of a file, empty ones left out. BadInput names file, document and line."""
    text = _text(file)
    try:
        return [Document(file, 1, json.loads(text))]
    except (ValueError, RecursionError):
        # Most YAML is no JSON; what is neither is told below, with its line.
        return list(_yaml(file, text))


def _text(file: str) -> str:
    try:
        if file == STDIN:
            raw = sys.stdin.buffer.read(BYTES_AT_MOST + 1)
        else:
            with Path(file).open("rb") as opened:
                raw = opened.read(BYTES_AT_MOST + 1)
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from error
    if len(raw) > BYTES_AT_MOST:
        raise BadInput(f"{file}: larger than {BYTES_AT_MOST // 1024 // 1024} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: byte {error.start} is not UTF-8") from error


def _yaml(file: str, text: str) -> Iterator[Document]:
    """Documents are counted from 1, empty ones too."""
    number = 1
    loader = None
    try:
        loader = Loader(text)
        while loader.check_node():
            node = loader.get_node()
            if node is not None:
                yield from _document(file, number, loader, node)
            number += 1
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(f"{file}: document {number}{_where(error)}") from error
    finally:
        if loader is not None:
            loader.dispose()


def _document(file: str, number: int, loader: Any, node: yaml.Node) -> Iterator[Document]:
    if weight(node) > NODES_AT_MOST:
        raise BadInput(f"{file}: document {number} grows without end by its aliases")
    value = loader.construct_document(node)
    if value is not None:
        yield Document(file, node.start_mark.line + 1, value)


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f", line {mark.line + 1}" if mark else ""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
    return f"{line}: {str(problem)[:200]}"


def weight(node: yaml.Node) -> int:
    """Nodes below, each counted as often as aliases repeat it; a node within itself has no end."""
    known: dict[int, int] = {}
    open_: set[int] = set()

    def of(each: yaml.Node) -> int:
        if id(each) in known:
            return known[id(each)]
        if id(each) in open_:
            return NODES_AT_MOST + 1
        open_.add(id(each))
        known[id(each)] = 1 + sum(of(child) for child in _children(each))
        open_.discard(id(each))
        return known[id(each)]

    return of(node)


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from (key, value)
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value

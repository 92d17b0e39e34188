"""Text that somebody pasted or uploaded, as a bundle: one written by us, or what
`kubectl get … -o json` prints, several of them one after the other included."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from dashboard.one_model import of_one_model
from fleet.errors import BadInput
from fleet.history.fitting import plain

LARGEST_BYTES = 5 * 1024 * 1024
DOCUMENTS_AT_MOST = 200
OBJECTS_AT_MOST = 20_000
# Where an object of a kind stands in a bundle; the second sort is a list.
ONE = {
    "InferenceService": "inferenceservice",
    "LLMInferenceService": "llminferenceservice",
    "Revision": "revision",
    "PodAutoscaler": "podautoscaler",
    "Deployment": "deployment",
}
MANY = {"Pod": "pods", "Event": "events"}
KEYS = frozenset((*ONE.values(), *MANY.values(), "logs", "metrics", "config", "evidence"))
Bundle = dict[str, Any]


def bundle_of(text: str, *, model: str = "") -> Bundle:
    """The bundle; raises BadInput, which names the line, for anything else.

    model: which one is meant, where kubectl printed several; "" = there is only one.
    """
    if len(text.encode(errors="replace")) > LARGEST_BYTES:
        raise BadInput(_("This is more than %(n)d MB.") % {"n": LARGEST_BYTES // 1024**2})
    found: Bundle = {}
    objects: list[Mapping[str, Any]] = []
    for line, document in _documents(text):
        objects += _take(found, document, line)
    for raw in of_one_model(objects, model):
        _place(found, raw)
    if not found:
        raise BadInput(_("There is nothing in it."))
    return found


def _documents(text: str) -> Iterator[tuple[int, Any]]:
    """Each JSON document with the line it begins in."""
    decoder = json.JSONDecoder()
    at = 0
    for _number in range(DOCUMENTS_AT_MOST):
        at += len(text[at:]) - len(text[at:].lstrip("\ufeff \t\r\n"))
        if at >= len(text):
            return
        line = text.count("\n", 0, at) + 1
        try:
            found, at = decoder.raw_decode(text, at)
            document = plain(found)
        except json.JSONDecodeError as error:
            raise BadInput(_no_json(error, text)) from error
        except ValueError as error:
            raise BadInput(_("Line %(line)d: a number is too long.") % {"line": line}) from error
        except RecursionError as error:
            raise BadInput(_("Line %(line)d: nested too deeply.") % {"line": line}) from error
        yield line, document


def _no_json(error: json.JSONDecodeError, text: str) -> str:
    """YAML is what people paste instead."""
    named = {"line": error.lineno, "column": error.colno, "why": error.msg}
    said = _("Line %(line)d, column %(column)d is no JSON: %(why)s.") % named
    if text.lstrip().startswith(("apiVersion:", "kind:", "---")):
        return f"{said} {_('This looks like YAML: ask kubectl for -o json.')}"
    return said


def _take(found: Bundle, document: Any, line: int) -> list[Mapping[str, Any]]:
    """The document's objects; a bundle of ours has none and is put into `found`."""
    if not isinstance(document, Mapping):
        raise BadInput(_("Line %(line)d: expected an object.") % {"line": line})
    if KEYS & document.keys() and not document.get("kind"):
        inner = document.get("evidence")
        found.update(inner if isinstance(inner, Mapping) else document)
        return []
    objects = [raw for raw in _objects(document) if raw.get("kind")]
    if not objects and document.get("items") != []:
        kind = str(document.get("kind", ""))[:80] or "?"
        raise BadInput(
            _("Line %(line)d: %(kind)s is nothing that a diagnosis reads.")
            % {"line": line, "kind": kind}
        )
    return objects


def _objects(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The object, or those of a list; items of a typed list do not say what they are."""
    items = document.get("items")
    if not isinstance(items, list):
        yield document
        return
    kind = str(document.get("kind", "")).removesuffix("List")
    for item in items[:OBJECTS_AT_MOST]:
        if isinstance(item, Mapping):
            yield item if item.get("kind") else {**item, "kind": kind}


def _place(found: Bundle, raw: Mapping[str, Any]) -> None:
    """Of several of a kind the newest stands alone; all of them are kept for the settings."""
    kind = str(raw.get("kind", ""))
    if kind in MANY:
        found.setdefault(MANY[kind], []).append(raw)
        return
    if kind in ONE:
        before = found.get(ONE[kind])
        if before is None or _made(raw) >= _made(before):
            found[ONE[kind]] = raw
    if kind:
        found.setdefault("others", []).append(raw)


def _made(raw: Mapping[str, Any]) -> str:
    meta = raw.get("metadata")
    return str(meta.get("creationTimestamp", "")) if isinstance(meta, Mapping) else ""

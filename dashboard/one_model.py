"""What kubectl printed of a whole namespace, narrowed to one model: pods of a neighbour explain
nothing about this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from fleet.errors import BadInput

KINDS = frozenset(("InferenceService", "LLMInferenceService"))
# KServe puts the first on what an InferenceService makes, the other two for an LLMInferenceService.
MODEL_LABEL = "serving.kserve.io/inferenceservice"
NAME_LABEL, PART_LABEL = "app.kubernetes.io/name", "app.kubernetes.io/part-of"
NAMED_AT_MOST = 10


def of_one_model(objects: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Without what belongs to other models; events stay, they say whose they are.

    name: "NAME" or "NAMESPACE/NAME"; "" = the only one. Raises BadInput, which names them, for
    several without a name, and for a name that is not there.
    """
    models = sorted({_place(each) for each in objects if each.get("kind") in KINDS})
    chosen = [place for place in models if name in ("", place[1], "/".join(place))]
    if len(chosen) > 1:
        raise BadInput(_("Several models are in it, name one: %(names)s.") % _names(chosen))
    if models and not chosen:
        raise BadInput(_("That model is not in it, these are: %(names)s.") % _names(models))
    return [each for each in objects if not chosen or _may_be_of(each, *chosen[0])]


def _names(models: Sequence[tuple[str, str]]) -> dict[str, str]:
    names = ["/".join(filter(None, place))[:130] for place in models[:NAMED_AT_MOST]]
    return {"names": ", ".join(names) + (" …" if len(models) > NAMED_AT_MOST else "")}


def _may_be_of(raw: Mapping[str, Any], namespace: str, name: str) -> bool:
    where, called = _place(raw)
    if raw.get("kind") in KINDS:
        return (where, called) == (namespace, name)
    owner = _owner(raw)
    return not owner or (owner == name and where in ("", namespace))


def _place(raw: Mapping[str, Any]) -> tuple[str, str]:
    """Namespace and name, "" where it says none."""
    meta = _mapping(raw.get("metadata"))
    return str(meta.get("namespace") or ""), str(meta.get("name") or "")


def _owner(raw: Mapping[str, Any]) -> str:
    """The model's name by its labels, "" for what has none."""
    labels = _mapping(_mapping(raw.get("metadata")).get("labels"))
    llm = labels.get(NAME_LABEL) if labels.get(PART_LABEL) == "llminferenceservice" else ""
    return str(labels.get(MODEL_LABEL) or llm or "")


def _mapping(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}

"""JSON values as the store keeps them: copied before an edit, shared after it."""

from __future__ import annotations

from typing import Any

import msgspec

JsonObject = dict[str, Any]


def copied(value: Any) -> Any:
    """A deep copy of a JSON value; about five times quicker than copy.deepcopy."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def shared(new: Any, old: Any) -> Any:
    """new, with every part that equals the same part of old replaced by old's own.

    Versions of one object then share what did not change, so that a long watch history stays
    small; the result *is* old when nothing changed. new must not be used afterwards.
    """
    if new is old:
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        return old if _same(new, old) else _shared_dict(new, old)
    if isinstance(new, list) and isinstance(old, list):
        return old if _same(new, old) else _shared_list(new, old)
    return old if type(new) is type(old) and new == old else new


def _same(new: Any, old: Any) -> bool:
    """Equal in value and type: to Python 1, 1.0 and true are equal, in JSON they are not.

    Another order of keys is not the same here, and is walked.
    """
    return bool(new == old) and msgspec.json.encode(new) == msgspec.json.encode(old)


def _shared_dict(new: JsonObject, old: JsonObject) -> JsonObject:
    same = len(new) == len(old)
    for key, item in new.items():
        if key not in old:
            same = False
            continue
        kept = shared(item, old[key])
        new[key] = kept
        same = same and kept is old[key]
    return old if same else new


def _shared_list(new: list[Any], old: list[Any]) -> list[Any]:
    same = len(new) == len(old)
    for index, item in enumerate(new[: len(old)]):
        kept = shared(item, old[index])
        new[index] = kept
        same = same and kept is old[index]
    return old if same else new

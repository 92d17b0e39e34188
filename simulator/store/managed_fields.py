"""Who owns which field: metadata.managedFields in the form FieldsV1.

A tree maps "f:<key>" to the tree below it, "k:{...}" to an item of a list with keys, "v:..." to
an item of a set; "." says that the map or item itself is owned; {} is a leaf.
Keys of built-in lists are those of the Kubernetes 1.36 API; custom resources hold atomic lists
but for a few. Source: recorded managedFields in tests/fixtures/http.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from simulator.store.json_values import JsonObject

Tree = dict[str, Any]
Operation = Literal["Update", "Apply"]

_UNOWNED_TOP = frozenset({"apiVersion", "kind"})
_UNOWNED_METADATA = frozenset(
    {
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
        "selfLink",
    }
)
_CUSTOM_KEYS: Mapping[str, tuple[str, ...]] = {"ownerReferences": ("uid",), "volumes": ("name",)}
_BUILT_IN_KEYS: Mapping[str, tuple[str, ...]] = {
    "ownerReferences": ("uid",),
    "volumes": ("name",),
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "env": ("name",),
    "ports": ("containerPort", "protocol"),
    "volumeMounts": ("mountPath",),
    "imagePullSecrets": ("name",),
    "conditions": ("type",),
    "podIPs": ("ip",),
    "addresses": ("type",),
}
_SETS = frozenset({"finalizers"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Who writes, and through which door. custom: the object is a custom resource."""

    manager: str
    api_version: str
    custom: bool
    operation: Operation = "Update"
    subresource: str | None = None

    def owns(self, entry: JsonObject) -> bool:
        return (
            entry["manager"] == self.manager
            and entry["operation"] == self.operation
            and entry.get("subresource") == self.subresource
        )

    def entry(self, fields: Tree, *, time: str) -> JsonObject:
        entry = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "time": time,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }
        return entry | ({"subresource": self.subresource} if self.subresource else {})


def updated(
    entries: Sequence[JsonObject],
    *,
    new: JsonObject,
    old: JsonObject | None,
    writer: Writer,
    time: str,
) -> list[JsonObject]:
    """The entries after writer turned old into new by an update (old None: created it).

    The time of an entry moves when its manager sets a value, also of a field that it had already;
    taking fields away leaves it. Source: k8s.io/apimachinery pkg/util/managedfields/internal,
    managedfieldsupdater.go.
    """
    changed, removed = differences(new, old or {}, custom=writer.custom)
    if writer.operation == "Apply":
        changed = _undotted(changed)
    result = [] if old is None else _others_after(entries, writer, changed=changed, removed=removed)
    mine = next((entry for entry in entries if writer.owns(entry)), None)
    owned = without(mine["fieldsV1"], removed) if mine else {}
    fields = union(owned, changed)
    if not fields:
        return result
    if mine is not None and not changed:
        return [*result, mine if fields == mine["fieldsV1"] else mine | {"fieldsV1": fields}]
    return [*result, writer.entry(fields, time=time)]


def _others_after(
    entries: Sequence[JsonObject], writer: Writer, *, changed: Tree, removed: Tree
) -> list[JsonObject]:
    result = []
    for entry in entries:
        if writer.owns(entry):
            continue
        fields = without(without(entry["fieldsV1"], changed), removed)
        if fields:
            result.append(entry if fields == entry["fieldsV1"] else entry | {"fieldsV1": fields})
    return result


def differences(new: JsonObject, old: JsonObject, *, custom: bool) -> tuple[Tree, Tree]:
    """Trees of what was added or changed, and of what was taken away, between two objects."""
    return (
        _changed(_ownable(new), _ownable(old), custom=custom),
        _missing(_ownable(old), _ownable(new), custom=custom),
    )


def fields_of(obj: JsonObject, *, custom: bool) -> Tree:
    """Every field that obj sets, as one tree."""
    return _changed(_ownable(obj), {}, custom=custom)


def applied_fields(config: JsonObject, *, custom: bool) -> Tree:
    """What an applied configuration owns: its leaves, and the items of lists with keys."""
    return _undotted(fields_of(config, custom=custom))


def _undotted(tree: Tree) -> Tree:
    return {
        key: _undotted(below) | ({".": {}} if key.startswith("k:") else {})
        for key, below in tree.items()
        if key != "."
    }


def _ownable(obj: JsonObject) -> JsonObject:
    top = {key: value for key, value in obj.items() if key not in _UNOWNED_TOP}
    if "metadata" in top:
        metadata = top["metadata"]
        top["metadata"] = {k: v for k, v in metadata.items() if k not in _UNOWNED_METADATA}
    return top


def _changed(new: JsonObject, old: JsonObject, *, custom: bool, depth: int = 0) -> Tree:
    tree: Tree = {}
    for key, value in new.items():
        before = old.get(key)
        if key in old and (value is before or value == before):
            continue
        if depth == 0 and key in ("metadata", "spec", "status") and isinstance(value, dict):
            below = _changed(value, before or {}, custom=custom, depth=1)
            bare = key != "metadata" and custom and key not in old
            tree |= {f"f:{key}": {".": {}} | below if bare else below} if below or bare else {}
            continue
        below = _value_changed(key, value, before, custom=custom)
        if below or not (isinstance(value, dict) and isinstance(before, dict)):
            tree[f"f:{key}"] = below
    return tree


def _value_changed(key: str, value: Any, before: Any, *, custom: bool) -> Tree:
    if isinstance(value, dict) and isinstance(before, dict):
        return _changed(value, before, custom=custom, depth=1)
    items = keyed_items(key, value, custom=custom)
    if items is None:
        return _whole(value, custom=custom)
    former = keyed_items(key, before, custom=custom) or {}
    tree: Tree = {} if former else {".": {}}
    for name, item in items.items():
        if name not in former:
            tree[name] = _whole(item, custom=custom)
        elif item != former[name]:
            tree[name] = _changed(item, former[name], custom=custom, depth=1)
    return tree


def _whole(value: Any, *, custom: bool) -> Tree:
    if not isinstance(value, dict) or not value:
        return {}
    return {".": {}} | _changed(value, {}, custom=custom, depth=1)


def _missing(old: JsonObject, new: JsonObject, *, custom: bool) -> Tree:
    """Leaves of old that new has no more."""
    tree: Tree = {}
    for key, value in old.items():
        now = new.get(key)
        if key not in new:
            tree[f"f:{key}"] = {}
        elif value is now or value == now:
            continue
        elif below := _missing_below(key, value, now, custom=custom):
            tree[f"f:{key}"] = below
    return tree


def _missing_below(key: str, value: Any, now: Any, *, custom: bool) -> Tree:
    if isinstance(value, dict) and isinstance(now, dict):
        return _missing(value, now, custom=custom)
    items = keyed_items(key, value, custom=custom)
    still = keyed_items(key, now, custom=custom)
    if items is None or still is None:
        return {}
    tree: Tree = {name: {} for name in items if name not in still}
    for name in items.keys() & still.keys():
        if below := _missing_below(name, items[name], still[name], custom=custom):
            tree[name] = below
    return tree


def keyed_items(key: str, value: Any, *, custom: bool) -> dict[str, Any] | None:
    """The items of a list by their FieldsV1 key; None for what is not such a list."""
    if not isinstance(value, list):
        return None
    if key in _SETS:
        return {f"v:{json.dumps(item)}": None for item in value}
    names = (_CUSTOM_KEYS if custom else _BUILT_IN_KEYS).get(key)
    if names is None or not all(_has_keys(item, names) for item in value):
        return None
    return {_item_key(item, names): item for item in value}


def _has_keys(item: Any, names: tuple[str, ...]) -> bool:
    return isinstance(item, dict) and names[0] in item


def _item_key(item: JsonObject, names: tuple[str, ...]) -> str:
    return _key_text(tuple((name, item[name]) for name in names if name in item))


@lru_cache(maxsize=4096)
def _key_text(pairs: tuple[tuple[str, Any], ...]) -> str:
    """Written once for each: most are the names of containers, variables and conditions."""
    return f"k:{json.dumps(dict(pairs), separators=(',', ':'))}"


def union(one: Tree, other: Tree) -> Tree:
    """The fields of either."""
    result = dict(one)
    for key, below in other.items():
        result[key] = union(result[key], below) if key in result else below
    return result


def without(tree: Tree, leaves: Tree) -> Tree:
    """tree less every field of leaves; a leaf of leaves takes all that is below it."""
    if not leaves:
        return tree
    result: Tree = {}
    for key, below in tree.items():
        if key == "." or key not in leaves:
            result[key] = below
        elif leaves[key] and (rest := without(below, leaves[key])):
            result[key] = rest
    return result

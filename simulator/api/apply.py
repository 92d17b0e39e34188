"""Server-side apply: merging by owners. Source: sigs.k8s.io/structured-merge-diff, as recorded
in tests/fixtures/http/apply-*.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.store.errors import StatusError
from simulator.store.json_values import JsonObject, copied
from simulator.store.managed_fields import (
    Tree,
    Writer,
    applied_fields,
    keyed_items,
    union,
    without,
)

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that another manager holds with another value. entry: the holder's."""

    entry: JsonObject
    path: Path

    @property
    def holder(self) -> str:
        """As messages name it: an update also says the version it used."""
        name = f'"{self.entry["manager"]}"'
        if self.entry.get("subresource"):
            name += f' with subresource "{self.entry["subresource"]}"'
        if self.entry["operation"] == "Update":
            name += f" using {self.entry['apiVersion']}"
        return name

    @property
    def field(self) -> str:
        return "".join(_readable(part) for part in self.path)


def applied(
    live: JsonObject, config: JsonObject, *, writer: Writer, force: bool, time: str
) -> JsonObject:
    """The object after writer applied config, managedFields included.

    Fields that writer applied before and now leaves out go, unless others hold them too.
    409 when others hold another value, unless force takes it from them.
    """
    wanted = applied_fields(config, custom=writer.custom)
    entries = live["metadata"].get("managedFields", [])
    others = [entry for entry in entries if not writer.owns(entry)]
    mine = next((entry for entry in entries if writer.owns(entry)), None)
    clashes = _clashes(live, config, others, wanted, custom=writer.custom)
    if clashes and not force:
        raise _conflict(clashes)
    result: JsonObject = _merge(live, config, custom=writer.custom)
    for gone in _abandoned(mine, wanted, others):
        _drop(result, gone, custom=writer.custom)
    kept = [_less(entry, clashes) for entry in others]
    own = [] if not wanted else [mine if _same(mine, wanted) else writer.entry(wanted, time=time)]
    listed = [entry for entry in [*own, *kept] if entry and entry["fieldsV1"]]
    return result | {"metadata": result["metadata"] | {"managedFields": listed}}


def _same(mine: JsonObject | None, wanted: Tree) -> bool:
    return mine is not None and mine["fieldsV1"] == wanted


def _clashes(
    live: JsonObject,
    config: JsonObject,
    others: Sequence[JsonObject],
    wanted: Tree,
    *,
    custom: bool,
) -> list[Clash]:
    found: list[Clash] = []
    for path in _leaves(wanted):
        if _value(live, path, custom=custom) == _value(config, path, custom=custom):
            continue
        found.extend(Clash(entry, path) for entry in others if _holds(entry["fieldsV1"], path))
    return found


def _conflict(clashes: Sequence[Clash]) -> StatusError:
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {clash.holder}",
            "field": clash.field,
        }
        for clash in clashes
    ]
    if len(clashes) == 1:
        said = f"1 conflict: conflict with {clashes[0].holder}: {clashes[0].field}"
    else:
        lines = []
        for holder in sorted({clash.holder for clash in clashes}):
            lines.append(f"conflicts with {holder}:")
            lines += [f"- {clash.field}" for clash in clashes if clash.holder == holder]
        said = f"{len(clashes)} conflicts: " + "\n".join(lines)
    message = f"Apply failed with {said}"
    return StatusError(409, "Conflict", message, details={"causes": causes})


def _readable(part: str) -> str:
    kind, _, rest = part.partition(":")
    if kind == "f":
        return f".{rest}"
    return f"[{rest.strip('{}')}]" if kind == "k" else f"[={rest}]"


def _leaves(tree: Tree, path: Path = ()) -> Iterator[Path]:
    """Paths of the fields that hold values themselves."""
    for key, below in tree.items():
        if key == ".":
            continue
        if below.keys() - {"."}:
            yield from _leaves(below, (*path, key))
        else:
            yield (*path, key)


def _holds(tree: Tree, path: Path) -> bool:
    for key in path:
        if key not in tree:
            return False
        tree = tree[key]
    return True


def _value(obj: Any, path: Path, *, custom: bool) -> Any:
    """What obj has at a path of field keys; None when it has nothing."""
    name = ""
    for key in path:
        if key.startswith("f:"):
            name = key[2:]
            obj = obj.get(name) if isinstance(obj, dict) else None
        else:
            items = keyed_items(name, obj, custom=custom) or {}
            obj = items.get(key, key in items or None)
    return obj


def _merge(live: Any, config: Any, *, custom: bool, name: str = "") -> Any:
    if isinstance(live, dict) and isinstance(config, dict):
        result = dict(live)
        for key, value in config.items():
            result[key] = _merge(live.get(key), value, custom=custom, name=key)
        return result
    items = keyed_items(name, config, custom=custom)
    held = keyed_items(name, live, custom=custom)
    if items is None or held is None:
        return copied(config)
    if name == "finalizers":
        return [*live, *(each for each in config if each not in live)]
    united = held | {
        key: _merge(held[key], value, custom=custom) if key in held else copied(value)
        for key, value in items.items()
    }
    return list(united.values())


def _abandoned(mine: JsonObject | None, wanted: Tree, others: Sequence[JsonObject]) -> list[Path]:
    """What this manager alone held and applies no more."""
    if mine is None:
        return []
    held_elsewhere: Tree = {}
    for entry in others:
        held_elsewhere = union(held_elsewhere, entry["fieldsV1"])
    return [
        path
        for path in _leaves(mine["fieldsV1"])
        if not _holds(wanted, path) and not _holds(held_elsewhere, path)
    ]


def _drop(obj: JsonObject, path: Path, *, custom: bool) -> None:
    """Take a field out; maps on the way were copied by the merge, or are copied here."""
    parent = obj
    for key in path[:-1]:
        name = key.partition(":")[2]
        if not key.startswith("f:") or not isinstance(parent.get(name), dict):
            return
        parent[name] = dict(parent[name])
        parent = parent[name]
    parent.pop(path[-1].partition(":")[2], None)


def _less(entry: JsonObject, clashes: Sequence[Clash]) -> JsonObject:
    """The entry without the fields taken from it by force."""
    fields = entry["fieldsV1"]
    for clash in clashes:
        if clash.entry is entry:
            fields = without(fields, _tree(clash.path))
    return entry if fields is entry["fieldsV1"] else entry | {"fieldsV1": fields}


def _tree(path: Path) -> Tree:
    tree: Tree = {}
    for key in reversed(path):
        tree = {key: tree}
    return tree

"""Tables as kubectl asks for them, and objects cut down to their metadata."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from simulator.api.ages import age
from simulator.api.cells import BUILT_IN_TABLES, NAME_AND_AGE
from simulator.api.jsonpath import values_at
from simulator.store.json_values import JsonObject
from simulator.store.resources import AGE, Column, Resource

META_VERSION = "meta.k8s.io/v1"
_NAME_DESCRIPTION = (
    "Name must be unique within a namespace. Is required when creating resources, although some "
    "resources may allow a client to request the generation of an appropriate name automatically. "
    "Name is primarily intended for creation idempotence and configuration definition. Cannot be "
    "updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
_INTEGERS = frozenset(
    {"Up-to-date", "Available", "Desired", "Current", "MaxPods", "Replicas", "Count", "Data"}
)


def metadata_of(obj: JsonObject) -> JsonObject:
    """The object as PartialObjectMetadata."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": META_VERSION,
        "metadata": obj["metadata"],
    }


def table_of(
    resource: Resource,
    objects: Iterable[JsonObject],
    *,
    now: datetime,
    metadata: JsonObject,
    include: str = "Metadata",
    with_columns: bool = True,
) -> JsonObject:
    """A Table. include: "Metadata", "Object" or "None", what each row carries of its object.

    with_columns: only the first message of a watch says the columns.
    """
    return empty_table(metadata) | {
        "columnDefinitions": columns_of(resource) if with_columns else None,
        "rows": [_row(resource, obj, now=now, include=include) for obj in objects],
    }


def empty_table(metadata: JsonObject) -> JsonObject:
    """A Table without columns or rows."""
    return {
        "kind": "Table",
        "apiVersion": META_VERSION,
        "metadata": metadata,
        "columnDefinitions": None,
        "rows": [],
    }


def columns_of(resource: Resource) -> list[JsonObject]:
    """The column definitions of a resource."""
    if resource.custom:
        named = _column("Name", description=_NAME_DESCRIPTION, form="name")
        return [named, *(_custom_column(column) for column in _printed(resource))]
    names, _ = BUILT_IN_TABLES.get(resource.plural, NAME_AND_AGE)
    return [_built_in_column(name) for name in names]


def _printed(resource: Resource) -> tuple[Column, ...]:
    """The declared columns; a CustomResourceDefinition without any prints the age."""
    return resource.columns or (AGE,)


def _column(
    name: str, *, description: str, kind: str = "string", form: str = "", priority: int = 0
) -> JsonObject:
    return {
        "name": name,
        "type": kind,
        "format": form,
        "description": description,
        "priority": priority,
    }


def _custom_column(column: Column) -> JsonObject:
    said = f"Custom resource definition column (in JSONPath format): {column.path}"
    return _column(column.name, description=said, kind=column.type, priority=column.priority)


def _built_in_column(name: str) -> JsonObject:
    bare = name.lstrip("+")
    if bare == "Name" and not name.startswith("+"):
        return _column(bare, description=_NAME_DESCRIPTION, form="name")
    return _column(
        bare,
        description=bare,
        kind="integer" if bare in _INTEGERS else "string",
        priority=1 if name.startswith("+") else 0,
    )


def _row(resource: Resource, obj: JsonObject, *, now: datetime, include: str) -> JsonObject:
    row: JsonObject = {"cells": _cells(resource, obj, now=now)}
    if include == "Object":
        row["object"] = obj
    elif include != "None":
        row["object"] = metadata_of(obj)
    return row


def _cells(resource: Resource, obj: JsonObject, *, now: datetime) -> list[Any]:
    if not resource.custom:
        _, cells = BUILT_IN_TABLES.get(resource.plural, NAME_AND_AGE)
        return cells(obj, now)
    printed = [_custom_cell(column, obj, now=now) for column in _printed(resource)]
    return [obj["metadata"]["name"], *printed]


def _custom_cell(column: Column, obj: JsonObject, *, now: datetime) -> Any:
    found = values_at(column.path, obj)
    if column.type == "date":
        return age(found[0] if found else None, now=now)
    if not found:
        return None
    if column.type == "string":
        return ",".join(str(value) for value in found)
    return found[0]

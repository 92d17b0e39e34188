"""Just enough protobuf to read the reviews that kubectl posts in it.

Field numbers: k8s.io/api authorization/v1 generated.proto; envelope: apimachinery
pkg/runtime/serializer/protobuf (four magic bytes, then runtime.Unknown with the object in 2).
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.store.json_values import JsonObject

CONTENT_TYPE = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\x00"
_RAW, _SPEC = 2, 2
_RESOURCE_ATTRIBUTES = {
    1: "namespace",
    2: "verb",
    3: "group",
    4: "version",
    5: "resource",
    6: "subresource",
    7: "name",
}
_NON_RESOURCE_ATTRIBUTES = {1: "path", 2: "verb"}


def review_spec(data: bytes, plural: str) -> JsonObject:
    """The spec of a review. ValueError when the bytes cannot be read."""
    if not data.startswith(MAGIC):
        raise ValueError("no protobuf envelope")
    spec = _message(_message(data[len(MAGIC) :], _RAW), _SPEC)
    if plural == "selfsubjectrulesreviews":
        return _named(spec, {1: "namespace"})
    if plural != "selfsubjectaccessreviews":
        return {}
    for number, content in _fields(spec):
        if number == 1:
            return {"resourceAttributes": _named(content, _RESOURCE_ATTRIBUTES)}
        if number == 2:
            return {"nonResourceAttributes": _named(content, _NON_RESOURCE_ATTRIBUTES)}
    return {}


def _named(data: bytes, names: dict[int, str]) -> JsonObject:
    """The text fields that have a name and a value."""
    return {
        names[number]: content.decode()
        for number, content in _fields(data)
        if number in names and content
    }


def _message(data: bytes, wanted: int) -> bytes:
    return next((content for number, content in _fields(data) if number == wanted), b"")


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields of a message; others are passed over."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            _, at = _varint(data, at)
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
        elif wire == 2:
            length, at = _varint(data, at)
            if at + length > len(data):
                raise ValueError("cut short")
            yield number, data[at : at + length]
            at += length
        else:
            raise ValueError(f"wire type {wire}")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place after it."""
    value, shift = 0, 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
        shift += 7
    raise ValueError("cut short")

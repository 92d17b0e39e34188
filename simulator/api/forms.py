"""In which form a client wants its answer, from its Accept header."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from simulator.store.errors import StatusError

ACCEPTED = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


class Form(StrEnum):
    """TABLE is what kubectl prints; METADATA drops spec and status; DISCOVERY is aggregated."""

    OBJECT = "object"
    TABLE = "Table"
    METADATA = "PartialObjectMetadata"
    DISCOVERY = "APIGroupDiscoveryList"


_AS = {
    "Table": Form.TABLE,
    "PartialObjectMetadata": Form.METADATA,
    "PartialObjectMetadataList": Form.METADATA,
    "APIGroupDiscoveryList": Form.DISCOVERY,
}


def form_of(accept: str) -> Form:
    """The first form in the header that is served; JSON when there is no header. Else 406."""
    for media in (accept or "*/*").split(","):
        name, parameters = _media(media)
        if name not in ("application/json", "application/*", "*/*"):
            continue
        wanted = parameters.get("as", "")
        if not wanted:
            return Form.OBJECT
        if wanted in _AS and parameters.get("v", "v1") in ("v1", "v2"):
            return _AS[wanted]
    raise StatusError(
        406, "NotAcceptable", f"only the following media types are accepted: {ACCEPTED}"
    )


def _media(text: str) -> tuple[str, Mapping[str, str]]:
    name, *parameters = (part.strip() for part in text.split(";"))
    pairs = (parameter.partition("=") for parameter in parameters)
    return name, {key: value for key, _, value in pairs}

"""Reads objects raw just before a write, and writes them: merge patches of a closed list of kinds,
under our own field manager."""

from collections.abc import Mapping
from typing import Any

import msgspec

from fleet.adapters.kubernetes.client import Client, decoded
from fleet.domain.plans.check import MANAGER
from fleet.domain.plans.objects import READ_ONLY_KINDS, ObjectName
from fleet.errors import AdmissionRefused, BadInput, Conflict
from fleet.ports import Patch, PatchResult

WARNING_CHARS = 300
_object = msgspec.json.Decoder(dict[str, Any])


class KubernetesWriter:
    """A ClusterWriter over one API server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def read(self, object_: str) -> Mapping[str, Any]:
        """The object with its managedFields: who owns a field is part of "still as planned"."""
        path = _path(ObjectName.parse(object_))
        raw: Mapping[str, Any] = decoded(f"GET {path}", self._client.get(path), _object)
        return raw

    def patch(self, patch: Patch, *, dry_run: bool) -> PatchResult:
        """With a uid or resourceVersion, Conflict when the object is another or has moved on."""
        name = ObjectName.parse(patch.object)
        if name.kind in READ_ONLY_KINDS:
            raise BadInput(f"{name.kind} is read, never written")
        query = {"fieldManager": MANAGER} | ({"dryRun": "All"} if dry_run else {})
        try:
            body, warnings = self._client.patch(_path(name), _guarded(patch), query=query)
        except AdmissionRefused as error:
            raise _meant(error, patch) from error
        raw = decoded(f"PATCH {patch.object}", body, _object)
        meta = raw.get("metadata") or {}
        meta.pop("managedFields", None)
        return PatchResult(
            raw=raw,
            resource_version=str(meta.get("resourceVersion", "")),
            warnings=tuple(text[:WARNING_CHARS] for text in warnings),
        )

    def close(self) -> None:
        self._client.close()


def _path(name: ObjectName) -> str:
    return f"/apis/{name.api_version}/namespaces/{name.namespace}/{name.plural}/{name.name}"


def _guarded(patch: Patch) -> dict[str, Any]:
    """The body with the guards in its metadata; the API server compares both."""
    guards = {"uid": patch.uid, "resourceVersion": patch.resource_version}
    meta = {**patch.body.get("metadata", {}), **{k: v for k, v in guards.items() if v}}
    return {**patch.body, **({"metadata": meta} if meta else {})}


def _meant(error: AdmissionRefused, patch: Patch) -> Exception:
    """Another uid is answered as 422 "field is immutable": somebody made the object anew."""
    if patch.uid and "metadata.uid" in str(error):
        return Conflict(str(error), status=409, reason="AnotherUid")
    return error

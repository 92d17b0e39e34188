"""One request to a resource, understood: who asks, for what, with which options."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import yaml
from aiohttp import web

from simulator.access.identities import Tokens
from simulator.access.rules import Identity
from simulator.api import protobuf
from simulator.api.faults import Faults
from simulator.api.forms import Form
from simulator.api.paths import Target
from simulator.api.selectors import bad_request
from simulator.api.served import Catalogue, Served
from simulator.api.sources import LogSource, NoLogs, NoPods, PodProxy
from simulator.api.watching import WatchHub
from simulator.store.errors import Invalid, StatusError
from simulator.store.json_values import JsonObject
from simulator.store.store import Store
from simulator.store.versions import encoded

# How long a list waits for a resourceVersion of the future. Source: apiserver cacher.go.
WAIT_FOR_VERSION_S = 3.0


@dataclass(slots=True, kw_only=True)
class Backend:
    """What the requests of one cluster work on."""

    name: str
    store: Store
    catalogue: Catalogue
    tokens: Tokens
    hub: WatchHub
    faults: Faults = field(default_factory=Faults)
    logs: LogSource = field(default_factory=NoLogs)
    pods: PodProxy = field(default_factory=NoPods)
    kubernetes: str = "1.36.2"
    wait_for_version_s: float = WAIT_FOR_VERSION_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to a resource that is served, by somebody who may."""

    request: web.BaseRequest
    backend: Backend
    identity: Identity
    target: Target
    served: Served
    form: Form
    warnings: list[str] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.backend.store

    @property
    def namespace(self) -> str | None:
        """The namespace of the objects meant; None for cluster-scoped ones."""
        return self.target.namespace if self.served.shown.namespaced else None

    def option(self, name: str) -> str:
        """A query parameter, "" when absent."""
        return self.request.query.get(name, "")

    def flag(self, name: str) -> bool:
        return self.option(name).lower() in ("1", "true")

    @property
    def manager(self) -> str:
        """The field manager: as asked, else the program's name before the slash."""
        agent = self.request.headers.get("User-Agent", "").partition("/")[0]
        return self.option("fieldManager") or agent or "unknown"

    def dry_run(self, options_kind: str) -> bool:
        """Whether nothing may be stored. Invalid: any value but "All"."""
        asked = self.request.query.getall("dryRun", [])
        if any(value != "All" for value in asked):
            said = "[" + " ".join(f'"{value}"' for value in asked) + "]"
            text = f'Unsupported value: {said}: supported values: "All"'
            raise invalid_options(options_kind, "dryRun", "FieldValueNotSupported", text)
        return bool(asked)

    async def body(self) -> Any:
        """The body as JSON or YAML. 400 when it is neither."""
        data = await self.request.read()
        if data.startswith(protobuf.MAGIC):
            said = "the body of the request was in an unknown format"
            raise StatusError(415, "UnsupportedMediaType", said)
        try:
            if "yaml" in self.request.content_type:
                return yaml.safe_load(data)
            return json.loads(data)
        except (ValueError, yaml.YAMLError) as problem:
            raise bad_request(f"couldn't get version/kind; json parse error: {problem}") from None

    async def object(self) -> JsonObject:
        """The body as one object of this call's kind and namespace."""
        obj = await self.body()
        if not isinstance(obj, dict) or not isinstance(obj.get("metadata", {}), dict):
            raise bad_request("couldn't get version/kind; json parse error: not an object")
        shown = self.served.shown
        kind, version = obj.get("kind", shown.kind), obj.get("apiVersion", shown.api_version)
        if (kind, version) != (shown.kind, shown.api_version):
            raise bad_request(
                f"{kind} in version {version!r} cannot be handled as a {shown.kind} "
                f"in version {shown.api_version!r}"
            )
        metadata = obj.setdefault("metadata", {})
        if metadata.setdefault("namespace", self.namespace) not in (None, self.namespace):
            raise bad_request(
                "the namespace of the provided object does not match the namespace sent on the "
                "request"
            )
        if self.namespace is None:
            metadata.pop("namespace")
        return obj | {"kind": self.served.stored.kind, "apiVersion": self.served.stored.api_version}

    def answer(self, obj: JsonObject, *, status: int = 200) -> web.Response:
        """An object of this call's kind, in this call's version."""
        return json_response(self.served.object(obj), status=status, warnings=self.warnings)


def invalid_options(kind: str, field_name: str, reason: str, text: str) -> Invalid:
    """Query options that do not pass, such as PatchOptions."""
    return Invalid("meta.k8s.io", kind, "", causes=[(field_name, reason, text)])


def json_response(
    body: JsonObject, *, status: int = 200, warnings: list[str] | None = None
) -> web.Response:
    """A JSON answer with the headers that every answer has."""
    response = web.Response(
        body=encoded(body), status=status, content_type="application/json", headers=HEADERS
    )
    for warning in warnings or []:
        escaped = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{escaped}"')
    return response


HEADERS = {"Cache-Control": "no-cache, private"}

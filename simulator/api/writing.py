"""Create, update, patch and delete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web

from simulator.api.apply import applied
from simulator.api.call import Call, invalid_options, json_response
from simulator.api.checks import (
    metadata_problem,
    pruned,
    undecodable,
    unknown_field_text,
    unknown_fields,
)
from simulator.api.listing import list_options, page_of
from simulator.api.patches import (
    APPLY,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    decoded_patch,
    json_patched,
    merged,
    strategically_merged,
)
from simulator.api.selectors import bad_request
from simulator.store.edits import timestamp
from simulator.store.errors import Conflict, Invalid, NotFound, StatusError
from simulator.store.json_values import JsonObject
from simulator.store.managed_fields import Writer
from simulator.store.resources import NAMESPACES, PODS

Patcher = Callable[[Any, Any], Any]
_PATCHERS: dict[str, Patcher] = {
    MERGE: merged,
    JSON_PATCH: json_patched,
    STRATEGIC: strategically_merged,
}


async def create(call: Call) -> web.Response:
    """POST of one object."""
    dry_run = call.dry_run("CreateOptions")
    obj = await call.object()
    metadata = obj["metadata"]
    if not metadata.get("name") and not metadata.get("generateName"):
        text = "Required value: name or generateName is required"
        shown = call.served.shown
        raise Invalid(
            shown.group, shown.kind, "", causes=[("metadata.name", "FieldValueRequired", text)]
        )
    _check_namespace(call)
    _validate_fields(call, obj)
    made = call.store.create(call.served.stored, obj, manager=call.manager, dry_run=dry_run)
    return call.answer(made, status=201)


def _check_namespace(call: Call) -> None:
    """404 of the namespace when there is none to create in."""
    name = call.namespace
    if name is None or NAMESPACES not in call.store.resources:
        return
    if call.store.get(NAMESPACES, None, name) is None:
        raise NotFound(NAMESPACES, name)


async def update(call: Call) -> web.Response:
    """PUT of one object, or of its status."""
    dry_run = call.dry_run("UpdateOptions")
    obj = await call.object()
    shown, metadata = call.served.shown, obj["metadata"]
    if metadata.get("name", call.target.name) != call.target.name:
        raise bad_request(
            f"the name of the object ({metadata['name']}) does not match the name on the URL "
            f"({call.target.name})"
        )
    if shown.custom and not metadata.get("resourceVersion"):
        text = "Invalid value: 0x0: must be specified for an update"
        cause = ("metadata.resourceVersion", "FieldValueInvalid", text)
        raise Invalid(shown.group, shown.kind, call.target.name, causes=[cause])
    _validate_fields(call, obj)

    def edit(draft: JsonObject) -> None:
        kept = draft["metadata"].get("managedFields", [])
        draft.clear()
        draft.update(obj | {"metadata": metadata | {"managedFields": kept}})

    return call.answer(
        call.store.change(
            call.served.stored,
            call.namespace,
            call.target.name,
            edit,
            manager=call.manager,
            subresource=call.target.subresource or "main",
            dry_run=dry_run,
            expect_version=metadata.get("resourceVersion"),
        )
    )


async def patch(call: Call) -> web.Response:
    """PATCH of one object or of its status, in any of the four languages."""
    language = patch_language(call)
    if language == APPLY:
        return await _apply(call)
    dry_run = call.dry_run("PatchOptions")
    if call.option("force"):
        text = "Forbidden: may not be specified for non-apply patch"
        raise invalid_options("PatchOptions", "force", "FieldValueForbidden", text)
    body = decoded_patch(await call.request.read())

    def edit(draft: JsonObject) -> None:
        result = _PATCHERS[language](draft, body)
        _check_patched(call, result, draft)
        draft.clear()
        draft.update(result)

    return call.answer(
        call.store.change(
            call.served.stored,
            call.namespace,
            call.target.name,
            edit,
            manager=call.manager,
            subresource=call.target.subresource or "main",
            dry_run=dry_run,
        )
    )


def patch_language(call: Call) -> str:
    """The media type of the patch. 415: not known, or strategic on a custom resource."""
    accepted = [JSON_PATCH, MERGE, STRATEGIC, APPLY]
    if call.served.shown.custom:
        accepted.remove(STRATEGIC)
    language = call.request.content_type
    if language in accepted:
        return language
    raise StatusError(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        + ", ".join(accepted),
    )


def _check_patched(call: Call, result: JsonObject, before: JsonObject) -> None:
    """What the API server looks at between the patch and the webhooks."""
    problem = metadata_problem(result)
    if problem:
        raise undecodable(result, problem)
    _validate_fields(call, result, patched=True)
    version = result["metadata"].get("resourceVersion")
    if version not in (None, before["metadata"]["resourceVersion"]):
        raise Conflict(call.served.shown, call.target.name)


def _validate_fields(call: Call, obj: JsonObject, *, patched: bool = False) -> None:
    """fieldValidation: Strict refuses unknown fields, else they are dropped, with a warning."""
    mode = call.option("fieldValidation") or "Warn"
    unknown = unknown_fields(call.served.stored, obj)
    said = [unknown_field_text(path) for path in unknown]
    if said and mode == "Strict":
        why = "strict decoding error: " + ", ".join(said)
        if patched:
            raise undecodable(obj, why)
        raise bad_request(f"{call.served.shown.kind} in version: {why}")
    for path in unknown:
        pruned(obj, path)
    if mode == "Warn":
        call.warnings.extend(said)


async def _apply(call: Call) -> web.Response:
    dry_run = call.dry_run("PatchOptions")
    if not call.option("fieldManager"):
        text = "Required value: is required for apply patch"
        raise invalid_options("PatchOptions", "fieldManager", "FieldValueRequired", text)
    config = await call.object()
    config["metadata"].pop("managedFields", None)
    _validate_fields(call, config)
    stored = call.served.stored
    writer = Writer(
        manager=call.manager,
        api_version=call.served.shown.api_version,
        custom=stored.custom,
        operation="Apply",
        subresource=call.target.subresource or None,
    )
    if call.store.get(stored, call.namespace, call.target.name) is None:
        return _created_by_apply(call, config, writer, dry_run=dry_run)

    def edit(draft: JsonObject) -> None:
        now = timestamp(call.store.now())
        result = applied(draft, config, writer=writer, force=call.flag("force"), time=now)
        draft.clear()
        draft.update(result)

    return call.answer(
        call.store.change(
            stored,
            call.namespace,
            call.target.name,
            edit,
            manager=call.manager,
            subresource=call.target.subresource or "main",
            dry_run=dry_run,
            operation="Apply",
        )
    )


def _created_by_apply(
    call: Call, config: JsonObject, writer: Writer, *, dry_run: bool
) -> web.Response:
    config["metadata"]["name"] = call.target.name
    made = call.store.create(
        call.served.stored,
        config,
        manager=writer.manager,
        dry_run=dry_run,
        operation="Apply",
    )
    return call.answer(made, status=201)


async def delete(call: Call) -> web.Response:
    """DELETE of one object. A pod stays until its grace is over, unless that is 0."""
    options = await _delete_options(call)
    dry_run = call.dry_run("DeleteOptions") or bool(options.get("dryRun"))
    preconditions = options.get("preconditions") or {}
    grace = options.get("gracePeriodSeconds", call.option("gracePeriodSeconds"))
    _check_precondition(call, preconditions.get("resourceVersion"))
    gone = call.store.delete(
        call.served.stored,
        call.namespace,
        call.target.name,
        uid=preconditions.get("uid"),
        now_gone=str(grace) == "0" or not _has_node(call),
        grace_s=int(grace) if grace not in (None, "") else None,
        dry_run=dry_run,
        manager=call.manager,
    )
    left = call.store.get(call.served.stored, call.namespace, call.target.name)
    if left is not None and (not dry_run or call.served.stored is PODS):
        return call.answer(left)
    return json_response(_success(call, gone))


def _has_node(call: Call) -> bool:
    """Whether a kubelet has the last word; a pod without a node goes at once."""
    obj = call.store.get(call.served.stored, call.namespace, call.target.name)
    return bool(obj and obj.get("spec", {}).get("nodeName"))


def _check_precondition(call: Call, version: str | None) -> None:
    obj = call.store.get(call.served.stored, call.namespace, call.target.name)
    if obj and version not in (None, obj["metadata"]["resourceVersion"]):
        why = (
            f"the ResourceVersion in the precondition ({version}) does not match the "
            f"ResourceVersion in record ({obj['metadata']['resourceVersion']}). "
            "The object might have been modified"
        )
        raise Conflict(call.served.shown, call.target.name, why=why, by_kind=True)


async def _delete_options(call: Call) -> JsonObject:
    if not await call.request.read():
        return {}
    options = await call.body()
    return options if isinstance(options, dict) else {}


def _success(call: Call, gone: JsonObject) -> JsonObject:
    shown = call.served.shown
    details = {"name": gone["metadata"]["name"], "group": shown.group, "kind": shown.plural}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {key: value for key, value in details.items() if value}
        | {"uid": gone["metadata"]["uid"]},
    }


async def delete_collection(call: Call) -> web.Response:
    """DELETE of all objects that a selector names."""
    dry_run = call.dry_run("DeleteOptions")
    options = list_options(call.served, call.request.query, namespace=call.namespace)
    page = page_of(call.store, call.served, options)
    for version in page.versions:
        metadata = version.object["metadata"]
        call.store.delete(
            call.served.stored,
            metadata.get("namespace"),
            metadata["name"],
            now_gone=False,
            dry_run=dry_run,
            manager=call.manager,
        )
    shown = call.served.shown
    return json_response(
        {
            "kind": shown.list_kind,
            "apiVersion": shown.api_version,
            "metadata": {"resourceVersion": str(call.store.resource_version)},
            "items": [call.served.object(version.object) for version in page.versions],
        }
    )

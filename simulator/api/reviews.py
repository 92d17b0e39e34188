"""Reviews: who am I, may I, what may I."""

from __future__ import annotations

import json

from aiohttp import web

from simulator.access.rules import Identity, Request
from simulator.api import protobuf
from simulator.api.call import json_response
from simulator.api.selectors import bad_request
from simulator.store.json_values import JsonObject
from simulator.store.managed_fields import Tree, Writer, fields_of

_OPEN_URLS = (
    ("/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*")
    + ("/readyz", "/version", "/version/"),
    ("/.well-known", "/.well-known/*"),
    ("/healthz", "/livez", "/readyz", "/version", "/version/"),
)


async def asked(request: web.BaseRequest, plural: str) -> JsonObject:
    """The spec of a posted review, in JSON or protobuf. 400 when it is neither."""
    data = await request.read()
    try:
        if request.content_type == protobuf.CONTENT_TYPE:
            return protobuf.review_spec(data, plural)
        return dict(json.loads(data).get("spec") or {})
    except (ValueError, AttributeError) as problem:
        raise bad_request(f"couldn't get version/kind; json parse error: {problem}") from None


def review(plural: str, spec: JsonObject, identity: Identity, *, now: str) -> web.Response:
    """The answer to one review: 201 whatever it says."""
    if plural == "selfsubjectaccessreviews":
        return json_response(access_review(spec, identity, now=now), status=201)
    if plural == "selfsubjectrulesreviews":
        return json_response(rules_review(spec, identity), status=201)
    return json_response(self_review(identity, now=now), status=201)


def access_review(spec: JsonObject, identity: Identity, *, now: str) -> JsonObject:
    """SelfSubjectAccessReview: status.allowed tells, the HTTP status does not."""
    asked = spec.get("resourceAttributes") or {}
    if spec.get("nonResourceAttributes"):
        path = spec["nonResourceAttributes"].get("path", "")
        status: JsonObject = {"allowed": _open(path)}
    else:
        grant = identity.allowance(
            Request(
                verb=asked.get("verb", ""),
                group=asked.get("group", ""),
                resource=asked.get("resource", ""),
                subresource=asked.get("subresource", ""),
                namespace=asked.get("namespace") or None,
                name=asked.get("name", ""),
            )
        )
        status = {"allowed": grant is not None} | ({"reason": grant.reason} if grant else {})
    fields: Tree = fields_of({"spec": spec}, custom=False)
    writer = Writer(manager="unknown", api_version="authorization.k8s.io/v1", custom=False)
    return {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {"managedFields": [writer.entry(fields, time=now)]},
        "spec": spec,
        "status": status,
    }


def _open(path: str) -> bool:
    patterns = [pattern for group in _OPEN_URLS for pattern in group]
    return any(
        path == pattern or (pattern.endswith("/*") and path.startswith(pattern[:-1]))
        for pattern in patterns
    )


def rules_review(spec: JsonObject, identity: Identity) -> JsonObject:
    """SelfSubjectRulesReview of one namespace."""
    rules = identity.rules_in(spec.get("namespace", ""))
    return {
        "kind": "SelfSubjectRulesReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": {},
        "status": {
            "resourceRules": [rule.as_json() for rule in rules],
            "nonResourceRules": [
                {"verbs": ["get"], "nonResourceURLs": list(urls)} for urls in _OPEN_URLS
            ],
            "incomplete": False,
        },
    }


def self_review(identity: Identity, *, now: str) -> JsonObject:
    """SelfSubjectReview: the name behind the token."""
    user: JsonObject = {"username": identity.username}
    if identity.uid:
        user["uid"] = identity.uid
    return {
        "kind": "SelfSubjectReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"creationTimestamp": now},
        "status": {"userInfo": user | {"groups": list(identity.groups)}},
    }

"""A model's objects, events and logs as they were last read, without secrets; its bundle as a file;
and the button that asks for another look."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import yaml
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.access.requests import grant_of_request
from dashboard.access.scope import within
from dashboard.access.writes import count_write
from dashboard.views.model_insight import anchor
from fleet.domain.records.keys import ModelKey
from fleet.history.insights import ask_now, unpacked
from fleet.models import ModelInsight, ServedModel
from fleet.observe.urgency import Why
from workers.diagnose import wake

LONGEST_TEXT = 60_000
# Keys of a bundle whose values are no objects.
NO_OBJECTS = frozenset({"events", "logs", "metrics", "config", "missing"})
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True, slots=True)
class ObjectText:
    """One object as YAML. anchor: its id on the page."""

    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One Event."""

    anchor: str
    at: str
    reason: str
    about: str
    message: str
    count: int
    warning: bool


@dataclass(frozen=True, slots=True)
class Log:
    """The last lines of one container, each with its id."""

    name: str
    lines: list[tuple[str, str]]


@require_GET
def model_objects(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """All of it on a page of its own; to htmx the same without a frame."""
    row, insight = _insight(request, ModelKey(cluster, kind, namespace, name))
    bundle = unpacked(insight.objects_json) if insight else {}
    context = {
        "key": row.key,
        "read_at": insight.collected_at if insight else None,
        "objects": list(object_texts(bundle)),
        "events": list(event_lines(bundle)),
        "logs": list(logs(bundle)),
        "settings": [(anchor(f"config/{k}"), k, v) for k, v in bundle.get("config", {}).items()],
        "missing": bundle.get("missing") or (),
        "here": "model",
    }
    alone = "partials/model_objects.html" if request.headers.get("HX-Request") else None
    return render(request, alone or "pages/model_objects.html", context)


@require_GET
def model_bundle(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """The bundle that `manage.py diagnose` reads."""
    row, insight = _insight(request, ModelKey(cluster, kind, namespace, name))
    if insight is None or not insight.objects_json:
        raise Http404
    text = json.dumps(unpacked(insight.objects_json), indent=1, ensure_ascii=False)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{row.name}-bundle.json"'
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def model_diagnose(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """Look at it again now: whoever sees the model may ask; the page is told when it is done."""
    count_write(grant_of_request(request).who)
    row, _ = _insight(request, ModelKey(cluster, kind, namespace, name))
    ask_now(row, why=Why.ASKED, now=datetime.now(UTC))
    wake()
    return HttpResponse(status=204)


def _insight(request: HttpRequest, key: ModelKey) -> tuple[ServedModel, ModelInsight | None]:
    """404 for what is not there, or not in scope."""
    rows = within(ServedModel.objects.of(key).present(), grant_of_request(request))
    row = rows.first()
    if row is None:
        raise Http404
    mine = ModelInsight.objects.filter(cluster=row.cluster, model_uid=row.model_uid)
    return row, mine.first()


def object_texts(bundle: Mapping[str, Any]) -> Iterator[ObjectText]:
    """Each object once, though the newest of a kind stands in two places."""
    seen: set[str] = set()
    for key, value in bundle.items():
        for raw in value if isinstance(value, list) else [value]:
            if key in NO_OBJECTS or not isinstance(raw, Mapping) or not raw.get("kind"):
                continue
            ref = _ref(raw)
            if ref not in seen:
                seen.add(ref)
                yield ObjectText(anchor(ref), f"{raw['kind']} {_meta(raw, 'name')}", as_yaml(raw))


def _ref(raw: Mapping[str, Any]) -> str:
    """As a piece of evidence names it."""
    return f"{raw['kind']}/{_meta(raw, 'namespace')}/{_meta(raw, 'name')}"


def _meta(raw: Mapping[str, Any], key: str) -> str:
    meta = raw.get("metadata")
    return str(meta.get(key, "")) if isinstance(meta, Mapping) else ""


def as_yaml(raw: Mapping[str, Any]) -> str:
    """Bounded."""
    text: str = yaml.dump(dict(raw), Dumper=DUMPER, sort_keys=False, allow_unicode=True, width=100)
    return text[:LONGEST_TEXT]


def event_lines(bundle: Mapping[str, Any]) -> Iterator[EventLine]:
    """The latest first."""
    for raw in reversed(bundle.get("events") or []):
        about = raw.get("involvedObject") or {}
        name = str(about.get("name", ""))
        reason = str(raw.get("reason", ""))
        series = raw.get("series") or {}
        at = series.get("lastObservedTime") or raw.get("lastTimestamp") or raw.get("eventTime")
        yield EventLine(
            anchor=anchor(f"Event/{reason}/{name}"),
            at=str(at or ""),
            reason=reason,
            about=f"{about.get('kind', '')} {name}",
            message=str(raw.get("message", "")),
            count=int(series.get("count") or raw.get("count") or 1),
            warning=raw.get("type") == "Warning",
        )


def logs(bundle: Mapping[str, Any]) -> Iterator[Log]:
    """By container, numbered as evidence numbers them."""
    for name, lines in (bundle.get("logs") or {}).items():
        yield Log(name, [(anchor(f"log/{name}:{n}"), line) for n, line in enumerate(lines, 1)])

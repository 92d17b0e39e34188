"""Incidents for the pages of the browser tests: one that goes on, some that are over, odd ones."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

FINDINGS: list[dict[str, Any]] = [
    {
        "cause": "timeout-shorter-than-load",
        "confidence": 0.9,
        "phase": "routing",
        "rule": "limit-shorter-than-start",
        "evidence": [
            {
                "kind": "config",
                "ref": "config/response_start_timeout_s",
                "says": "60",
                "at": None,
            },
            {
                "kind": "log",
                "ref": "log/activator:12",
                "says": "context deadline exceeded while a pod was awaited",
                "at": None,
            },
        ],
        "remedies": ["raise-revision-timeout", "raise-min-replicas"],
        "params": {"limit_s": 60.0, "layer": "activator", "start_s": 84.0},
    },
    {
        "cause": "image-pull-slow",
        "confidence": 0.7,
        "phase": "image_pull",
        "rule": "image-pulled-slowly",
        "evidence": [
            {
                "kind": "event",
                "ref": "Event/Pulled/llama-3-8b-1",
                "says": "Successfully pulled image in 1m35s",
                "at": None,
            }
        ],
        "remedies": ["prepull-image"],
        "params": {"seconds": 95.0},
    },
]
BY_HOP: dict[str, int | None] = {
    "ingress": 3,
    "endpoint-picker": None,
    "activator": 38,
    "queue-proxy": 0,
    "container": 2,
}
ERRORS = {"activator/504": 38, "ingress/503": 3, "container/500": 2}


def fill_incidents(now: datetime) -> None:
    """Of llama-3-8b, of gemma, and of the model with the odd name."""
    from fleet.models import ServedModel
    from tests import factories as make

    llama = ServedModel.objects.get(name="llama-3-8b")
    began = now - timedelta(minutes=4, seconds=30)
    open_ = _incident(llama, began, ended=now - timedelta(seconds=60), now=now)
    open_.ended_at = None
    open_.save()
    make.make_start(llama, started_at=began - timedelta(seconds=20))
    make.make_scale_event(llama, 0, 1, at=began - timedelta(seconds=21))
    make.make_probe_failure(llama, 9, at=began + timedelta(seconds=70))
    for days in (2, 5):
        at = now - timedelta(days=days)
        _incident(llama, at, ended=at + timedelta(minutes=6), now=now)
    gemma = ServedModel.objects.get(name="gemma")
    at = now - timedelta(hours=9)
    bare: dict[str, Any] = {"cause": "", "confidence": None, "findings": [], "at_least": False}
    _incident(gemma, at, ended=at + timedelta(seconds=90), now=now, **bare)
    odd = ServedModel.objects.get(name=make.HOSTILE)
    _incident(odd, at, ended=at + timedelta(minutes=2), now=now, revisions=[make.HOSTILE])


def _incident(model: Any, began: datetime, *, ended: datetime, now: datetime, **fields: Any) -> Any:
    from fleet.history.incident_around import around
    from tests import factories as make

    hole = [(began + timedelta(seconds=s)).isoformat() for s in (30, 60)]
    told = {"errors": ERRORS, "at_least": ["activator"], "unread": [hole]}
    given: dict[str, Any] = {
        "started_at": began,
        "last_error_at": ended,
        "ended_at": ended,
        "requests": 300,
        "requests_lost": 43,
        "at_least": True,
        "client_gone": 6,
        "by_hop": BY_HOP,
        "by_code": {"500": 2, "503": 3, "504": 38},
        "revisions": [model.revision],
        "cause": FINDINGS[0]["cause"],
        "confidence": 0.9,
        "findings": FINDINGS,
        "diagnosed_at": now,
        "around": told | around(model.key, began, ended),
        **fields,
    }
    return make.make_incident(model, **given)
